"""XGBoost on all rows, by xgboost.dask."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from ._cluster import resilient
from ._partitions import FOLDS
from ._sketch import MISSING

MOST_ROUNDS = 1_000
# Boosting ends where so many rounds lower the loss on the other half by less than this, in nats: every round costs the
# workers a search for splits and an exchange, however few the rows.
PATIENCE = 20
LEAST_GAIN = 1e-4
# Workers wait so long for one that has died before they give up, and the fold is trained again.
STALL_SECONDS = 60

# The two halves of a fold's training part, and the whole of it.
PARTS = (0, 1, None)


class Block(NamedTuple):
    """A partition as boosting sees it; `counts` are its rows by fold and half."""

    data: Any  # future of BinnedRows
    in_p: bool
    counts: Any  # [FOLDS, 2]


class BinnedRows(NamedTuple):
    """A partition in bytes, with what is decided about its rows (see RowKeys)."""

    codes: Any  # uint8 [rows, columns]
    fold: Any
    half: Any
    draw_scored: Any
    group: Any


def rows_of(data: BinnedRows, fold: int, half: int | None) -> Any:
    """The rows of a training part: those that are not in the fold, of one half or of both."""
    chosen = data.fold != fold
    return chosen if half is None else chosen & (data.half == half)


def part_codes(data: BinnedRows, fold: int, half: int | None, columns: Sequence[int]) -> Any:
    return np.ascontiguousarray(data.codes[rows_of(data, fold, half)][:, list(columns)])


def part_rows(counts: Any, fold: int, half: int | None) -> int:
    others = np.delete(counts, fold, axis=0)
    return int(others.sum() if half is None else others[:, half].sum())


class Boosting(NamedTuple):
    """What determines the fits but the rows."""

    parameters: dict[str, Any]
    columns: list[int]  # of the codes
    types: list[str]  # "q" or "c" for each of them


def boosting_of(pilot: dict[str, Any], columns: list[int], types: list[str], seed: int) -> Boosting:
    """The configuration that the pilot chose. Rows are not subsampled: which worker holds a row must not matter."""
    names = ("alpha", "colsample_bytree", "eta", "lambda", "max_depth", "min_child_weight")
    chosen = {name: pilot[name] for name in names if name in pilot}
    # The library rounds the number of sampled columns down: of two columns, every share below 1 would leave one.
    share = round(chosen.get("colsample_bytree", 1.0) * len(columns))
    chosen["colsample_bytree"] = max(1, share) / len(columns)
    return Boosting(
        {
            "objective": "binary:logistic",
            "eval_metric": "logloss",
            "tree_method": "hist",
            "max_bin": 256,
            "base_score": 0.5,
            "seed": seed % 2**31,
            "verbosity": 0,
            **chosen,
        },
        columns,
        types,
    )


def _matrix(client: Any, blocks: Sequence[Block], boosting: Boosting, fold: int, half: int | None, like: Any) -> Any:
    import dask.array
    from dask.delayed import delayed
    from xgboost import dask as boost

    da: Any = dask.array

    rows_of_block = [part_rows(block.counts, fold, half) for block in blocks]
    total = {
        side: sum(n for n, b in zip(rows_of_block, blocks, strict=True) if b.in_p is side) for side in (True, False)
    }
    codes, labels, weights = [], [], []
    for block, rows in zip(blocks, rows_of_block, strict=True):
        if rows == 0:
            continue
        chosen = delayed(part_codes)(block.data, fold, half, boosting.columns)
        codes.append(da.from_delayed(chosen, (rows, len(boosting.columns)), np.uint8))
        labels.append(da.full(rows, float(block.in_p), chunks=rows, dtype=np.float32))
        # Both tables count equally, and a row 1 on average.
        weights.append(da.full(rows, sum(total.values()) / (2 * total[block.in_p]), chunks=rows, dtype=np.float32))
    keywords = {} if like is None else {"ref": like}
    return boost.DaskQuantileDMatrix(
        client,
        da.concatenate(codes),
        da.concatenate(labels),
        weight=da.concatenate(weights),
        missing=MISSING,
        feature_types=boosting.types,
        enable_categorical=True,
        max_bin=256,
        **keywords,
    )


def _train_fold(client: Any, blocks: Sequence[Block], boosting: Boosting, fold: int) -> tuple[list[bytes], int, float]:
    import xgboost
    from xgboost import dask as boost

    train = partial(
        boost.train,
        client,
        boosting.parameters,
        coll_cfg=xgboost.collective.Config(timeout=STALL_SECONDS, tracker_timeout=STALL_SECONDS),
        verbose_eval=False,
    )
    first = _matrix(client, blocks, boosting, fold, 0, None)
    second = _matrix(client, blocks, boosting, fold, 1, first)
    chosen = train(
        first,
        num_boost_round=MOST_ROUNDS,
        evals=[(second, "other")],
        callbacks=[xgboost.callback.EarlyStopping(rounds=PATIENCE, min_delta=LEAST_GAIN)],
    )
    rounds = int(chosen["booster"].best_iteration) + 1
    loss = float(chosen["history"]["other"]["logloss"][rounds - 1])
    models = [bytes(chosen["booster"][:rounds].save_raw())]
    del first, second
    for half in PARTS[1:]:
        matrix = _matrix(client, blocks, boosting, fold, half, None)
        trained = train(matrix, num_boost_round=rounds)
        models.append(bytes(trained["booster"].save_raw()))
    return models, rounds, loss


def train_boosters(client: Any, blocks: Sequence[Block], boosting: Boosting) -> tuple[list[list[bytes]], int, float]:
    """Models [fold][part], the rounds of the first fold, and the mean loss of the first half's model on the other."""
    import xgboost

    folds = []
    with xgboost.config_context(verbosity=0):
        for fold in range(FOLDS):
            work = partial(_train_fold, client, blocks, boosting, fold)
            folds.append(resilient(client, work, f"xgboost, fold {fold}"))
    return [models for models, _, _ in folds], folds[0][1], float(np.mean([loss for _, _, loss in folds]))


def margins(model: bytes, codes: Any, types: Sequence[str]) -> Any:
    """Log-odds of P at equal priors."""
    import xgboost

    booster = xgboost.Booster({"nthread": 1})
    booster.load_model(bytearray(model))
    matrix = xgboost.DMatrix(codes, missing=MISSING, feature_types=list(types), enable_categorical=True, nthread=1)
    return booster.predict(matrix, output_margin=True).astype(np.float64)
