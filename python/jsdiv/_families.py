"""Classifiers of the user's own, as families of the library."""

from __future__ import annotations

import copy
import inspect
import math
import re
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core

FloatArray = npt.NDArray[np.float64]


class Fitted:
    """A classifier that was fitted on some of the rows."""

    def __init__(self, classifier: Any, column: int, prior_log_odds: float) -> None:
        self._classifier = classifier
        self._column = column
        self.prior_log_odds = prior_log_odds

    def predict(self, x: FloatArray) -> FloatArray:
        """The probability of P for each row."""
        probabilities = np.asarray(self._classifier.predict_proba(x), dtype=np.float64)
        if probabilities.ndim != 2 or probabilities.shape[0] != len(x) or probabilities.shape[1] <= self._column:
            raise ValueError(
                f"predict_proba returned an array of shape {probabilities.shape} for {len(x)} rows and two classes"
            )
        posterior = np.ascontiguousarray(probabilities[:, self._column])
        if np.isnan(posterior).any():
            raise ValueError(f"predict_proba returned NaN for {int(np.isnan(posterior).sum())} of {len(x)} rows")
        if posterior.min(initial=0) < 0 or posterior.max(initial=0) > 1:
            raise ValueError("predict_proba returned values outside [0, 1]")
        return posterior


class Adapter:
    """What the library calls: ``fit`` on rows of encoded features, 1 for rows of P and 0 for rows of Q."""

    def __init__(self, name: str, classifier: Any) -> None:
        for method in ("fit", "predict_proba"):
            if not callable(getattr(classifier, method, None)):
                raise TypeError(f"the family {name!r} has no method {method}(); it needs both fit and predict_proba")
        if isinstance(classifier, type):
            raise TypeError(f"the family {name!r} is a class; give an instance, for example {name}()")
        self.name = name
        # In one line, and without the address in memory that some objects show.
        self.description = re.sub(r" at 0x[0-9a-f]+", "", " ".join(repr(classifier).split()))
        self._classifier = classifier

    def fit(self, x: FloatArray, y: npt.NDArray[np.int64], weights: FloatArray | None, seed: int) -> Fitted:
        classifier = _seeded(_unfitted(self._classifier), seed)
        if weights is None:
            classifier.fit(x, y)
        elif _takes_weights(classifier):
            classifier.fit(x, y, sample_weight=weights)
        else:
            raise ValueError("its fit() does not accept sample_weight, which weighted rows need")
        classes = list(getattr(classifier, "classes_", (0, 1)))
        if 1 not in classes:
            raise ValueError(f"after fit() its classes_ are {classes}; they must contain 1, the label of P")
        return Fitted(classifier, classes.index(1), _prior_log_odds(classifier, y, weights))


def _unfitted(classifier: Any) -> Any:
    """A copy of its own for each fit, which may run beside others."""
    if hasattr(classifier, "get_params"):
        try:
            from sklearn.base import clone
        except ImportError:
            pass
        else:
            return clone(classifier)
    return copy.deepcopy(classifier)


def _parameters(classifier: Any) -> dict[str, Any]:
    return dict(classifier.get_params()) if hasattr(classifier, "get_params") else {}


def _seeded(classifier: Any, seed: int) -> Any:
    """Gives a seed to what has none, so that a result can be had again."""
    unset = {
        name: seed % 2**31
        for name, value in _parameters(classifier).items()
        if value is None and (name == "random_state" or name.endswith("__random_state"))
    }
    if unset:
        classifier.set_params(**unset)
    return classifier


def _takes_weights(classifier: Any) -> bool:
    parameters = inspect.signature(classifier.fit).parameters
    return "sample_weight" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _prior_log_odds(classifier: Any, y: npt.NDArray[np.int64], weights: FloatArray | None) -> float:
    """log(weight of P / weight of Q) as the loss saw it: class weights change the prior that a posterior is under."""
    row_weights = np.ones(len(y)) if weights is None else weights
    prior = math.log(row_weights[y == 1].sum() / row_weights[y == 0].sum())
    for name, value in _parameters(classifier).items():
        option = name.rpartition("__")[2]
        if option == "class_weight" and isinstance(value, str) and value.startswith("balanced"):
            return 0.0
        if option == "class_weight" and isinstance(value, dict):
            return prior + math.log(value.get(1, 1) / value.get(0, 1))
        if option == "scale_pos_weight" and value is not None:
            return prior + math.log(value)
    return prior


def split_families(families: Any) -> tuple[list[str] | None, list[Adapter]]:
    """Names for the library, and adapters of those that it does not know.

    `families` is None, a name, a classifier, or a sequence of names, classifiers and (name, classifier).
    """
    if families is None:
        return None, []
    # Ensembles of scikit-learn are iterable, over what they hold once they are fitted.
    if isinstance(families, str) or hasattr(families, "fit") or not isinstance(families, Iterable):
        families = [families]
    taken = {name for name, _ in _core.families()} | {"all"}
    names: list[str] = []
    adapters: list[Adapter] = []
    for item in families:
        if isinstance(item, str):
            names.append(item)
            continue
        name, classifier = item if isinstance(item, tuple) and len(item) == 2 else (type(item).__name__, item)
        if isinstance(classifier, type):
            name = classifier.__name__
        name = _free_name(str(name), taken)
        adapters.append(Adapter(name, classifier))
        names.append(name)
    return names, adapters


def _free_name(name: str, taken: set[str]) -> str:
    candidate, number = name, 1
    while candidate in taken:
        number += 1
        candidate = f"{name}-{number}"
    taken.add(candidate)
    return candidate
