"""Results that are based on JSON."""

from __future__ import annotations

import json
import os
from typing import Any, ClassVar, cast

from . import _core
from ._record import Record
from ._result import _Frozen, save_text, with_warnings


class JsonResult(_Frozen):
    """The result of a command: its JSON, and a readable summary."""

    __slots__ = ("_data", "_json", "_summary")
    _data: Record
    _json: str
    _summary: str

    def __init__(self, text: str, summary: str) -> None:
        object.__setattr__(self, "_json", text)
        object.__setattr__(self, "_data", Record(json.loads(text)))
        object.__setattr__(self, "_summary", summary)

    @property
    def warnings(self) -> tuple[Record, ...]:
        """``code`` and ``message`` of each."""
        return cast("tuple[Record, ...]", self._data.warnings)

    def to_dict(self) -> dict[str, Any]:
        """What the command line writes as JSON."""
        return cast("dict[str, Any]", json.loads(self._json))

    def to_json(self) -> str:
        """The same as text."""
        return self._json

    def __str__(self) -> str:
        """The summary that the command line prints, with its warnings."""
        return with_warnings(self._summary, self.warnings)

    def __eq__(self, other: object) -> bool:
        return self._json == other._json if isinstance(other, type(self)) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._json)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._json, self._summary)


class PartsResult(JsonResult):
    """What the results of explain and compare share."""

    __slots__ = ("_charts",)
    _charts: str
    _part: ClassVar[str]
    """The part of the report that it is."""

    def __init__(self, text: str, summary: str, charts: str = "[]") -> None:
        super().__init__(text, summary)
        object.__setattr__(self, "_charts", charts)

    @property
    def runtime(self) -> Record:
        return cast(Record, self._data.runtime)

    def to_html(self) -> str:
        """The report to share, as one self-contained HTML page."""
        return _core.page(self._charts, **{self._part: self._json})

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, replacing it if it exists."""
        save_text(path, self.to_html())

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._json, self._summary, self._charts)


def frame_of(what: str, tables: dict[str, list[dict[str, Any]]]) -> Any:
    """One of the tables as a pandas frame."""
    if what not in tables:
        raise ValueError(f"there is no table {what!r}; choose from {', '.join(map(repr, tables))}")
    try:
        import pandas as pd
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install pandas") from error
    return pd.DataFrame(tables[what])


def bits_cell(bits: Record | None) -> str:
    return "<td>-</td>" if bits is None else f"<td>{bits.value:.4f} ± {bits.standard_error:.4f}</td>"
