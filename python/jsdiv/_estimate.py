"""The functions that measure."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Sequence
from typing import Any, Unpack

import numpy as np
import numpy.typing as npt

from . import _core
from ._families import split_families
from ._options import EstimateOptions, MarginalOptions, ScoreOptions
from ._progress import Progress, reporting
from ._record import Record
from ._result import MarginalResult, Result, tell
from ._signatures import documented
from ._tables import sources, three_sources

Families = str | Any | Sequence[str | Any] | None


def run_estimate(p: Any, q: Any, posteriors: Any, families: Any, progress: Progress, options: dict[str, Any]) -> Result:
    names, adapters = split_families(families)
    arguments = dict(options) if names is None else {**options, "families": names}
    source_p, source_q = sources(p, q, arguments)
    if posteriors is not None:
        values: npt.NDArray[np.float64] = np.ascontiguousarray(posteriors, dtype=np.float64)
        if values.ndim != 1:
            raise ValueError(f"posteriors has {values.ndim} dimensions; give one number for each row of P, then of Q")
        return Result(*_core.estimate_posteriors(source_p, source_q, values, arguments))
    with reporting(progress) as report:
        return Result(*_core.estimate(source_p, source_q, arguments, adapters, report))


@documented("estimate")
def estimate(
    P: Any,
    Q: Any,
    *,
    families: Families = None,
    posteriors: npt.ArrayLike | None = None,
    progress: Progress = None,
    **options: Unpack[EstimateOptions],
) -> Result:
    """Estimate the divergence between the distributions of two tables, with its uncertainty.

    Parameters
    ----------
    P, Q : array, data frame, Arrow data, mapping of columns, open file, or path
        Columns are matched by name, or by position if they have no names. The number of rows may differ.
    families : name, classifier, or a sequence of these
        Classifier families, or "all". Any object with scikit-learn's ``fit`` and ``predict_proba`` can be a family;
        pass ``("name", classifier)`` to name it.
    posteriors : array
        Measure your own classifier instead of training any: D(x), the probability of P, for each row of P, then of Q.
    progress : bool or function
        Whether to show a tqdm progress bar (None: on a terminal or in a notebook, if tqdm is installed), or a function
        that is called with the fraction of work done and the current step.
    """
    result = run_estimate(P, Q, posteriors, families, progress, dict(options))
    tell(result.warnings, stacklevel=2)
    return result


@documented("estimate")
def self_check(
    P: Any,
    Q: Any,
    *,
    refits: int | None = None,
    refits_folder: str | os.PathLike[str] | None = None,
    families: Families = None,
    progress: Progress = None,
    **options: Unpack[EstimateOptions],
) -> Result:
    """Estimate the divergence, and check the estimator on the same rows where the answer is known.

    For each refit, the rows are re-split into P and Q with known probabilities and the divergence is estimated again.
    ``result.self_check`` has the known and the estimated divergences, bias and coverage.

    Parameters
    ----------
    P, Q : array, data frame, Arrow data, mapping of columns, or path
        As for ``estimate``.
    refits : int
        Number of re-splits to estimate; each takes about as long as the estimate itself.
    refits_folder : path
        Store each refit in this directory, so that an interrupted self-check can resume.
    families, progress
        As for ``estimate``.
    """
    names, adapters = split_families(families)
    arguments = dict(options) if names is None else {**options, "families": names}
    source_p, source_q = sources(P, Q, arguments)
    folder = "" if refits_folder is None else os.fspath(refits_folder)
    with reporting(progress) as report:
        result = Result(*_core.self_check(source_p, source_q, arguments, adapters, refits, folder, report))
    tell(result.warnings, stacklevel=2)
    return result


@documented("estimate")
def divergence(
    P: Any, Q: Any, *, families: Families = None, progress: Progress = None, **options: Unpack[EstimateOptions]
) -> float:
    """The Jensen-Shannon divergence between two tables in bits, as a plain number: ``estimate(P, Q).jsd``."""
    result = run_estimate(P, Q, None, families, progress, dict(options))
    tell(result.warnings, stacklevel=2)
    return result.jsd


@documented("estimate")
def jensenshannon(
    P: Any,
    Q: Any,
    base: float | None = 2,
    *,
    families: Families = None,
    progress: Progress = None,
    **options: Unpack[EstimateOptions],
) -> float:
    """The Jensen-Shannon distance between two tables: the square root of the divergence.

    Like ``scipy.spatial.distance.jensenshannon``, but for the distributions behind two samples, and with base 2 by
    default where scipy uses e (``base=None`` means e in both).
    """
    if base is not None and not (base > 0 and base != 1):
        raise ValueError(f"base is {base}; a logarithm has a positive base other than 1")
    result = run_estimate(P, Q, None, families, progress, dict(options))
    tell(result.warnings, stacklevel=2)
    return math.sqrt(result.jsd * math.log(2) / math.log(math.e if base is None else base))


@documented("score")
def score(
    P: Any,
    Q: Any,
    X: Any,
    *,
    families: Families = None,
    progress: Progress = None,
    **options: Unpack[ScoreOptions],
) -> npt.NDArray[np.float64]:
    """D(x), the probability of P at equal priors, for each row of a third table (near 1: like P, near 0: like Q).

    One family is trained on all rows of P and Q. If X is P or Q itself, each row is scored by a model that was not
    trained on it. ``JSDEstimator`` keeps such a model.

    Parameters
    ----------
    P, Q, X : array, data frame, Arrow data, mapping of columns, open file, or path
        As for ``estimate``.
    families : name or classifier         The family to train.
    progress
        As for ``estimate``.
    """
    names, adapters = split_families(families)
    arguments = dict(options) if names is None else {**options, "families": names}
    tables = three_sources(P, Q, X, arguments)
    with reporting(progress) as report:
        posteriors, notes = _core.score(*tables, arguments, adapters, report)
    tell(map(Record, json.loads(notes)), stacklevel=2)
    return posteriors


@documented("marginal")
def marginal(P: Any, Q: Any, **options: Unpack[MarginalOptions]) -> MarginalResult:
    """The Syndat and Synthcity baselines, per column and on average. They ignore dependence between columns."""
    source_p, source_q = sources(P, Q, dict(options))
    result = MarginalResult(*_core.marginal(source_p, source_q, dict(options)))
    tell(result.warnings, stacklevel=2)
    return result
