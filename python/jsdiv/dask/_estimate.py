"""The divergence between two tables that are spread over a cluster."""

from __future__ import annotations

import json
import math
import time
import uuid
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from dask.delayed import delayed

from .. import _core
from .._estimate import estimate as estimate_here
from .._estimate import marginal
from .._result import Result, tell
from .._tables import column_filter
from ._boost import Block, boosting_of, train_boosters
from ._cluster import client_of, gathered, workers_of
from ._partitions import EQUAL_ROWS, FOLDS, Partition, partitions_of, placed
from ._record import Facts, Learner, completed, peak_bytes
from ._scores import FoldStacks, SampleRows, ScoredRows, Task, fit_stacks, other_half_scores, prepare, score
from ._sketch import binning_of, merge_partitions, quantile_column, sketch_partition

FEWEST_ROWS = 1_000
PILOT_ROWS = 12_500  # of a table: its training parts have 10,000, as the pilot of one machine
GAIN_OF_NO_INTEREST = 0.002  # bits, as there
KEPT_ROWS = 1_000_000  # of a table, for what sums cannot tell
MARGINAL_ROWS = 20_000

# What estimate() takes of jsdiv.estimate's options.
OPTIONS = ("level", "seed", "threads", "columns", "ignore", "categorical", "numeric", "group", "exclude_families")


def estimate(
    P: Any,
    Q: Any,
    *,
    client: Any = None,
    families: Sequence[str] | str | None = None,
    sample_rows: int = 50_000,
    **options: Any,
) -> Result:
    """Estimate the divergence between two tables that are too large for one machine: ``jsdiv.estimate`` for Dask.

    Parameters
    ----------
    P, Q : Dask DataFrame, or path(s) of Parquet files
        Columns are matched by name. The tables are read three times; ``persist()`` frames that are slow to compute.
    client : distributed.Client
        Where to run; by default the current one.
    families : name or sequence of names
        Classifier families to stack; ``xgboost``, which is trained on all rows, is always included.
    sample_rows : int
        The other families are trained on at most this many rows of each table, in every worker.
    options
        ``level``, ``seed``, ``threads`` (of the driver), ``columns``, ``ignore``, ``categorical``, ``numeric``,
        ``group``, ``exclude_families``, as for ``jsdiv.estimate``.

    For the same rows in the same order, the result does not depend on the partitions, up to rounding. With the same
    partitions and the same number of workers it is identical to the last bit, even if workers die.
    """
    run = _Run(P, Q, client_of(client), families, sample_rows, options)
    result = run.result()
    tell(result.warnings, stacklevel=2)
    return result


class _Run:
    def __init__(self, p: Any, q: Any, client: Any, families: Any, sample_rows: int, options: dict[str, Any]) -> None:
        for name in options:
            if name not in OPTIONS:
                raise ValueError(f"jsdiv.dask.estimate has no option {name!r}; it takes {', '.join(OPTIONS)}")
        if "xgboost" in options.get("exclude_families", ()):
            raise ValueError("exclude_families contains 'xgboost', which learns from all rows and cannot be left out")
        if sample_rows < FEWEST_ROWS:
            raise ValueError(f"sample_rows is {sample_rows}; give at least {FEWEST_ROWS}")
        self.client = client
        self.options = options
        self.seed = int(options.get("seed", 0))
        self.group: str | None = options.get("group")
        self.sample_rows = sample_rows
        self.families = families
        self.started = time.perf_counter()
        self.cpu = self._cpu_seconds()
        self.stages: dict[str, dict[str, float]] = {}
        self.notes: list[tuple[str, str]] = []  # code and message of warnings
        (self.p, self.path_p), (self.q, self.path_q) = partitions_of(p, "P"), partitions_of(q, "Q")

    def _cpu_seconds(self) -> dict[Any, float]:
        return {"driver": time.process_time(), **self.client.run(time.process_time)}

    def _stage(self, name: str) -> None:
        before = sum(stage["seconds"] for stage in self.stages.values())
        own = self.stages[name]["seconds"] if name in self.stages else 0.0
        seconds = own + time.perf_counter() - self.started - before
        self.stages[name] = {"seconds": seconds, "peak_bytes": peak_bytes()}

    def result(self) -> Result:
        self._sketch()
        prepared = self._prepare(self.group)
        pilot, sample_rows = self._pilot()
        record = pilot.to_dict()
        if record["protocol"]["equal_rows_are_groups"]:
            self.group = EQUAL_ROWS
            prepared = self._prepare(EQUAL_ROWS)
        task, rounds = self._train(record, sample_rows)
        stacks, losses = self._stack()
        text = self._score(task, prepared, stacks, record["interval_reach"])
        learners = [
            Learner(name, sums, weight, loss)
            for name, sums, weight, loss in zip(
                task.learners,
                self.learner_sums,
                np.mean([fold.stack[1] for fold in stacks], axis=0).tolist(),
                losses,
                strict=True,
            )
        ]
        boosted = {**self.boosting.parameters, "rounds": rounds}
        text = completed(json.loads(text), record, learners, boosted, self._facts())
        no_rows = {name: np.empty(0) for name in ("seed", "in_p", "row", "posterior", "information_bits", "share_bits")}
        return Result(text, no_rows, _core.summary_of(text))

    def _facts(self) -> Facts:
        """What the record of the run says besides the numbers."""
        rows = min(MARGINAL_ROWS, self.rows_p), min(MARGINAL_ROWS, self.rows_q)
        tables = [
            {name: quantile_column(sketch[name], count) for name in self.binnings}
            for sketch, count in zip((self.sketch_p, self.sketch_q), rows, strict=True)
        ]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            baselines = marginal(*tables).to_dict()
        cpu = self._cpu_seconds()
        return Facts(
            paths=(self.path_p, self.path_q),
            rows=(self.rows_p, self.rows_q),
            sketches=(self.sketch_p, self.sketch_q),
            marginal=baselines,
            training_rows=self.training_rows,
            thinned=self.thinned,
            kept_rows=None if self.group is not None else KEPT_ROWS,
            notes=self.notes,
            options=self.options,
            seconds=time.perf_counter() - self.started,
            cpu_seconds=sum(seconds - self.cpu.get(name, 0.0) for name, seconds in cpu.items()),
            threads=sum(worker["nthreads"] for worker in workers_of(self.client).values()),
            stages=self.stages,
        )

    def _sketch(self) -> None:
        """One pass: rows and columns of every partition, merged."""
        tables = (self.p, self.q)
        futures = [
            self.client.compute([delayed(sketch_partition)(part.frame, part.name) for part in table])
            for table in tables
        ]
        sketches = [
            gathered(self.client, of_table, [part.name for part in table])
            for of_table, table in zip(futures, tables, strict=True)
        ]
        for name, table, parts in zip("PQ", tables, sketches, strict=True):
            rows = [next(iter(part.values())).rows if part else 0 for part in parts]
            if sum(rows) < FEWEST_ROWS:
                raise ValueError(f"{name} has {sum(rows)} rows; use jsdiv.estimate for so few")
            if 0 in rows:
                message = f"{rows.count(0)} of {len(rows)} partitions of {name} have no rows and were skipped"
                self.notes.append(("empty_partitions", message))
            merged = merge_partitions(parts, [part.name for part in table])
            if name == "P":
                self.p, self.sketch_p, self.rows_p = placed(self.p, rows), merged, sum(rows)
            else:
                self.q, self.sketch_q, self.rows_q = placed(self.q, rows), merged, sum(rows)
        self._check_columns()
        self._stage("sketch")

    def _check_columns(self) -> None:
        for name, sketch in (("P", self.sketch_p), ("Q", self.sketch_q)):
            if self.group is not None and self.group not in sketch:
                raise ValueError(f"{name} has no column {self.group!r}, which group= refers to")
        wanted = column_filter({**self.options, "group": None})
        both = [c for c in self.sketch_p if c in self.sketch_q and wanted(c) and c != self.group]
        both = [c for c in both if self.sketch_p[c].kind or self.sketch_q[c].kind]
        if not both:
            raise ValueError("P and Q have no column with values in common; columns are matched by name")
        for column in both:
            p, q = self.sketch_p[column].kind, self.sketch_q[column].kind
            if p and q and (p == "text") != (q == "text"):
                raise ValueError(
                    f"column {column!r} has values of type {p} in P and {q} in Q; convert it to one type, or leave it "
                    f"out with ignore={column!r}"
                )
        unmatched = sorted(c for c in set(self.sketch_p) ^ set(self.sketch_q) if wanted(c))
        if unmatched:
            names = ", ".join(map(repr, unmatched))
            self.notes.append(("unmatched_columns", f"columns that are in only one table are left out: {names}"))
        self.binnings = {c: binning_of(self.sketch_p[c], self.sketch_q[c]) for c in both}

    def _share(self, rows: int, of: int) -> float:
        return min(1.0, rows / of)

    def _prepare(self, group: str | None) -> list[tuple[Partition, Any]]:
        """The second pass: every row as bytes, which stay on the workers, and the sample."""
        prepared = []
        for table, rows in ((self.p, self.rows_p), (self.q, self.rows_q)):
            share = self._share(self.sample_rows, rows)
            for part in table:
                place = part._replace(frame=None)
                work = delayed(prepare)(part.frame, place, self.binnings, group, self.seed, share)
                prepared.append((part, self.client.compute(work)))
        names = [part.name for part, _ in prepared]
        samples = gathered(self.client, [self.client.submit(_sample_of, data) for _, data in prepared], names)
        counts = gathered(self.client, [self.client.submit(_counts_of, data) for _, data in prepared], names)
        self.sample = [
            _joined([sample for (part, _), sample in zip(prepared, samples, strict=True) if part.table == table])
            for table in "PQ"
        ]
        rows_of_parts = [self.client.submit(_rows_of, data) for _, data in prepared]
        self.blocks = [
            Block(rows, part.table == "P", count)
            for (part, _), rows, count in zip(prepared, rows_of_parts, counts, strict=True)
        ]
        self._stage("prepare")
        return [(part, rows) for (part, _), rows in zip(prepared, rows_of_parts, strict=True)]

    def _pilot(self) -> tuple[Result, float]:
        """jsdiv.estimate on a part of the sample: support, families, configurations. How many times as many rows the
        families need follows from what the last doubling gained, as on one machine."""
        rows = min(self.rows_p, self.rows_q)
        pilot_rows = PILOT_ROWS if rows > 2 * PILOT_ROWS else self.sample_rows
        p, q = (
            sample.below(self._share(pilot_rows, of)).frame
            for sample, of in zip(self.sample, (self.rows_p, self.rows_q), strict=True)
        )
        chosen = None if self.families is None else _with_xgboost(self.families)
        known = {name: value for name, value in self.options.items() if name not in ("columns", "ignore")}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            pilot = estimate_here(p, q, progress=False, families=chosen, **known)
        curve = pilot.learning_curve
        assert curve is not None and pilot.held_out is not None
        gain = curve[1].jsd - curve[0].jsd
        error = pilot.held_out.standard_error * math.sqrt(len(p) / max(rows, len(p)))
        wanted = pilot_rows * max(1.0, gain / max(error, GAIN_OF_NO_INTEREST))
        self._stage("pilot")
        return pilot, min(wanted, self.sample_rows)

    def _train(self, record: dict[str, Any], sample_rows: float) -> tuple[Task, int]:
        left_out = record["protocol"]["left_out_columns"]
        columns = [column["name"] for column in record["protocol"]["columns"] if column["name"] not in left_out]
        places = list(self.binnings)
        code_columns = [places.index(name) for name in columns]
        types = ["c" if self.binnings[name].categories else "q" for name in columns]
        configurations = {family["name"]: family["hyperparameters"] for family in record["families"]}
        self.boosting = boosting_of(configurations.get("xgboost", {}), code_columns, types, self.seed)
        boosters, rounds, _ = train_boosters(self.client, self.blocks, self.boosting)
        self._stage("xgboost")
        useful = {
            family["name"]: family["hyperparameters"]
            for family in record["families"]
            if family["weight"] and family["name"] != "xgboost"
        }
        sample = tuple(
            each.below(self._share(int(sample_rows), of))
            for each, of in zip(self.sample, (self.rows_p, self.rows_q), strict=True)
        )
        self.thinned = sample_rows < min(self.rows_p, self.rows_q)
        training = (FOLDS - 1) / FOLDS
        self.training_rows = int(training * min(len(rows.frame) for rows in sample))
        names = ("categorical", "numeric", "seed")
        task = Task(
            token=uuid.uuid4().hex,
            columns=columns,
            families=useful,
            sample=(sample[0], sample[1]),
            options={name: self.options[name] for name in names if name in self.options} | {"threads": 1},
            boosters=boosters,
            types=types,
            code_columns=code_columns,
            cap=math.log(max(2, self.training_rows)),
            cap_all=math.log(max(2.0, training * min(self.rows_p, self.rows_q))),
        )
        # A task of its own, and not scattered: what is scattered is lost with the workers that hold it.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.task = self.client.submit(_same, task, pure=False)
        return task, rounds

    def _stack(self) -> tuple[list[FoldStacks], list[float]]:
        futures = [self.client.submit(other_half_scores, self.task, fold, pure=False) for fold in range(FOLDS)]
        scores = gathered(self.client, futures, [f"the sample's families, fold {fold}" for fold in range(FOLDS)])
        fitted = [fit_stacks(each) for each in scores]
        losses = np.mean([loss for _, loss in fitted], axis=0).tolist()
        self._stage("sample families")
        return [stacks for stacks, _ in fitted], losses

    def _score(self, task: Task, prepared: Any, stacks: Sequence[FoldStacks], reach: float | None) -> str:
        """The third pass: every row by models that have not seen it."""
        futures = []
        for part, data in prepared:
            rows = self.rows_p if part.table == "P" else self.rows_q
            share = 1.0 if self.group is not None else self._share(KEPT_ROWS, rows)
            work = delayed(score)(part.frame, data, part.table == "P", self.task, stacks, share)
            futures.append(self.client.compute(work))
        scored: list[ScoredRows] = gathered(self.client, futures, [part.name for part, _ in prepared])
        in_p = np.array([part.table == "P" for part, _ in prepared])
        all_sums = np.stack([rows.sums for rows in scored])
        sums = [np.ascontiguousarray(np.stack([all_sums[in_p, i].sum(0), all_sums[~in_p, i].sum(0)])) for i in range(3)]
        learners = np.stack([rows.learner_sums for rows in scored])
        self.learner_sums = [
            np.ascontiguousarray(np.stack([learners[in_p, j].sum(0), learners[~in_p, j].sum(0)]))
            for j in range(learners.shape[1])
        ]
        log_odds = np.concatenate([rows.log_odds for rows in scored], axis=1).astype(np.float64)
        labels = np.concatenate(
            [np.full(rows.log_odds.shape[1], side, dtype=np.uint8) for rows, side in zip(scored, in_p, strict=True)]
        )
        groups = np.concatenate([rows.group for rows in scored])
        text = _core.scored_result(
            np.ascontiguousarray(log_odds[0]),
            np.ascontiguousarray(log_odds[1]),
            np.ascontiguousarray(log_odds[2]),
            labels,
            np.concatenate([rows.fold for rows in scored]),
            np.unique(groups, return_inverse=True)[1].astype(np.uint32),
            [] if self.group is not None else sums,
            self.training_rows,
            len(task.columns),
            float(self.options.get("level", 0.95)),
            self.seed,
            reach,
        )
        self._stage("score")
        return text


def _same(task: Task) -> Task:
    return task


def _rows_of(prepared: Any) -> Any:
    return prepared[0]


def _sample_of(prepared: Any) -> Any:
    return prepared[1]


def _counts_of(prepared: Any) -> Any:
    return prepared[2]


def _joined(samples: Sequence[SampleRows]) -> SampleRows:
    import pandas as pd

    frames = pd.concat([sample.frame for sample in samples], ignore_index=True)
    return SampleRows(frames, *(np.concatenate(columns) for columns in list(zip(*samples, strict=True))[1:]))


def _with_xgboost(families: Sequence[str] | str) -> list[str]:
    names = [families] if isinstance(families, str) else list(families)
    return names if "xgboost" in names or "all" in names else [*names, "xgboost"]
