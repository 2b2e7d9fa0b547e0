"""Classifiers of the user's own."""

import numpy as np
import pytest
from conftest import without_runtime

import jsdiv


class Quadratic:
    """A classifier without scikit-learn: least squares on the columns and their products."""

    def __init__(self, fail=None, answer=None):
        self.fail = fail
        self.answer = answer

    def features(self, x):
        pairs = [x[:, i] * x[:, j] for i in range(x.shape[1]) for j in range(i, x.shape[1])]
        return np.column_stack([np.ones(len(x)), x, *pairs])

    def fit(self, x, y):
        if self.fail == "fit":
            raise RuntimeError("no luck")
        self.weights = np.linalg.lstsq(self.features(x), y, rcond=None)[0]
        self.classes_ = np.array([0, 1])
        return self

    def predict_proba(self, x):
        if self.fail == "predict":
            raise RuntimeError("no luck either")
        posterior = np.clip(self.features(x) @ self.weights, 0.01, 0.99)
        answer = np.column_stack([1 - posterior, posterior])
        return answer if self.answer is None else self.answer(answer)


def test_any_classifier_can_be_a_family(pair):
    result = jsdiv.estimate(pair.p, pair.q, families=[Quadratic()])
    assert [family.name for family in result.families] == ["Quadratic"]
    assert abs(result.jsd - pair.truth.oracle) < 0.1
    assert result.families[0].weight > 0
    assert result.pvalue < 0.05
    assert "Quadratic" in result.families[0].hyperparameters.classifier


def test_it_joins_the_stack(pair):
    result = jsdiv.estimate(pair.p, pair.q, families=["logreg", ("mine", Quadratic()), Quadratic()])
    assert [family.name for family in result.families] == ["logreg", "mine", "Quadratic"]
    twins = jsdiv.estimate(pair.p, pair.q, families=[("rf", Quadratic()), ("rf", Quadratic())])
    assert [family.name for family in twins.families] == ["rf-2", "rf-3"]
    left = jsdiv.estimate(pair.p, pair.q, families=["logreg", Quadratic()], exclude_families="Quadratic")
    assert [family.name for family in left.families] == ["logreg"]


def test_it_runs_under_the_paper_protocol_and_is_calibrated(pair):
    result = jsdiv.estimate(pair.p, pair.q, protocol="paper", families=[Quadratic()], seeds=2)
    family = result.families[0]
    assert family.calibration == "sigmoid" and len(family.seeds) == 2
    assert result.protocol.corrected  # 400 and 300 rows


def test_threads_do_not_show(pair):
    one = jsdiv.estimate(pair.p, pair.q, families=[Quadratic()], threads=1)
    many = jsdiv.estimate(pair.p, pair.q, families=[Quadratic()], threads=4)
    assert without_runtime(one) == without_runtime(many)


@pytest.mark.parametrize(
    ("classifier", "says", "cause"),
    [
        (Quadratic(fail="fit"), "the family 'Quadratic' failed to fit: RuntimeError: no luck", RuntimeError),
        (Quadratic(fail="predict"), "the family 'Quadratic' failed to predict: RuntimeError: no luck", RuntimeError),
        (Quadratic(answer=lambda a: a * np.nan), "'Quadratic' failed to predict: .* returned NaN for", ValueError),
        (Quadratic(answer=lambda a: a[:, 0]), "predict_proba returned an array of shape", ValueError),
        (Quadratic(answer=lambda a: a[:3]), "predict_proba returned an array of shape \\(3, 2\\)", ValueError),
        (Quadratic(answer=lambda a: a + 1), "values outside \\[0, 1\\]", ValueError),
    ],
)  # fmt: skip
def test_failures_name_the_family(pair, classifier, says, cause):
    with pytest.raises(ValueError, match=says) as caught:
        jsdiv.estimate(pair.p, pair.q, families=[classifier])
    assert isinstance(caught.value.__cause__, cause)


def test_what_is_no_classifier(pair):
    with pytest.raises(TypeError, match="'object' has no method fit"):
        jsdiv.estimate(pair.p, pair.q, families=[object()])
    with pytest.raises(TypeError, match="'Quadratic' is a class; give an instance"):
        jsdiv.estimate(pair.p, pair.q, families=[Quadratic])


def test_weights_need_a_classifier_that_takes_them(pair):
    p = {"x0": pair.p[:, 0], "x1": pair.p[:, 1], "w": np.ones(400)}
    q = {"x0": pair.q[:, 0], "x1": pair.q[:, 1], "w": np.ones(300)}
    with pytest.raises(ValueError, match="'Quadratic' failed to fit: .* does not accept sample_weight"):
        jsdiv.estimate(p, q, weight="w", families=[Quadratic()])


def test_scikit_learn_classifiers(pair):
    pytest.importorskip("sklearn")
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import PolynomialFeatures

    pipeline = make_pipeline(PolynomialFeatures(2), LogisticRegression())
    bare = jsdiv.estimate(pair.p, pair.q, families=RandomForestClassifier(20))
    assert [family.name for family in bare.families] == ["RandomForestClassifier"]
    result = jsdiv.estimate(pair.p, pair.q, families=[("poly", pipeline), RandomForestClassifier(20)])
    assert [family.name for family in result.families] == ["poly", "RandomForestClassifier"]
    assert abs(result.jsd - pair.truth.oracle) < 0.1
    again = jsdiv.estimate(pair.p, pair.q, families=[("poly", pipeline), RandomForestClassifier(20)])
    assert again.jsd == result.jsd  # seeded, though random_state is None
    assert not hasattr(pipeline[-1], "coef_")  # the user's own object is left alone


def test_class_weights_change_the_prior_and_not_the_estimate():
    pytest.importorskip("sklearn")
    from sklearn.linear_model import LogisticRegression

    random = np.random.default_rng(7)
    p, q = random.normal(0, 1, (900, 1)), random.normal(1, 1, (150, 1))
    values = [
        jsdiv.divergence(p, q, families=[LogisticRegression(class_weight=weight)])
        for weight in (None, "balanced", {0: 6, 1: 1}, {0: 1, 1: 5})
    ]
    assert np.ptp(values) < 0.01
