"""What a worker does: it trains the families of the sample, once, and scores the rows of its partitions."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from .._tables import every_column, named_table
from ._boost import PARTS, BinnedRows, margins
from ._partitions import EQUAL_ROWS, FOLDS, Partition, row_keys
from ._sketch import Binning

Floats = npt.NDArray[np.float64]


class SampleRows(NamedTuple):
    """The sampled rows of one table, with what is decided about each."""

    frame: Any
    fold: npt.NDArray[np.uint32]
    half: npt.NDArray[np.uint8]
    draw: Floats  # see RowKeys
    codes: npt.NDArray[np.uint8]

    def below(self, share: float) -> SampleRows:
        """The smaller sample of that share of the table."""
        chosen = self.draw < share
        rows: list[Any] = [values[chosen] for values in self]
        return SampleRows(*rows)


@dataclass(frozen=True)
class Task:
    """All that a worker needs besides its rows."""

    token: str
    columns: list[str]  # that the families see
    families: dict[str, dict[str, Any]]  # trained on the sample: name and configuration
    sample: tuple[SampleRows, SampleRows]  # of P and Q
    options: dict[str, Any]
    boosters: list[list[bytes]]  # [fold][part]
    types: list[str]  # of the boosters' columns
    code_columns: list[int]
    cap: float  # of |log-odds|: of families trained on the sample
    cap_all: float  # of models that saw all rows

    @property
    def learners(self) -> list[str]:
        return [*self.families, "xgboost"]


class FoldStacks(NamedTuple):
    """Intercept and weights of a fold's stack, and of each learner by itself."""

    stack: tuple[float, list[float]]
    alone: list[tuple[float, float]]


_models: dict[tuple[str, int], list[list[_core.Classifier]]] = {}
_training = threading.Lock()


def _models_of(task: Task, fold: int) -> list[list[_core.Classifier]]:
    """The sample's classifiers [part][family] of a fold. They stay in the process that trained them: they are made
    again, to the same bits, wherever they are missing, so that a worker may die at any time."""
    with _training:
        for key in [key for key in _models if key[0] != task.token]:
            del _models[key]
        if (task.token, fold) not in _models:
            _models[task.token, fold] = [_train(task, fold, half) for half in PARTS]
        return _models[task.token, fold]


def _train(task: Task, fold: int, half: int | None) -> list[_core.Classifier]:
    frames = []
    for rows in task.sample:
        chosen = rows.fold != fold
        if half is not None:
            chosen &= rows.half == half
        frames.append(rows.frame.loc[chosen, task.columns])
    p, q = (named_table(frame, name, every_column) for frame, name in zip(frames, "PQ", strict=True))
    return [_core.Classifier(p, q, name, config, task.options, [], False) for name, config in task.families.items()]


def _log_odds(task: Task, fold: int, part: int, frame: Any, codes: npt.NDArray[np.uint8]) -> Floats:
    """[rows, learners] of rows that the models of this fold and part have not seen."""
    columns = []
    if task.families:
        table = named_table(frame[task.columns], "the rows to score", every_column)
        for classifier in _models_of(task, fold)[part]:
            posterior = np.clip(classifier.posteriors(table.copy()), 1e-15, 1 - 1e-15)
            columns.append(np.clip(np.log(posterior / (1 - posterior)), -task.cap, task.cap))
    boosted = margins(task.boosters[fold][part], codes[:, task.code_columns], task.types)
    columns.append(np.clip(boosted, -task.cap_all, task.cap_all))
    return np.asfortranarray(np.column_stack(columns))


class HalfScores(NamedTuple):
    log_odds: Floats  # [rows, learners]
    in_p: npt.NDArray[np.uint8]


def other_half_scores(task: Task, fold: int) -> HalfScores:
    """The sampled rows of a fold's training part, each by the models of the half that it is not in."""
    scores, labels = [], []
    for half in (1, 0):
        for rows, label in zip(task.sample, (1, 0), strict=True):
            chosen = (rows.fold != fold) & (rows.half == half)
            scores.append(_log_odds(task, fold, 1 - half, rows.frame.loc[chosen], rows.codes[chosen]))
            labels.append(np.full(int(chosen.sum()), label, dtype=np.uint8))
    return HalfScores(np.asfortranarray(np.concatenate(scores)), np.concatenate(labels))


def fit_stacks(scores: HalfScores) -> tuple[FoldStacks, list[float]]:
    """The stacks of a fold, and each learner's loss in nats."""
    intercept, weights = _core.stack_weights(scores.log_odds, scores.in_p)
    alone, losses = [], []
    for j in range(scores.log_odds.shape[1]):
        column = np.asfortranarray(scores.log_odds[:, j : j + 1])
        start, slopes = _core.stack_weights(column, scores.in_p)
        alone.append((start, slopes[0]))
        signed = np.where(scores.in_p == 1, 1, -1) * (start + slopes[0] * column[:, 0])
        nats = np.logaddexp(0, -signed)
        losses.append(float((nats[scores.in_p == 1].mean() + nats[scores.in_p == 0].mean()) / 2))
    return FoldStacks((intercept, weights), alone), losses


def term_sums(log_odds: Floats, in_p: bool) -> Floats:
    """Rows, sum and squares of what each row tells in bits, and the same if it were of the other table."""
    signed = log_odds if in_p else -log_odds
    own = 1 - np.logaddexp(0, -signed) / math.log(2)
    swapped = 1 - np.logaddexp(0, signed) / math.log(2)
    return np.array([len(signed), own.sum(), own @ own, swapped.sum(), swapped @ swapped])


class ScoredRows(NamedTuple):
    sums: Floats  # [3, 5]: of the whole fit and of either half
    learner_sums: Floats  # [learners, 5]
    log_odds: npt.NDArray[np.float32]  # [3, rows that are kept]
    fold: npt.NDArray[np.uint32]
    group: npt.NDArray[np.uint64]


def prepare(
    frame: Any, partition: Partition, binnings: dict[str, Binning], group: str | None, seed: int, share: float
) -> tuple[BinnedRows, SampleRows, Any]:
    """The rows in bytes, the sampled rows, and the number of rows by fold and half."""
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    keys = row_keys(frame[list(binnings)] if group == EQUAL_ROWS else frame, partition, group, seed)
    codes = np.empty((len(frame), len(binnings)), dtype=np.uint8, order="F")
    for j, (name, binning) in enumerate(binnings.items()):
        codes[:, j] = binning(frame[name])
    chosen = keys.draw < share
    sampled = frame.loc[chosen, list(binnings) if group in (None, EQUAL_ROWS) else [*binnings, group]]
    sample = SampleRows(sampled, keys.fold[chosen], keys.half[chosen], keys.draw[chosen], codes[chosen])
    counts = np.zeros((FOLDS, 2), dtype=np.int64)
    np.add.at(counts, (keys.fold, keys.half), 1)
    return BinnedRows(codes, keys.fold, keys.half, keys.draw_scored, keys.group), sample, counts


def score(
    frame: Any, rows: BinnedRows, in_p: bool, task: Task, stacks: Sequence[FoldStacks], kept_share: float
) -> ScoredRows:
    """Every row of a partition, by the models that have not seen it."""
    frame = frame.set_axis([str(name) for name in frame.columns], axis=1)
    stacked = np.empty((3, len(frame)))
    alone = np.empty((len(task.learners), len(frame)))
    for fold in range(FOLDS):
        chosen = rows.fold == fold
        if not chosen.any():
            continue
        intercept, weights = stacks[fold].stack
        for part, place in ((2, 0), (0, 1), (1, 2)):
            log_odds = _log_odds(task, fold, part, frame.loc[chosen], rows.codes[chosen])
            stacked[place, chosen] = np.clip(intercept + log_odds @ np.asarray(weights), -task.cap_all, task.cap_all)
            if part == 2:
                for j, (start, slope) in enumerate(stacks[fold].alone):
                    alone[j, chosen] = np.clip(start + slope * log_odds[:, j], -task.cap_all, task.cap_all)
    kept = rows.draw_scored < kept_share
    return ScoredRows(
        np.stack([term_sums(values, in_p) for values in stacked]),
        np.stack([term_sums(values, in_p) for values in alone]),
        stacked[:, kept].astype(np.float32),
        rows.fold[kept],
        rows.group[kept] if len(rows.group) else rows.group,
    )
