"""Which estimators suit two tables."""

from __future__ import annotations

from typing import Any, Unpack, cast

from . import _core
from ._options import GuideOptions
from ._parts import JsonResult
from ._record import Record
from ._result import tell
from ._signatures import documented
from ._tables import sources


class GuideResult(JsonResult):
    """Which estimators suit two tables, and why; ``print`` it to read it."""

    __slots__ = ()

    @property
    def data(self) -> Record:
        """What the advice is based on: rows, columns, features, missing cells, …"""
        return cast(Record, self._data.data)

    @property
    def regimes(self) -> tuple[Record, ...]:
        """``name``, ``present`` and ``reason`` of each difficulty that the data may pose."""
        return cast("tuple[Record, ...]", self._data.regimes)

    @property
    def estimators(self) -> tuple[Record, ...]:
        """``name``, ``verdict`` ("recommended", "caveats" or "not_recommended") and ``reasons`` of each."""
        return cast("tuple[Record, ...]", self._data.estimators)

    @property
    def recommended(self) -> tuple[str, ...]:
        """The names of the estimators that are recommended without caveats."""
        return tuple(each.name for each in self.estimators if each.verdict == "recommended")

    @property
    def plan(self) -> tuple[str, ...]:
        """What ``estimate`` does, step by step."""
        return cast("tuple[str, ...]", self._data.auto)

    def __repr__(self) -> str:
        return f"GuideResult(recommended={list(self.recommended)})"


@documented("guide")
def guide(P: Any, Q: Any, **options: Unpack[GuideOptions]) -> GuideResult:
    """Recommend estimators for two tables, with reasons, without training any.

    Parameters
    ----------
    P, Q : array, data frame, Arrow data, mapping of columns, open file, or path
        As for ``estimate``.
    """
    source_p, source_q = sources(P, Q, dict(options))
    result = GuideResult(*_core.guide(source_p, source_q, dict(options)))
    tell(result.warnings, stacklevel=2)
    return result
