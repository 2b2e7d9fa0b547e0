"""Results in scipy's manner: small, read-only, with methods for what follows from them."""

from __future__ import annotations

import html
import json
import os
import warnings
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

import numpy as np
import numpy.typing as npt

from . import _core
from ._record import Record

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class ResultWarning(UserWarning):
    """Something that users of a result should know; also in ``Result.warnings``."""


class ConfidenceInterval(NamedTuple):
    """Two ends, as scipy gives them."""

    low: float
    high: float


class _Frozen:
    __slots__ = ()

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise AttributeError("results cannot be changed")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError("results cannot be changed")


def _number(value: float | None) -> str:
    """A divergence with the digits that its size deserves."""
    if value is None:
        return "-"
    return f"{value:.4f}" if 0 < abs(value) < 0.01 else f"{value:.3f}"


class Result(_Frozen):
    """The divergence between two tables, with its uncertainty and how it was computed.

    The attributes are the keys of the JSON that the command line writes (``to_dict()``); anything that was not computed
    is None. Divergences are in bits.
    """

    __slots__ = ("_charts", "_data", "_json", "_rows", "_summary")
    _charts: str
    _data: Record
    _json: str
    _rows: dict[str, npt.NDArray[Any]]
    _summary: str

    def __init__(self, text: str, rows: Mapping[str, npt.NDArray[Any]], summary: str, charts: str = "[]") -> None:
        object.__setattr__(self, "_json", text)
        object.__setattr__(self, "_data", Record(json.loads(text)))
        object.__setattr__(self, "_rows", dict(rows))
        object.__setattr__(self, "_summary", summary)
        object.__setattr__(self, "_charts", charts)

    @classmethod
    def from_json(cls, source: str | bytes | os.PathLike[str] | Mapping[str, Any]) -> Result:
        """Read a recorded result: the text or dictionary returned by ``to_json`` or ``to_dict``, or a ``pathlib.Path``
        to a JSON file. Scored rows and the charts of the columns are not recorded."""
        text, summary = _core.read_result(recorded_text(source))
        return cls(text, {}, summary)

    @property
    def jsd(self) -> float:
        """The Jensen-Shannon divergence, in [0, 1]."""
        return cast(float, self._data.jsd)

    @property
    def raw(self) -> float:
        """The divergence as estimated, before it was clipped to [0, 1]."""
        return cast(float, self._data.raw)

    @property
    def distance(self) -> float:
        """The Jensen-Shannon distance, the square root of the divergence."""
        return cast(float, self._data.distance)

    @property
    def standard_error(self) -> float | None:
        return cast("float | None", self._data.standard_error)

    @property
    def held_out(self) -> Record | None:
        """The divergence on held-out rows, without extrapolation: ``jsd`` and ``standard_error``."""
        return cast("Record | None", self._data.held_out)

    @property
    def lower_bound(self) -> float | None:
        """A lower bound on the divergence, whatever the classifiers missed, at the level of the interval."""
        bound = self._data.lower_bound
        return None if bound is None else cast(float, bound.value)

    @property
    def pvalue(self) -> float | None:
        """The p-value of the hypothesis that both tables come from the same distribution."""
        return cast("float | None", self._data.p_value)

    @property
    def pvalue_is_bound(self) -> bool | None:
        """Whether ``pvalue`` is the smallest that the permutations can give, so that the true one is at most this."""
        return cast("bool | None", self._data.p_value_is_bound)

    @property
    def selected_family(self) -> str | None:
        """Protocol ``paper``: the family with the lowest validation log-loss, which the estimate comes from."""
        return cast("str | None", self._data.selected_family)

    @property
    def disagreement(self) -> Record | None:
        return cast("Record | None", self._data.disagreement)

    @property
    def families(self) -> tuple[Record, ...]:
        """Each family on its own: ``name``, ``jsd``, ``standard_error``, ``weight``, ``hyperparameters``, …"""
        return cast("tuple[Record, ...]", self._data.families)

    @property
    def marginal(self) -> Record | None:
        """The baselines that compare one column at a time."""
        return cast("Record | None", self._data.marginal)

    @property
    def divergences(self) -> Record | None:
        """Other divergences and distances, each with ``value`` and ``standard_error``."""
        return cast("Record | None", self._data.divergences)

    @property
    def support(self) -> Record | None:
        """Ways in which the tables cannot have the same values, and the divergence without them."""
        return cast("Record | None", self._data.support)

    @property
    def learning_curve(self) -> tuple[Record, ...] | None:
        return cast("tuple[Record, ...] | None", self._data.learning_curve)

    @property
    def self_check(self) -> Record | None:
        """How the estimator does on the same rows where the answer is known; see ``jsdiv.self_check``."""
        return cast("Record | None", self._data.self_check)

    @property
    def protocol(self) -> Record:
        """Everything that determines the number."""
        return cast(Record, self._data.protocol)

    @property
    def warnings(self) -> tuple[Record, ...]:
        """``code`` and ``message`` of each."""
        return cast("tuple[Record, ...]", self._data.warnings)

    @property
    def runtime(self) -> Record:
        return cast(Record, self._data.runtime)

    def confidence_interval(self, level: float | None = None) -> ConfidenceInterval | None:
        """The interval of ``jsd``; by default at the level of the estimate (``level=``, 0.95 if not given)."""
        recorded = self._data.confidence_interval
        if recorded is None or self.standard_error is None:
            return None
        if level is None or level == recorded.level:
            return ConfidenceInterval(recorded.low, recorded.high)
        selected = [family for family in self.families if family.name == self.selected_family]
        low, high = _core.interval(
            self.jsd,
            self.raw,
            self.standard_error,
            self._data.standard_error_below,
            self._data.interval_reach,
            None if self.pvalue_is_bound else self.pvalue,
            len(selected[0].seeds) if selected else 0,
            level,
        )
        return ConfidenceInterval(low, high)

    def rows(self) -> dict[str, npt.NDArray[Any]]:
        """Each scored row: ``seed``, ``table`` (P or Q), ``row`` (its position, from 0), ``posterior`` D(x),
        ``information_bits`` (what the row reveals about its table: log2 2D(x) in P and log2 2(1 - D(x)) in Q), and
        ``share_bits`` (its share of the divergence; the shares add up to ``held_out.jsd``, or to ``raw`` under
        ``paper``). ``pandas.DataFrame(result.rows())`` makes a frame."""
        if not self._rows:
            raise ValueError("a result read from JSON has no rows")
        rows = {name: values.copy() for name, values in self._rows.items()}
        in_p = rows.pop("in_p")
        return {"seed": rows.pop("seed"), "table": np.where(in_p == 1, "P", "Q"), **rows}

    def metrics(self) -> dict[str, float]:
        """The numbers as a flat dictionary, for ``mlflow.log_metrics`` and the like. Numbers that were not computed are
        left out."""
        data = self._data
        numbers: dict[str, Any] = {name: data[name] for name in ("jsd", "raw", "distance", "standard_error")}
        numbers["p_value"] = self.pvalue
        numbers["lower_bound"] = self.lower_bound
        numbers["held_out"] = None if self.held_out is None else self.held_out.jsd
        interval = data.confidence_interval
        if interval is not None:
            numbers |= {"interval_low": interval.low, "interval_high": interval.high}
        numbers |= {f"ladder/{rung.rung}": rung.jsd for rung in data.ladder or ()}
        numbers |= {f"family/{family.name}": family.jsd for family in self.families}
        for name, each in (self.divergences or {}).items():
            if each is not None and "value" in each:
                numbers[f"divergence/{name}"] = each.value
        if self.marginal is not None:
            numbers |= {f"marginal/{name}": self.marginal[name] for name in ("syndat", "synthcity")}
        numbers["warnings"] = len(self.warnings)
        numbers["seconds"] = self.runtime.seconds
        return {name: float(value) for name, value in numbers.items() if value is not None}

    def to_html(self) -> str:
        """The report to share, as one self-contained HTML page without any rows."""
        return _core.page(self._charts, result=self._json)

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, replacing it if it exists."""
        save_text(path, self.to_html())

    def to_dict(self) -> dict[str, Any]:
        """What ``jsdiv estimate --json`` writes, schema jsdiv.result/1."""
        return cast("dict[str, Any]", json.loads(self._json))

    def to_json(self) -> str:
        """The same as text."""
        return self._json

    def plot(self, kind: str | None = None, ax: Axes | None = None) -> Figure:
        """Plot the ``"families"`` with their intervals, the ``"posteriors"`` of the rows of P and Q, or the
        ``"learning_curve"``; by default all that are available. Needs matplotlib."""
        from ._plot import plot

        return plot(self, kind, ax)

    def __repr__(self) -> str:
        parts = [f"jsd={self.jsd:.4g}"]
        if self.standard_error is not None:
            parts.append(f"standard_error={self.standard_error:.2g}")
        interval = self._data.confidence_interval
        if interval is not None:
            parts.append(f"{100 * interval.level:.4g} % interval [{_number(interval.low)}, {_number(interval.high)}]")
        if self.pvalue is not None:
            parts.append(f"pvalue{'<=' if self.pvalue_is_bound else '='}{self.pvalue:.2g}")
        if self.selected_family is not None:
            parts.append(f"selected_family={self.selected_family!r}")
        if self.warnings:
            parts.append("warnings: " + ", ".join(warning.code for warning in self.warnings))
        return f"Result({', '.join(parts)})"

    def __str__(self) -> str:
        """The summary that the command line prints, with its warnings."""
        return with_warnings(self._summary, self.warnings)

    def _repr_html_(self) -> str:
        interval = self._data.confidence_interval
        head = f"<b>Jensen–Shannon divergence {_number(self.jsd)}</b>"
        if interval is not None:
            head += f" &nbsp; {100 * interval.level:.4g} % interval {_number(interval.low)} to {_number(interval.high)}"
        if self.pvalue is not None:
            head += f" &nbsp; p {'≤' if self.pvalue_is_bound else '='} {self.pvalue:.2g}"
        rows = "".join(
            "<tr>"
            + f"<td style='text-align:left'>{html.escape(family.name)}</td>"
            + "".join(
                f"<td>{_number(value)}</td>"
                for value in (family.jsd, family.standard_error, family.validation_log_loss, family.auc, family.weight)
            )
            + "</tr>"
            for family in self.families
        )
        table = (
            "<table><thead><tr><th style='text-align:left'>family</th><th>JSD</th><th>± error</th><th>log-loss</th>"
            f"<th>AUC</th><th>weight</th></tr></thead><tbody>{rows}</tbody></table>"
        )
        notes = "".join(
            f"<li>{html.escape(warning.message)} <code>{html.escape(warning.code)}</code></li>"
            for warning in self.warnings
        )
        return f"<div>{head}{table}{f'<ul>{notes}</ul>' if notes else ''}</div>"

    def __eq__(self, other: object) -> bool:
        return self._json == other._json if isinstance(other, Result) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._json)

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if not name.startswith("_")] + ["_repr_html_"]

    def __reduce__(self) -> tuple[Any, ...]:
        return Result, (self._json, self._rows, self._summary, self._charts)


class MarginalResult(_Frozen):
    """The baselines that compare one column at a time; each is None where it is undefined."""

    __slots__ = ("_data", "_json", "_summary", "warnings")
    _data: Record
    _json: str
    _summary: str
    warnings: tuple[Record, ...]

    def __init__(self, text: str, notes: str, summary: str) -> None:
        object.__setattr__(self, "_json", text)
        object.__setattr__(self, "_data", Record(json.loads(text)))
        object.__setattr__(self, "_summary", summary)
        object.__setattr__(self, "warnings", tuple(Record(note) for note in json.loads(notes)))

    @property
    def syndat(self) -> float | None:
        return cast("float | None", self._data.syndat)

    @property
    def synthcity(self) -> float | None:
        return cast("float | None", self._data.synthcity)

    @property
    def synthcity_upstream(self) -> float | None:
        return cast("float | None", self._data.synthcity_upstream)

    @property
    def columns(self) -> tuple[Record, ...]:
        """The same for each column, with its ``name``."""
        return cast("tuple[Record, ...]", self._data.columns)

    def to_dict(self) -> dict[str, Any]:
        """What ``jsdiv marginal --json`` writes."""
        return cast("dict[str, Any]", json.loads(self._json))

    def __repr__(self) -> str:
        return f"MarginalResult(syndat={self.syndat}, synthcity={self.synthcity}, {len(self.columns)} columns)"

    def __str__(self) -> str:
        return with_warnings(self._summary, self.warnings)

    def __reduce__(self) -> tuple[Any, ...]:
        return MarginalResult, (self._json, json.dumps([dict(note) for note in self.warnings]), self._summary)


def recorded_text(source: str | bytes | os.PathLike[str] | Mapping[str, Any]) -> str:
    """The JSON of a result in whatever form it is kept."""
    if isinstance(source, Mapping):
        return json.dumps(source)
    if isinstance(source, os.PathLike):
        with open(source, encoding="utf-8") as file:
            return file.read()
    return source.decode() if isinstance(source, bytes) else source


def save_text(path: str | os.PathLike[str], text: str) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def with_warnings(summary: str, notes: Iterable[Record]) -> str:
    """A summary, and below it what its reader should know."""
    lines = [f"warning: {warning.message} [{warning.code}]" for warning in notes]
    return "\n".join([summary.rstrip("\n"), *([""] if lines else []), *lines])


def tell(notes: Iterable[Record], stacklevel: int) -> None:
    """A result's warnings as warnings of Python, at the caller's line."""
    for warning in notes:
        text = f"{warning.message} [{warning.code}]"
        warnings.warn(text, ResultWarning, stacklevel=stacklevel + 1)
