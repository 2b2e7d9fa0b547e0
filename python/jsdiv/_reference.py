"""The divergence between distributions with known densities."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

LogDensity = Callable[[Any], npt.ArrayLike]
Sampler = Callable[[int], Any] | npt.ArrayLike


@dataclass(frozen=True)
class ReferenceResult:
    """A Monte Carlo estimate from known densities."""

    jsd: float
    standard_error: float
    rows_p: int
    rows_q: int

    @property
    def distance(self) -> float:
        return math.sqrt(max(0.0, self.jsd))


def reference(
    sample_p: Sampler, sample_q: Sampler, logpdf_p: LogDensity, logpdf_q: LogDensity, *, n: int = 100_000
) -> ReferenceResult:
    """The Jensen-Shannon divergence, in bits, between two distributions with known densities, by Monte Carlo.

    Parameters
    ----------
    sample_p, sample_q : function or array
        Draws from each distribution: a function that takes the number of draws (such as ``rvs`` of a frozen scipy
        distribution), or an array of draws.
    logpdf_p, logpdf_q : function
        The natural logarithm of each density at an array of draws; minus infinity outside the support.
    n : int
        Number of draws to request from a function.

    Every draw x contributes 1 - H(D(x)) bits, where D(x) = p(x) / (p(x) + q(x)). The contributions lie in [0, 1], so
    the standard error can be trusted.
    """
    rows_p = sample_p(n) if callable(sample_p) else np.asarray(sample_p)
    rows_q = sample_q(n) if callable(sample_q) else np.asarray(sample_q)
    ratios_p = _log_ratios(rows_p, logpdf_p, logpdf_q, "P", own=logpdf_p)
    ratios_q = _log_ratios(rows_q, logpdf_p, logpdf_q, "Q", own=logpdf_q)
    jsd, standard_error = _core.reference(ratios_p, ratios_q)
    return ReferenceResult(jsd, standard_error, len(ratios_p), len(ratios_q))


def _log_ratios(
    rows: Any, logpdf_p: LogDensity, logpdf_q: LogDensity, which: str, own: LogDensity
) -> npt.NDArray[np.float64]:
    densities = []
    for density in (logpdf_p, logpdf_q):
        values = np.asarray(density(rows), dtype=np.float64)
        if values.shape != (len(rows),):
            raise ValueError(
                f"a density returned an array of shape {values.shape} for {len(rows)} draws of {which}; expected one "
                "number per draw"
            )
        if np.isnan(values).any() or np.isposinf(values).any():
            raise ValueError(f"a density returned NaN or infinity at draws of {which}")
        if density is own and np.isneginf(values).any():
            raise ValueError(f"the density of {which} is 0 at some of its own draws; check that they belong together")
        densities.append(values)
    if len(rows) < 2:
        raise ValueError(f"{which} has {len(rows)} draws; a standard error needs at least two")
    return np.ascontiguousarray(densities[0] - densities[1])
