"""Estimate the Jensen-Shannon divergence between two tables.

The divergence between the joint distributions of two samples is one number between 0 (same distribution) and 1
(disjoint), with its uncertainty.

>>> import jsdiv
>>> pair = jsdiv.simulate("dependence", rho=0.9, n=1000)
>>> result = jsdiv.estimate(pair.p, pair.q)
>>> result.jsd, result.confidence_interval(0.95), result.pvalue      # doctest: +SKIP
"""

from typing import TYPE_CHECKING

from ._checks import Scorer, assert_close, scorer
from ._compare import CompareResult, compare
from ._core import VERSION as __version__
from ._estimate import divergence, estimate, jensenshannon, marginal, score, self_check
from ._explain import ExplainResult, explain
from ._guide import GuideResult, guide
from ._record import Record
from ._reference import ReferenceResult, reference
from ._result import ConfidenceInterval, MarginalResult, Result, ResultWarning
from ._simulate import Simulation, scenarios, simulate
from ._verify import Verification, verify

if TYPE_CHECKING:
    from . import compat
    from ._estimator import JSDEstimator

__all__ = [
    "CompareResult",
    "ConfidenceInterval",
    "ExplainResult",
    "GuideResult",
    "JSDEstimator",
    "MarginalResult",
    "Record",
    "ReferenceResult",
    "Result",
    "ResultWarning",
    "Scorer",
    "Simulation",
    "Verification",
    "__version__",
    "assert_close",
    "compare",
    "compat",
    "divergence",
    "estimate",
    "explain",
    "guide",
    "jensenshannon",
    "marginal",
    "reference",
    "scenarios",
    "score",
    "scorer",
    "self_check",
    "simulate",
    "verify",
]


def __getattr__(name: str) -> object:
    # scikit-learn takes longer to import than everything else together, so it waits until it is asked for.
    if name == "JSDEstimator":
        from ._estimator import JSDEstimator

        return JSDEstimator
    if name == "compat":
        import importlib

        return importlib.import_module(".compat", __name__)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
