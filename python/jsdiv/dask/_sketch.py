"""One pass over the rows: what a column holds, in summaries that can be merged.

A column with few distinct values is kept as exact counts. Of others there are points with equal weights, the quantiles
of the partition; merging adds the weights, so that the error of a quantile is at most one part in `POINTS` of each
partition's rows, and falls as partitions are merged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

POINTS = 4_096
MERGED_POINTS = 65_536
LEVELS = 100_000
BINS = 254  # codes 0 … 254; 255 is a missing cell
MISSING = 255

Floats = npt.NDArray[np.float64]


class ColumnSketch(NamedTuple):
    kind: str  # number, integer, boolean, time, text; empty: no value was seen
    rows: int
    missing: int
    values: npt.NDArray[Any]  # ascending numbers, nanoseconds, or levels
    weights: Floats  # rows at each of them


def kind_of(column: Any) -> str:
    import pandas as pd

    types = pd.api.types
    if types.is_bool_dtype(column.dtype):
        return "boolean"
    if types.is_integer_dtype(column.dtype):
        return "integer"
    if types.is_numeric_dtype(column.dtype):
        return "number"
    return "time" if types.is_datetime64_any_dtype(column.dtype) else "text"


def numbers_of(column: Any, kind: str) -> Floats:
    """A column of numbers or times as floats, NaN where a cell is missing."""
    if kind == "time":
        values = column.to_numpy(dtype="datetime64[ns]")
        return np.where(np.isnat(values), np.nan, values.astype(np.int64).astype(np.float64))
    result: Floats = column.to_numpy(dtype=np.float64, na_value=np.nan)
    return result


def sketch_column(column: Any, where: str) -> ColumnSketch:
    kind = kind_of(column)
    if kind == "text":
        counts = column.value_counts(dropna=True)
        levels = np.asarray([str(level) for level in counts.index], dtype=object)
        return _text(levels, counts.to_numpy(dtype=np.float64), len(column), int(column.isna().sum()))
    numbers = numbers_of(column, kind)
    if np.isinf(numbers).any():
        raise ValueError(
            f"{where}: column {column.name!r} contains an infinite value; replace it with a number or leave the cell "
            "empty"
        )
    present = numbers[~np.isnan(numbers)]
    values, counts = np.unique(present, return_counts=True)
    values, weights = compressed(values, counts.astype(np.float64), POINTS)
    return ColumnSketch(kind if len(present) else "", len(numbers), len(numbers) - len(present), values, weights)


def sketch_partition(frame: Any, where: str) -> dict[str, ColumnSketch]:
    names = [str(name) for name in frame.columns]
    if len(set(names)) != len(names):
        raise ValueError(f"{where}: two columns have the same name")
    return {name: sketch_column(frame.iloc[:, j], where) for j, name in enumerate(names)}


def _text(levels: npt.NDArray[Any], counts: Floats, rows: int, missing: int) -> ColumnSketch:
    """The most frequent levels; ties by name, so that the order of the partitions does not matter."""
    order = np.lexsort((levels.astype(str), -counts))[:LEVELS] if len(levels) else np.arange(0)
    return ColumnSketch("text" if len(levels) else "", rows, missing, levels[order], counts[order])


def compressed(values: Floats, weights: Floats, points: int) -> tuple[Floats, Floats]:
    """At most `points` values: as they are, or the quantiles of so many equal parts with both ends."""
    if len(values) <= points:
        return values, weights
    total = weights.sum()
    middle = (np.arange(points - 2) + 0.5) / (points - 2)
    chosen = values[np.minimum(np.searchsorted(np.cumsum(weights), middle * total), len(values) - 1)]
    share = (total - weights[0] - weights[-1]) / (points - 2)
    merged = np.concatenate([values[:1], chosen, values[-1:]])
    parts = np.concatenate([weights[:1], np.full(points - 2, share), weights[-1:]])
    return _added(merged, parts)


def _added(values: npt.NDArray[Any], weights: Floats) -> tuple[npt.NDArray[Any], Floats]:
    unique, place = np.unique(values, return_inverse=True)
    return unique, np.bincount(place, weights=weights, minlength=len(unique)).astype(np.float64)


def merge_columns(sketches: Sequence[ColumnSketch]) -> ColumnSketch:
    kinds = {sketch.kind for sketch in sketches} - {""}
    rows, missing = sum(s.rows for s in sketches), sum(s.missing for s in sketches)
    if not kinds:
        return ColumnSketch("", rows, missing, np.empty(0), np.empty(0))
    filled = [sketch for sketch in sketches if sketch.kind]
    values = np.concatenate([sketch.values for sketch in filled])
    weights = np.concatenate([sketch.weights for sketch in filled])
    if kinds == {"text"}:
        levels, counts = _added(values.astype(str), weights)
        return _text(levels.astype(object), counts, rows, missing)
    kind = kinds.pop() if len(kinds) == 1 else "number"
    return ColumnSketch(kind, rows, missing, *compressed(*_added(values, weights), MERGED_POINTS))


def families_of_kinds(kind: str) -> str:
    """Kinds that may meet in one column: a whole number without a decimal point is a number."""
    return {"integer": "number", "boolean": "number"}.get(kind, kind)


def merge_partitions(parts: Sequence[dict[str, ColumnSketch]], names: Sequence[str]) -> dict[str, ColumnSketch]:
    """The sketch of a table from those of its partitions, which must have the same columns of the same kinds."""
    first = next((i for i, part in enumerate(parts) if part), 0)
    for part, name in zip(parts, names, strict=True):
        if list(part) == list(parts[first]):
            continue
        other = sorted(set(part) ^ set(parts[first]))
        what = f"column {other[0]!r} is in only one of them" if other else "their order differs"
        raise ValueError(f"{name} has different columns from partition {first}: {what}; use the same columns in all")
    for column in parts[first]:
        seen: dict[str, str] = {}
        for part, name in zip(parts, names, strict=True):
            if part[column].kind:
                seen.setdefault(families_of_kinds(part[column].kind), name)
        if len(seen) > 1:
            (one, here), (other_kind, there) = list(seen.items())[:2]
            raise ValueError(
                f"column {column!r} has values of type {one} in {here} and {other_kind} in {there}; convert it "
                f"to one type, or leave it out with ignore={column!r}"
            )
    return {column: merge_columns([part[column] for part in parts]) for column in parts[first]}


def quantile_column(sketch: ColumnSketch, rows: int) -> Any:
    """A column of `rows` cells with the distribution of the sketch: the same cells, where it is exact and as long."""
    import pandas as pd

    missing = round(rows * sketch.missing / sketch.rows)
    present = rows - missing
    if not sketch.kind or present == 0:
        return pd.Series([None] * rows, dtype=object)
    targets = (np.arange(present) + 0.5) / present * sketch.weights.sum()
    cells = sketch.values[np.minimum(np.searchsorted(np.cumsum(sketch.weights), targets), len(sketch.values) - 1)]
    if sketch.kind == "text":
        return pd.Series(list(cells) + [None] * missing, dtype=object)
    column = pd.Series(np.concatenate([cells, np.full(missing, np.nan)]))
    if sketch.kind == "time":
        return pd.to_datetime(column, unit="ns")
    if missing == 0 and sketch.kind in ("integer", "boolean"):
        return column.astype("int64" if sketch.kind == "integer" else "bool")
    return column


class Binning(NamedTuple):
    """How a column becomes one byte: the same bins on every worker, so that boosting gives the same trees on any."""

    categories: bool
    edges: npt.NDArray[Any]  # ascending cuts, or levels in the order of their codes

    def __call__(self, column: Any) -> npt.NDArray[np.uint8]:
        import pandas as pd

        if self.categories:
            texts = column.astype(object).map(str, na_action="ignore")
            codes = pd.Index(self.edges).get_indexer(texts)
            codes = np.where(codes < 0, BINS, codes)
            return np.where(column.isna().to_numpy(), MISSING, codes).astype(np.uint8)
        numbers = numbers_of(column, kind_of(column))
        codes = np.searchsorted(self.edges, numbers, side="right")
        return np.where(np.isnan(numbers), MISSING, codes).astype(np.uint8)


def binning_of(p: ColumnSketch, q: ColumnSketch) -> Binning:
    """At most 255 bins that hold about the same share of rows each, both tables counting equally."""
    if "text" in (p.kind, q.kind):
        both = merge_columns([p, q])
        return Binning(True, both.values[:BINS])
    tables = [table for table in (p, q) if table.kind]
    if not tables:
        return Binning(False, np.empty(0))
    values, weights = _added(
        np.concatenate([table.values for table in tables]),
        np.concatenate([table.weights / table.weights.sum() for table in tables]),
    )
    share = np.cumsum(weights) / weights.sum()
    upper = np.unique(np.searchsorted(share, np.arange(1, BINS + 1) / (BINS + 1) - 1e-12))
    if len(values) <= BINS + 1:
        upper = np.arange(len(values) - 1)
    upper = upper[upper + 1 < len(values)]
    # Between two values that were seen, so that the value itself is on the same side everywhere.
    return Binning(False, (values[upper] + values[upper + 1]) / 2)
