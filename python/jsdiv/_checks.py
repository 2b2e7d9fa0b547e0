"""Divergences in tests and in searches: an assertion, and a scorer for scikit-learn."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Literal, Unpack

from ._estimate import Families, divergence, run_estimate
from ._explain import ExplainResult, explain
from ._options import EstimateOptions
from ._progress import Progress
from ._result import Result, ResultWarning, tell
from ._signatures import documented

On = Literal["low", "estimate", "content"]

_BLAMED_SHARE = 0.1
_MOST_BLAMED = 5


@documented("estimate")
def assert_close(
    real: Any,
    synthetic: Any,
    *,
    below: float = 0.05,
    on: On = "low",
    families: Families = None,
    progress: Progress = False,
    **options: Unpack[EstimateOptions],
) -> Result:
    """Raise an ``AssertionError`` that names the responsible columns if two tables are too far apart.

    Parameters
    ----------
    real, synthetic : array, data frame, Arrow data, mapping of columns, open file, or path
        As for ``estimate``.
    below : float
        The largest accepted divergence, in bits.
    on : "low", "estimate" or "content"
        What to compare with it: the lower end of the interval, so that a test rarely fails by chance; the estimate; or
        the lower end of the interval for the content, with number formats made equal.
    families, progress
        As for ``estimate``.

    Returns
    -------
    Result
        The estimate, if it passes.
    """
    __tracebackhide__ = True  # pytest shows the line of the test
    if on not in ("low", "estimate", "content"):
        raise ValueError(f"on is {on!r}; choose from 'low', 'estimate', 'content'")
    if options.get("protocol") == "paper":
        raise ValueError("assert_close() works only with the recommended estimator; leave protocol at 'auto'")
    result = run_estimate(real, synthetic, None, families, progress, dict(options))
    value, name, rung = _reading(result, on)
    if value <= below:
        tell(result.warnings, stacklevel=2)
        return result
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResultWarning)
        explanation = explain(real, synthetic, rung=rung, families=families, progress=progress, **options)
    raise AssertionError(f"{name} is {value:.4f}, above {below:g}\n{_estimate_line(result)}\n{_blame(explanation)}")


def _reading(result: Result, on: On) -> tuple[float, str, Any]:
    """The number to judge by, what it is, and the rung of the ladder that it belongs to."""
    ladder = result.to_dict()["ladder"]
    rung = ladder[-1] if on == "content" else ladder[0]
    if on == "estimate":
        return result.jsd, "the divergence between the tables", rung["rung"]
    of_what = "the divergence of the content" if on == "content" else "the divergence between the tables"
    return rung["confidence_interval"]["low"], f"the lower end of the interval for {of_what}", rung["rung"]


def _estimate_line(result: Result) -> str:
    interval = result.confidence_interval()
    ends = "" if interval is None else f", interval {interval.low:.4f} to {interval.high:.4f}"
    return f"divergence {result.jsd:.4f}{ends}"


def _blame(explanation: ExplainResult) -> str:
    columns = explanation.columns
    least = _BLAMED_SHARE * columns[0].share.value
    lines = [f"columns responsible for the {explanation.held_out:.4f} bits found on held-out rows:"]
    for column in columns[:_MOST_BLAMED]:
        if column.share.value < least:
            break
        how = f" ({column.how[0].message})" if column.how else ""
        lines.append(f"  {column.name}: {column.share.value:.4f} bits{how}")
    broken = [pair for pair in explanation.pairs[:_MOST_BLAMED] if pair.evident]
    if broken:
        lines.append("pairs whose dependence differs:")
    lines += [f"  {' with '.join(pair.columns)}: {pair.beyond_columns.value:.4f} bits" for pair in broken]
    return "\n".join(lines)


class Scorer:
    """Scores a generative model by how close its samples are to the given rows; created by :func:`scorer`."""

    def __init__(self, options: Mapping[str, Any]) -> None:
        self._options = dict(options)

    def __call__(self, estimator: Any, X: Any, y: Any = None) -> float:
        sample = estimator.sample(len(X))
        if isinstance(sample, tuple):
            sample = sample[0]  # scikit-learn's mixtures give the component of each row as well
        return 0.0 - divergence(X, sample, **self._options)  # never -0.0

    def __repr__(self) -> str:
        return f"scorer({', '.join(f'{name}={value!r}' for name, value in self._options.items())})"


@documented("estimate")
def scorer(*, families: Families = None, progress: Progress = False, **options: Unpack[EstimateOptions]) -> Scorer:
    """A scorer for scikit-learn's searches and cross-validation over generative models.

    ``cross_val_score(GaussianMixture(3), X, scoring=jsdiv.scorer())`` draws as many rows from the fitted model as there
    are rows to score, using its method ``sample(n)``, and returns the negative divergence between the two, so that
    greater is better.

    Parameters
    ----------
    families, progress
        As for ``estimate``.
    """
    return Scorer({**options, "families": families, "progress": progress})
