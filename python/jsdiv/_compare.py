"""Which of several tables is closest to a reference."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Unpack, cast

from . import _core
from ._estimate import Families
from ._families import split_families
from ._options import EstimateOptions
from ._parts import PartsResult, frame_of
from ._progress import Progress, reporting
from ._record import Record
from ._result import tell
from ._signatures import documented
from ._tables import is_path, table_of, unpack_limit

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class CompareResult(PartsResult):
    """Several tables ranked by their divergence from a reference. docs/explain.md describes every attribute."""

    __slots__ = ()
    _part = "compare"

    @property
    def candidates(self) -> tuple[Record, ...]:
        """``name``, ``rank``, ``jsd``, ``differs``, … of each, closest first, or in order of time."""
        return cast("tuple[Record, ...]", self._data.candidates)

    @property
    def differences(self) -> tuple[Record, ...]:
        """``closer``, ``farther``, ``value``, ``confidence_interval`` and ``supported`` of each pair."""
        return cast("tuple[Record, ...]", self._data.differences)

    @property
    def yardstick(self) -> Record | None:
        """One half of the reference against the other."""
        return cast("Record | None", self._data.yardstick)

    @property
    def closest(self) -> str:
        """The name of the table with the lowest divergence, whether or not the data support the difference."""
        return cast(str, min(self.candidates, key=lambda candidate: candidate.rank).name)

    def to_frame(self, what: str = "candidates") -> Any:
        """A pandas frame of ``"candidates"`` or ``"differences"``."""
        tables = {
            "candidates": [
                {
                    "name": candidate.name,
                    "rank": candidate.rank,
                    "jsd": candidate.jsd,
                    "low": candidate.confidence_interval.low,
                    "high": candidate.confidence_interval.high,
                    "p_value": candidate.p_value,
                    "differs": candidate.differs,
                }
                for candidate in self.candidates
            ],
            "differences": [
                {
                    "closer": difference.closer,
                    "farther": difference.farther,
                    "value": difference.value,
                    "standard_error": difference.standard_error,
                    "low": difference.confidence_interval.low,
                    "high": difference.confidence_interval.high,
                    "supported": difference.supported,
                }
                for difference in self.differences
            ],
        }
        return frame_of(what, tables)

    def plot(self, ax: Axes | None = None) -> Figure:
        """Plot each table's divergence with its interval, and the yardstick. Needs matplotlib."""
        from ._plot_parts import plot_comparison

        return plot_comparison(self, ax)

    def __repr__(self) -> str:
        ranking = ", ".join(f"{candidate.name}: {candidate.jsd:.4f}" for candidate in self.candidates)
        return f"CompareResult({ranking})"

    def _repr_html_(self) -> str:
        def row(name: str, numbers: Record) -> str:
            interval = numbers.confidence_interval
            return (
                f"<tr><td style='text-align:left'>{html.escape(name)}</td><td>{numbers.jsd:.4f}</td>"
                f"<td>{interval.low:.4f} to {interval.high:.4f}</td></tr>"
            )

        rows = "".join(row(candidate.name, candidate) for candidate in self.candidates)
        if self.yardstick is not None:
            rows += row("(two halves)", self.yardstick)
        notes = "".join(
            f"<li>{html.escape(each.closer)} is closer than {html.escape(each.farther)}</li>"
            for each in self.differences
            if each.supported and not self._data.over_time
        )
        return (
            "<div><table><thead><tr><th style='text-align:left'>table</th><th>JSD</th><th>interval</th></tr></thead>"
            f"<tbody>{rows}</tbody></table>{f'<ul>{notes}</ul>' if notes else ''}</div>"
        )


@documented("estimate")
def compare(
    real: Any,
    candidates: Mapping[str, Any] | Sequence[Any],
    *,
    over_time: bool = False,
    yardstick: bool = True,
    families: Families = None,
    progress: Progress = None,
    **options: Unpack[EstimateOptions],
) -> CompareResult:
    """Rank several tables by their divergence from a reference table.

    Parameters
    ----------
    real : array, data frame, Arrow data, mapping of columns, open file, or path         The reference table.
    candidates : mapping of names to tables, or a sequence of tables
        Tables without a name are named by their path, or "1", "2", …
    over_time : bool
        Treat the tables as one table over time: keep their order and compare neighbours.
    yardstick : bool
        Also compare two halves of `real`.
    families, progress
        As for ``estimate``.
    """
    if not isinstance(candidates, Mapping):
        candidates = {str(each) if is_path(each) else str(i + 1): each for i, each in enumerate(candidates)}
    chosen, adapters = split_families(families)
    arguments = dict(options) if chosen is None else {**options, "families": chosen}
    reference = table_of(real, "the reference", max_unpacked=unpack_limit(options))
    named = list(map(str, candidates))
    tables = [table_of(table, name, reference.names, unpack_limit(options)) for name, table in candidates.items()]
    with reporting(progress) as report:
        result = CompareResult(
            *_core.compare(reference, named, tables, arguments, adapters, over_time, yardstick, report)
        )
    tell(result.warnings, stacklevel=2)
    return result
