"""The interface of the PyPI package ``jensenshannondivergence`` 0.1, so that its users switch by one import::

    from jsdiv.compat import estimate_jensen_shannon          # was: from jensenshannondivergence import …

Signatures, return values and error messages are those of that package; the number comes from jsdiv's protocol
``paper`` with one family and one seed. What differs:

- Tables may have different sizes, missing values, texts and dates. (The package asks for equal sizes and numbers.)
- ``m`` and ``l`` count rows of the larger table, and rows may be left over. (There ``m + 2 l`` must be all rows.)
- Rows are shuffled by ``seed`` before they are split. (There the first ``m`` train, whatever their order.)
- An estimate below 0 is reported as 0 with a :class:`jsdiv.ResultWarning`. (There it is clamped in silence;
  ``result.evaluator.result.raw`` keeps it here.)
- Nothing is written unless ``results_root`` is given, and then JSON. (There pickles go into the installation.)
- ``epochs`` and ``save_plots`` have no effect: the network stops early by itself, ``Result.plot`` draws.
- The baselines need no other package.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from . import __version__ as __version__
from . import _core
from ._estimate import run_estimate
from ._result import Result, tell
from ._tables import array_if_unnamed

__all__ = ["JSDEstimator", "JSDEstimatorResult", "estimate_jensen_shannon", "supported_discriminators"]

_FAMILIES = {
    "MLP": "mlp",
    "RF": "rf",
    "XGBoost": "xgboost",
    "LogReg": "logreg",
    "LogRegPol": "lr-pol",
    "TabPFN": "tabpfn",
}


class _Scalar(float):
    """A number that answers like a tensor with one element."""

    def detach(self) -> _Scalar:
        return self

    def cpu(self) -> _Scalar:
        return self

    def item(self) -> float:
        return float(self)


@dataclass(frozen=True)
class Evaluator:
    """What the package calls an evaluator: the numbers of one run. ``result`` is jsdiv's own."""

    result: Result
    n: Any
    m: int
    l: int  # noqa: E741
    seed: int
    discriminator_type: str
    syndat_js: float | None
    synthcity_js: float | None

    @property
    def disc_js(self) -> _Scalar:
        return _Scalar(self.result.jsd)

    @property
    def computation_time(self) -> float:
        return float(self.result.runtime.seconds)


@dataclass(frozen=True)
class JSDEstimatorResult:
    evaluator: Evaluator
    experiment: str
    seed: int
    results_path: Path


def supported_discriminators() -> Sequence[str]:
    return tuple(_FAMILIES)


def normalize_discriminator_type(discriminator_type: str) -> str:
    if discriminator_type not in _FAMILIES:
        valid = ", ".join(supported_discriminators())
        raise ValueError(f"Unknown discriminator type: {discriminator_type!r}. Use one of: {valid}.")
    return discriminator_type


class JSDEstimator:
    def __init__(
        self,
        *,
        discriminator_type: str = "MLP",
        results_root: str | Path | None = None,
        n_iter: int | None = None,
        verbose: bool = True,
        ratio_correction_mode: str = "on",
        ratio_correction_threshold: float = 0.1,
        include_optional_baselines: bool = False,
        save_plots: bool = False,
    ) -> None:
        self.discriminator_type = normalize_discriminator_type(discriminator_type)
        self.results_root = None if results_root is None else Path(results_root)
        self.n_iter = n_iter
        self.verbose = verbose
        self.ratio_correction_mode = ratio_correction_mode
        self.ratio_correction_threshold = ratio_correction_threshold
        self.include_optional_baselines = include_optional_baselines
        self.save_plots = save_plots

    def run(
        self,
        *,
        experiment: str | None = None,
        n: Any = None,
        m: int | None = None,
        l: int | None = None,  # noqa: E741
        seed: int = 0,
        data_path: str | None = None,
        model: str | None = None,
        gap_magnitude: float | None = None,
        n_iter: int | None = None,
        x_p: Any = None,
        x_q: Any = None,
        dist_p: Any = None,
        dist_q: Any = None,
        discriminator_type: str | None = None,
        epochs: int = 10_000,
        include_optional_baselines: bool | None = None,
        save_plots: bool | None = None,
    ) -> JSDEstimatorResult:
        result = self._run(
            experiment, n, m, l, seed, model, n_iter, x_p, x_q, discriminator_type, include_optional_baselines
        )
        tell(result.evaluator.result.warnings, stacklevel=2)
        return result

    def _run(
        self,
        experiment: str | None,
        n: Any,
        m: int | None,
        l: int | None,  # noqa: E741
        seed: int,
        model: str | None,
        n_iter: int | None,
        x_p: Any,
        x_q: Any,
        discriminator_type: str | None,
        include_optional_baselines: bool | None,
    ) -> JSDEstimatorResult:
        if x_p is None or x_q is None:
            raise ValueError("run() requires passing both 'x_p' and 'x_q'.")
        active = normalize_discriminator_type(discriminator_type or self.discriminator_type)
        if self.ratio_correction_mode not in ("auto", "on", "off"):
            raise ValueError(
                f"Invalid ratio_correction_mode={self.ratio_correction_mode}. Use one of {{'auto', 'on', 'off'}}."
            )
        if self.ratio_correction_threshold < 0:
            raise ValueError("ratio_correction_threshold must be >= 0.")
        p, q = _two_dimensional(x_p, "x_p"), _two_dimensional(x_q, "x_q")
        if p.shape[1] != q.shape[1]:
            raise ValueError(f"x_p and x_q must have the same number of features; got {p.shape[1]} and {q.shape[1]}.")
        larger = max(p.shape[0], q.shape[0])
        if m is None or l is None:
            l = larger // 4  # noqa: E741
            m = larger - 2 * l
            if self.verbose:
                print(f"Adjusted m,l to fit custom data: m={m}, l={l}")
        elif m + 2 * l > larger:
            raise ValueError(f"Provided m,l do not match data length (expected m+2l={larger}); received m={m}, l={l}.")
        family = _FAMILIES[active]
        searches = n_iter if n_iter is not None else self.n_iter
        options: dict[str, Any] = {
            "protocol": "paper",
            "seeds": 1,
            "seed": seed,
            "train": m,
            "eval": l,
            "iterations": dict(_core.families())[family] if searches is None else searches,
            "correction": self.ratio_correction_mode,
            "threshold": self.ratio_correction_threshold,
        }
        result = run_estimate(p, q, None, family, self.verbose and None, options)
        baselines = (
            self.include_optional_baselines if include_optional_baselines is None else include_optional_baselines
        )
        marginal = result.marginal if baselines else None
        name = experiment or "custom_data"
        root = Path(tempfile.gettempdir()) if self.results_root is None else self.results_root
        path = root if self.results_root is None else root / f"results_{active}" / name / (model or "")
        if self.results_root is not None:
            path.mkdir(parents=True, exist_ok=True)
            (path / f"JS_{active}_training_results.json").write_text(result.to_json(), encoding="utf-8")
        evaluator = Evaluator(
            result=result,
            n=n,
            m=m,
            l=l,
            seed=seed,
            discriminator_type=active,
            syndat_js=None if marginal is None else marginal.syndat,
            synthcity_js=None if marginal is None else marginal.synthcity,
        )
        return JSDEstimatorResult(evaluator=evaluator, experiment=name, seed=seed, results_path=path)


def _two_dimensional(data: Any, name: str) -> Any:
    """A frame as it is; anything else as an array with two dimensions."""
    if hasattr(data, "columns"):
        return data
    try:
        array = array_if_unnamed(data, name)
    except ValueError:
        array = None
    if getattr(array, "ndim", 0) != 2:
        raise ValueError(f"{name} must be a 2D array-like object with shape (n_samples, n_features).")
    return array


def estimate_jensen_shannon(
    x_p: Any,
    x_q: Any,
    *,
    discriminator_type: str = "MLP",
    m: int | None = None,
    l: int | None = None,  # noqa: E741
    n_iter: int | None = None,
    seed: int = 0,
    epochs: int = 10_000,
    results_root: str | Path | None = None,
    ratio_correction_mode: str = "on",
    ratio_correction_threshold: float = 0.1,
    include_optional_baselines: bool = False,
    save_plots: bool = False,
    verbose: bool = True,
    return_result: bool = False,
) -> float | JSDEstimatorResult:
    """Estimate Jensen-Shannon divergence between two tabular samples."""
    estimator = JSDEstimator(
        discriminator_type=discriminator_type,
        results_root=results_root,
        n_iter=n_iter,
        verbose=verbose,
        ratio_correction_mode=ratio_correction_mode,
        ratio_correction_threshold=ratio_correction_threshold,
        include_optional_baselines=include_optional_baselines,
        save_plots=save_plots,
    )
    result = estimator._run(None, None, m, l, seed, None, None, x_p, x_q, None, None)
    tell(result.evaluator.result.warnings, stacklevel=2)
    return result if return_result else float(result.evaluator.disc_js)
