"""The JSON of a run over a cluster: what all rows say, and from the pilot what only a sample can."""

from __future__ import annotations

import json
import resource
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from .. import _core
from ._sketch import ColumnSketch

LARGE_STEP = 0.03  # bits beyond what was found; more is worth a warning, as on one machine


class Learner(NamedTuple):
    name: str
    sums: npt.NDArray[np.float64]  # of its own terms over all rows: P, Q
    weight: float
    loss: float


class Facts(NamedTuple):
    paths: tuple[str, str]
    rows: tuple[int, int]
    sketches: tuple[dict[str, ColumnSketch], dict[str, ColumnSketch]]
    marginal: dict[str, Any]
    training_rows: int  # of the smaller table's sample
    thinned: bool  # the sample is a part of the tables
    kept_rows: int | None
    notes: Sequence[tuple[str, str]]
    options: Mapping[str, Any]
    seconds: float
    cpu_seconds: float
    threads: int
    stages: dict[str, dict[str, float]]


def peak_bytes() -> int:
    """The most memory that the driver has held."""
    return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def completed(
    result: dict[str, Any],
    pilot: dict[str, Any],
    learners: Sequence[Learner],
    boosted: Mapping[str, Any],
    facts: Facts,
) -> str:
    """The whole result as text, from the part that follows from scores and the pilot's."""
    result["families"] = _families(pilot, learners, boosted)
    values = [family["jsd"] for family in result["families"]]
    if len(values) > 1:
        low, high = min(values), max(values)
        result["disagreement"] = {"min": low, "max": high, "ratio": high / low if low > 0 else None}
    result["marginal"] = facts.marginal
    result["support"] = {
        "mismatches": [_exact_shares(mismatch, facts.sketches) for mismatch in pilot["support"]["mismatches"]],
        "harmonised_jsd": pilot["support"]["harmonised_jsd"],
        "date_parts": pilot["support"]["date_parts"],
    }
    result["ladder"] += pilot["ladder"][1:]
    for name in ("mmd2", "energy", "sliced_wasserstein", "distance_rows"):
        result["divergences"][name] = pilot["divergences"][name]
    result["protocol"] = _protocol(pilot["protocol"], facts)
    told = {"few_rows", "needs_more_rows", "broken_stack", "above_one", "estimators_disagree", "disjoint_supports"}
    result["warnings"] += [warning for warning in pilot["warnings"] if warning["code"] not in told]
    result["warnings"] += [{"code": code, "message": message} for code, message in facts.notes]
    added = result["jsd"] - result["held_out"]["jsd"]
    if added > LARGE_STEP:
        message = (
            f"the classifiers are still learning: the estimate is {added:.3f} above what they found on held-out rows"
        )
        result["warnings"].append({"code": "needs_more_rows", "message": message})
    if result["held_out"]["jsd"] < 0 and result["standard_error"] >= 1:
        message = "on held-out rows the classifiers do worse than guessing: what they learnt does not carry over"
        result["warnings"].append({"code": "broken_stack", "message": message})
    result["runtime"] = {
        "seconds": facts.seconds,
        "cpu_seconds": max(0.0, facts.cpu_seconds),
        "threads": facts.threads,
        "peak_bytes": peak_bytes(),
        "time_budget": None,
        "stages": facts.stages,
    }
    return json.dumps(result, indent=2) + "\n"


def _families(pilot: dict[str, Any], learners: Sequence[Learner], boosted: Mapping[str, Any]) -> list[dict[str, Any]]:
    """In the pilot's order. A family without weight there was not trained again: its numbers are the pilot's."""
    own = {learner.name: learner for learner in learners}
    families = []
    for family in pilot["families"]:
        entry = {**family, "weight": 0.0}
        learner = own.get(family["name"])
        if learner is not None:
            raw, error = _core.divergence_of_sums(learner.sums)
            entry |= {
                "jsd": min(1.0, max(0.0, raw)),
                "raw": raw,
                "standard_error": error,
                "weight": learner.weight,
                "validation_log_loss": learner.loss,
                "auc": None,
                "fitted_on": "whole",
            }
            if family["name"] == "xgboost":
                chosen = {**family["hyperparameters"], "subsample": 1.0}
                entry["hyperparameters"] = chosen | {k: v for k, v in boosted.items() if k in (*chosen, "rounds")}
        families.append(entry)
    return families


def _exact_shares(mismatch: dict[str, Any], sketches: tuple[dict[str, ColumnSketch], ...]) -> dict[str, Any]:
    """The pilot's finding with the shares that counts of all rows give, where they do."""
    column = mismatch["column"]
    if column is None or any(column not in sketch for sketch in sketches):
        return mismatch
    p, q = (sketch[column] for sketch in sketches)
    if mismatch["kind"] == "missing":
        return mismatch | {"share_p": p.missing / p.rows, "share_q": q.missing / q.rows}
    if mismatch["kind"] == "one_sided_categories" and "text" in (p.kind, q.kind):
        return mismatch | {"share_p": _share_outside(p, q), "share_q": _share_outside(q, p)}
    return mismatch


def _share_outside(table: ColumnSketch, other: ColumnSketch) -> float:
    known = set(other.values.tolist())
    return float(sum(w for v, w in zip(table.values, table.weights, strict=True) if v not in known) / table.rows)


def _protocol(pilot: dict[str, Any], facts: Facts) -> dict[str, Any]:
    from importlib.metadata import version

    import xgboost

    sampled = f"{pilot['inputs'][0]['rows']} and {pilot['inputs'][1]['rows']}"
    notes = [
        {
            "code": "dask",
            "message": "jsdiv.dask: xgboost learns from all rows, other families from "
            f"{facts.training_rows} rows of the smaller table in each training part. support.mismatches, "
            "harmonised_jsd, the lower rungs of the ladder, mmd2, energy, sliced_wasserstein and families with "
            f"weight 0 come from a pilot on {sampled} rows",
        }
    ]
    if facts.kept_rows is not None and max(facts.rows) > facts.kept_rows:
        message = f"bounds, p-value, posteriors and other divergences come from about {facts.kept_rows} rows per table"
        notes.append({"code": "dask", "message": message})
    inputs = zip(facts.paths, facts.rows, strict=True)
    named = {name: facts.options[name] for name in ("columns", "ignore") if name in facts.options}
    return pilot | {
        "split": "cross-fit over 5 folds, assigned by a hash of each row's position or group; halves likewise",
        "inputs": [{"path": path, "sha256": "", "rows": rows} for path, rows in inputs],
        "options": pilot["options"] | named,
        "training_rows": facts.training_rows if facts.thinned else None,
        "notes": pilot["notes"] + notes,
        "versions": pilot["versions"] | {"dask": version("dask"), "xgboost.dask": xgboost.__version__},
    }
