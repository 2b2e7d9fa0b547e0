"""Tables in partitions, and what decides about a row wherever it is."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

FOLDS = 5
EQUAL_ROWS = "\0equal rows"  # in place of a column of groups: rows with the same cells are a group
Words = npt.NDArray[np.uint64]


class Partition(NamedTuple):
    """Where the rows of a partition come from and where they stand in their table."""

    table: str
    number: int
    frame: Any  # dask.delayed.Delayed of a pandas frame
    start: int = 0

    @property
    def name(self) -> str:
        return f"{self.table}, partition {self.number}"


def partitions_of(data: Any, which: str) -> tuple[list[Partition], str]:
    """The partitions of a Dask frame or of Parquet files, and the path if there is one."""
    import dask.dataframe as dd

    path = ""
    if isinstance(data, str) or (isinstance(data, (list, tuple)) and all(isinstance(each, str) for each in data)):
        path = data if isinstance(data, str) else ", ".join(data)
        try:
            data = dd.read_parquet(data)
        except Exception as error:
            raise ValueError(f"{which}: cannot read '{path}' as Parquet: {error}") from error
    if not isinstance(data, dd.DataFrame):
        raise ValueError(
            f"{which} is a {type(data).__name__}; give a Dask DataFrame or the path of Parquet files, or use "
            "jsdiv.estimate, which takes tables that fit in memory"
        )
    frame: Any = data
    return [Partition(which, i, part) for i, part in enumerate(frame.to_delayed())], path


def placed(partitions: Sequence[Partition], rows: Sequence[int]) -> list[Partition]:
    """The partitions with rows, each with the position of its first row."""
    result, start = [], 0
    for partition, count in zip(partitions, rows, strict=True):
        if count:
            result.append(partition._replace(start=start))
        start += count
    return result


def _mixed(words: Words, stream: str, seed: int) -> Words:
    """SplitMix64 (Steele, Lea & Flood, OOPSLA 2014) of each word, another function for each stream and seed."""
    salt = int.from_bytes(hashlib.blake2b(f"{seed} {stream}".encode(), digest_size=8).digest(), "little")
    z = words + np.uint64(salt)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


class RowKeys(NamedTuple):
    """What is decided about each row of a partition: by its position, or by its group, and by nothing else."""

    fold: npt.NDArray[np.uint32]
    half: npt.NDArray[np.uint8]
    draw: npt.NDArray[np.float64]  # uniform in [0, 1): a sample holds the rows below its share
    draw_scored: npt.NDArray[np.float32]  # the same for another sample
    group: Words  # empty without groups


def row_keys(frame: Any, partition: Partition, group: str | None, seed: int) -> RowKeys:
    if group is None:
        first = np.uint64(partition.start) + (np.uint64(1) << np.uint64(63) if partition.table == "Q" else np.uint64(0))
        words = first + np.arange(len(frame), dtype=np.uint64)
        groups = words[:0]
    else:
        words = groups = _group_words(frame if group == EQUAL_ROWS else frame[[group]])

    def uniform(stream: str) -> npt.NDArray[np.float64]:
        return (_mixed(words, stream, seed) >> np.uint64(11)).astype(np.float64) * 2.0**-53

    return RowKeys(
        (_mixed(words, "fold", seed) % np.uint64(FOLDS)).astype(np.uint32),
        (_mixed(words, "half", seed) & np.uint64(1)).astype(np.uint8),
        uniform("sample"),
        uniform("scored").astype(np.float32),
        groups,
    )


def _group_words(columns: Any) -> Words:
    """The same number for the same cells in any partition, whether its numbers are stored as integers or not."""
    import pandas as pd

    def plain(column: Any) -> Any:
        return column.astype("float64") if pd.api.types.is_numeric_dtype(column.dtype) else column.astype(str)

    words: Words = pd.util.hash_pandas_object(columns.apply(plain), index=False).to_numpy()
    return words
