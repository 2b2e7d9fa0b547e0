"""The estimator with scikit-learn's conventions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

from . import _core
from ._families import split_families
from ._result import Result, tell
from ._tables import is_path, is_sparse, table_of

if TYPE_CHECKING:

    class _Base:
        def get_params(self, deep: bool = True) -> dict[str, Any]: ...
        def set_params(self, **params: Any) -> Self: ...

else:
    try:
        from sklearn.base import BaseEstimator, ClassifierMixin

        class _Base(ClassifierMixin, BaseEstimator):
            pass

    except ImportError:

        class _Base:
            """The part of scikit-learn's base class that users rely on, for when it is not installed."""

            def get_params(self, deep=True):
                names = [name for name in inspect.signature(type(self).__init__).parameters if name != "self"]
                return {name: getattr(self, name) for name in names}

            def set_params(self, **params):
                known = self.get_params()
                for name, value in params.items():
                    if name not in known:
                        raise ValueError(f"invalid parameter {name!r}; valid parameters are {', '.join(known)}")
                    setattr(self, name, value)
                return self


_DEFAULTS: dict[str, Any] = {
    option["name"]: option["default"] for option in _core.option_table("estimate") if option["name"] != "families"
}


def _with_options(init: Callable[..., None]) -> Callable[..., None]:
    """Names the options of an estimate in the signature, where scikit-learn looks for parameters."""
    kind = inspect.Parameter.KEYWORD_ONLY
    own = [p for p in inspect.signature(init).parameters.values() if p.kind is not inspect.Parameter.VAR_KEYWORD]
    options = [inspect.Parameter(name, kind, default=default) for name, default in _DEFAULTS.items()]
    init.__signature__ = inspect.Signature(own + options)  # type: ignore[attr-defined]
    return init


class JSDEstimator(_Base):
    """The divergence between two tables and a classifier that separates them, following scikit-learn's conventions.

    ``fit(P, Q)`` takes two tables; ``fit(X, y)`` takes one table and binary labels, where rows with the second label in
    sorted order are P. ``predict_proba(X)`` then gives the probability of each class for new rows at equal priors, from
    the family with the lowest loss on held-out rows, trained on all rows with the configuration that the estimate
    chose.

    The parameters are those of :func:`jsdiv.estimate`.

    Attributes
    ----------
    result_ : Result
        The full result of the estimate; ``jsd_`` is the divergence.
    family_ : str
        The family behind ``predict_proba``.
    classes_ : array of two
        The labels; 0 (Q) and 1 (P) if there were none.

    A pickle contains the training rows. The classifier is retrained, with the same result, when it is first used.
    """

    _names: list[str]

    @_with_options
    def __init__(self, families: Any = None, **options: Any) -> None:
        unknown = set(options) - set(_DEFAULTS)
        if unknown:
            raise TypeError(f"JSDEstimator() has no option {sorted(unknown)[0]!r}")
        self.families = families
        for name, default in _DEFAULTS.items():
            setattr(self, name, options.get(name, default))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()  # type: ignore[misc]
        tags.classifier_tags.multi_class = False
        tags.input_tags.allow_nan = tags.input_tags.string = True
        return tags

    def fit(self, X: Any, y: Any) -> Self:
        """Estimate the divergence between P and Q, given as two tables (X is P, y is Q) or as one table with labels."""
        self._forget()
        p, q, self.classes_ = self._two_tables(X, y, fitting=True)
        options = {name: getattr(self, name) for name, default in _DEFAULTS.items() if getattr(self, name) != default}
        self.result_: Result = run_estimate_of_tables(p, q, self.families, options)
        self.jsd_ = self.result_.jsd
        tell(self.result_.warnings, stacklevel=2)
        best = min(self.result_.families, key=lambda family: family.validation_log_loss)
        self.family_: str = best.name
        self._training = (p, q, best.name, dict(best.hyperparameters), options, self.families)
        self._classifier = self._train()
        return self

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """The probability of each of ``classes_`` for each row, at equal priors: [rows, 2]."""
        posterior = self._posteriors(X)
        return np.column_stack([1 - posterior, posterior])

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """The more probable of ``classes_`` for each row."""
        in_p = self._posteriors(X) > 0.5
        labels: npt.NDArray[Any] = self.classes_[in_p.astype(int)]
        return labels

    def score(self, X: Any, y: Any) -> float:
        """The divergence, in bits, that the fitted classifier finds between P and Q, given as for ``fit``. On new rows
        this is a held-out value: one minus the class-balanced log-loss, which in expectation does not exceed the true
        divergence."""
        p, q, _ = self._two_tables(X, y, fitting=False)
        classifier = self._fitted()
        posteriors = np.concatenate([classifier.posteriors(p.copy()), classifier.posteriors(q.copy())])
        return Result(*_core.estimate_posteriors(p, q, posteriors, {"correction": "off"})).raw

    def _posteriors(self, X: Any) -> npt.NDArray[np.float64]:
        classifier = self._fitted()
        return classifier.posteriors(table_of(self._checked(X, fitting=False), "X", self._names))

    def _forget(self) -> None:
        for name in ("classes_", "result_", "jsd_", "family_", "_names", "_training", "_classifier"):
            vars(self).pop(name, None)

    def _fitted(self) -> _core.Classifier:
        if not hasattr(self, "_training"):
            try:
                from sklearn.exceptions import NotFittedError
            except ImportError:
                NotFittedError = AttributeError
            raise NotFittedError("this JSDEstimator is not fitted yet; call fit(P, Q) first")
        if not hasattr(self, "_classifier"):
            self._classifier = self._train()
        return self._classifier

    def _train(self) -> _core.Classifier:
        p, q, family, config, options, families = self._training
        _, adapters = split_families(families)
        return _core.Classifier(p, q, family, config, options, adapters)

    def _two_tables(self, X: Any, y: Any, fitting: bool) -> tuple[_core.Table, _core.Table, npt.NDArray[Any]]:
        X = self._checked(X, fitting)
        if y is None:
            raise ValueError("this estimator requires y to be passed, but the target y is None: give Q, or labels")
        labels = _labels(X, y)
        names = None if fitting else self._names
        table = table_of(X, "P" if labels is None else "X", names)
        if fitting:
            self._names = table.names
        if labels is None:
            return table, table_of(y, "Q", self._names), np.array([0, 1])
        if len(labels) != table.rows:
            raise ValueError(f"X has {table.rows} rows and y has {len(labels)} labels; every row needs one label")
        classes = _two_classes(labels) if fitting else self.classes_
        in_p = labels == classes[1]
        return table.select(np.flatnonzero(in_p)), table.select(np.flatnonzero(~in_p)), classes

    def _checked(self, X: Any, fitting: bool) -> Any:
        """scikit-learn's own checks of shape, names and kind, where it is installed."""
        if is_path(X) or (isinstance(X, dict) and not is_sparse(X)):
            return X
        try:
            from sklearn.utils.validation import validate_data
        except ImportError:
            return X
        if hasattr(X, "iloc") or hasattr(X, "__arrow_c_stream__") or getattr(getattr(X, "dtype", None), "names", None):
            validate_data(self, X, reset=fitting, skip_check_array=True)
            return X
        return validate_data(self, X, reset=fitting, dtype=None, ensure_all_finite="allow-nan")

    def __getstate__(self) -> dict[str, Any]:
        parent = getattr(super(), "__getstate__", None)
        state: dict[str, Any] = dict(parent() if parent is not None else vars(self))
        state.pop("_classifier", None)
        return state


def run_estimate_of_tables(p: _core.Table, q: _core.Table, families: Any, options: dict[str, Any]) -> Result:
    names, adapters = split_families(families)
    arguments = dict(options) if names is None else {**options, "families": names}
    return Result(*_core.estimate(p.copy(), q.copy(), arguments, adapters, None))


def _labels(X: Any, y: Any) -> npt.NDArray[Any] | None:
    """The labels, or None if `y` is a table of its own: it has two dimensions, or names."""
    if is_path(y) or isinstance(y, dict):
        return None
    if hasattr(y, "columns") or hasattr(y, "column_names"):
        return None
    array = np.asarray(y)
    if array.dtype.names is not None:
        return None
    shape = np.shape(X)
    is_column_of_labels = array.ndim == 2 and array.shape[1] == 1 and len(shape) == 2 and shape[1] > 1
    if array.ndim == 2 and not is_column_of_labels:
        return None
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError("y contains NaN; every row needs a label")
    if array.dtype.kind == "f" and np.isinf(array).any():
        raise ValueError("y contains inf; labels must be finite")
    try:
        from sklearn.utils.multiclass import check_classification_targets
        from sklearn.utils.validation import column_or_1d
    except ImportError:
        return array.reshape(-1)
    labels: npt.NDArray[Any] = column_or_1d(y, warn=True)
    check_classification_targets(labels)
    return labels


def _two_classes(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        classes: npt.NDArray[Any] = np.unique(labels)
    except TypeError:
        raise ValueError("y mixes labels that cannot be compared, such as None and text") from None
    if len(classes) != 2:
        raise ValueError(
            f"y has {len(classes)} class{'' if len(classes) == 1 else 'es'}. Only binary classification is supported: "
            "rows of P and rows of Q"
        )
    return classes
