"""What causes a divergence."""

from __future__ import annotations

import html
from typing import TYPE_CHECKING, Any, Literal, Unpack, cast

from . import _core
from ._estimate import Families
from ._families import split_families
from ._options import EstimateOptions
from ._parts import PartsResult, bits_cell, frame_of
from ._progress import Progress, reporting
from ._record import Record
from ._result import tell
from ._signatures import documented
from ._tables import sources

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class ExplainResult(PartsResult):
    """Which columns, pairs, slices and rows cause the divergence between two tables, in bits.

    Its attributes are the keys of the JSON that ``jsdiv explain`` writes (``to_dict()``); docs/explain.md describes
    them.
    """

    __slots__ = ()
    _part = "explain"

    @property
    def held_out(self) -> float:
        """The divergence found on held-out rows; the shares of columns, slices and rows add up to it."""
        return cast(float, self._data.held_out)

    @property
    def columns(self) -> tuple[Record, ...]:
        """``name``, ``share``, ``alone``, ``only_here``, ``how`` and ``histogram`` of each, largest share first."""
        return cast("tuple[Record, ...]", self._data.columns)

    @property
    def pairs(self) -> tuple[Record, ...]:
        """The pairs of columns whose dependence differs most, beyond the columns themselves."""
        return cast("tuple[Record, ...]", self._data.pairs)

    @property
    def repairs(self) -> tuple[Record, ...]:
        """``column`` and ``gain``: the bits gained by repairing that column's distribution, best first."""
        return cast("tuple[Record, ...]", self._data.repairs)

    @property
    def marginal_part(self) -> float | None:
        """Bits that repairing every column's own distribution would remove."""
        return cast("float | None", self._data.marginal_part)

    @property
    def dependence_part(self) -> float | None:
        """Bits that would remain after repairing every column's own distribution."""
        return cast("float | None", self._data.dependence_part)

    @property
    def slices(self) -> tuple[Record, ...]:
        """Slices of the data with their ``rule`` and ``bits``, which add up."""
        return cast("tuple[Record, ...]", self._data.slices)

    @property
    def by(self) -> Record | None:
        """The bits, broken down by the values of the column given as ``by``."""
        return cast("Record | None", self._data.by)

    @property
    def rows(self) -> tuple[Record, ...]:
        """The most revealing rows of Q, then those of P."""
        return cast("tuple[Record, ...]", self._data.rows)

    @property
    def explainer(self) -> Record:
        """The classifier behind the shares."""
        return cast(Record, self._data.explainer)

    @property
    def estimate(self) -> Record:
        """The result of ``jsdiv.estimate`` for the same tables."""
        return cast(Record, self._data.estimate)

    def to_frame(self, what: str = "columns") -> Any:
        """A pandas frame of ``"columns"``, ``"pairs"``, ``"repairs"``, ``"slices"``, ``"by"`` or ``"rows"``."""
        return frame_of(what, self._tables())

    def _tables(self) -> dict[str, list[dict[str, Any]]]:
        def bits(name: str, value: Record | None) -> dict[str, Any]:
            if value is None:
                return {name: None, f"{name}_error": None}
            return {name: value.value, f"{name}_error": value.standard_error}

        return {
            "columns": [
                {
                    "column": column.name,
                    **bits("share", column.share),
                    **bits("alone", column.alone),
                    "alone_p_value": column.alone.p_value,
                    **bits("only_here", column.only_here),
                    "how": "; ".join(difference.message for difference in column.how),
                }
                for column in self.columns
            ],
            "pairs": [
                {
                    "first": pair.columns[0],
                    "second": pair.columns[1],
                    **bits("beyond_columns", pair.beyond_columns),
                    "together": pair.together,
                    "p_value": pair.p_value,
                    "evident": pair.evident,
                }
                for pair in self.pairs
            ],
            "repairs": [{"column": repair.column, **bits("gain", repair.gain)} for repair in self.repairs],
            "slices": [self._slice(each) for each in self.slices],
            "by": [] if self.by is None else [self._slice(each) for each in self.by.slices],
            "rows": [
                {"table": row.table, "row": row.row, "posterior": row.posterior, "bits": row.bits}
                | {cell.column: cell.value for cell in row["values"] or ()}
                for row in self.rows
            ],
        }

    @staticmethod
    def _slice(each: Record) -> dict[str, Any]:
        names = ("rule", "share_p", "share_q", "rows_p", "rows_q", "bits", "standard_error")
        return {name: each[name] for name in names}

    def plot(self, kind: str | None = None, ax: Axes | None = None) -> Figure:
        """Plot the shares of the ``"columns"``, the heat map of the ``"pairs"``, the ``"slices"``, or all three. Needs
        matplotlib."""
        from ._plot_parts import plot_explanation

        return plot_explanation(self, kind, ax)

    def __repr__(self) -> str:
        shares = ", ".join(f"{column.name}: {column.share.value:.4f}" for column in self.columns[:3])
        return f"ExplainResult(held_out={self.held_out:.4f}, {shares}{', …' if len(self.columns) > 3 else ''})"

    @property
    def chance_explains_it(self) -> bool:
        """Whether chance alone can explain the divergence, and therefore all of its parts."""
        return any(warning.code == "nothing_to_explain" for warning in self.warnings)

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td style='text-align:left'>{html.escape(column.name)}</td>{bits_cell(column.share)}"
            f"{bits_cell(column.alone)}{bits_cell(column.only_here)}"
            f"<td style='text-align:left'>{html.escape(column.how[0].message) if column.how else ''}</td></tr>"
            for column in self.columns[:20]
        )
        pairs = "".join(
            f"<li>{html.escape(pair.columns[0])} with {html.escape(pair.columns[1])}: "
            f"{pair.beyond_columns.value:.4f} bits</li>"
            for pair in self.pairs[:5]
            if pair.evident
        )
        chance = "Chance alone can explain this; do not read anything into what follows."
        note = f"<p>{chance}</p>" if self.chance_explains_it else ""
        return (
            f"<div><b>{self.held_out:.4f} bits on held-out rows</b>{note}<table><thead><tr>"
            "<th style='text-align:left'>column</th><th>share</th><th>alone</th><th>only here</th>"
            f"<th style='text-align:left'>how</th></tr></thead><tbody>{rows}</tbody></table>"
            f"{f'<p>Pairs whose dependence differs:</p><ul>{pairs}</ul>' if pairs else ''}</div>"
        )


@documented("estimate")
def explain(
    P: Any,
    Q: Any,
    *,
    by: str | None = None,
    rung: Literal["as_stored", "common_grids", "content"] | None = None,
    show_rows: bool = False,
    telling_rows: int | None = None,
    families: Families = None,
    progress: Progress = None,
    **options: Unpack[EstimateOptions],
) -> ExplainResult:
    """Show which columns, pairs, slices and rows cause the divergence between two tables.

    Parameters
    ----------
    P, Q : array, data frame, Arrow data, mapping of columns, open file, or path
        As for ``estimate``.
    by : name of a column
        Also break the divergence down by the values of this column.
    rung : name of a rung of the ladder
        The rung to explain (None: ``"content"`` if number formats differ and the content does too).
    show_rows : bool
        Include the cell values of the most revealing rows in the result.
    telling_rows : int
        Number of most revealing rows of each table to list (None: 20).
    families, progress
        As for ``estimate``.
    """
    names, adapters = split_families(families)
    arguments = dict(options) if names is None else {**options, "families": names}
    source_p, source_q = sources(P, Q, arguments)
    with reporting(progress) as report:
        parts = _core.explain(
            source_p, source_q, arguments, adapters, by or "", rung or "", show_rows, telling_rows, report
        )
    result = ExplainResult(*parts)
    tell(result.warnings, stacklevel=2)
    return result
