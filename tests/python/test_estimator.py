"""JSDEstimator: scikit-learn's conventions for two samples."""

import pickle
import warnings

import numpy as np
import pytest

import jsdiv
from jsdiv import JSDEstimator

FAST = {"families": ["gaussian"]}


@pytest.fixture(scope="module")
def fitted(pair):
    return JSDEstimator(**FAST).fit(pair.p, pair.q)


def test_fit_measures(fitted, pair, result):
    assert fitted.jsd_ == fitted.result_.jsd == result.jsd
    assert fitted.family_ == "gaussian"
    assert fitted.classes_.tolist() == [0, 1]


def test_predict_proba_tells_the_tables_apart(fitted):
    new = jsdiv.simulate("dependence", rho=0.8, n=300, seed=9)
    in_p, in_q = fitted.predict_proba(new.p), fitted.predict_proba(new.q)
    assert in_p.shape == (300, 2) and np.allclose(in_p.sum(axis=1), 1)
    assert in_p[:, 1].mean() > in_q[:, 1].mean() + 0.1
    assert (fitted.predict(new.p) == (in_p[:, 1] > 0.5)).all()
    assert fitted.score(new.p, new.q) == pytest.approx(new.truth.jsd, abs=0.1)


def test_labels_do_the_same(fitted, pair):
    x = np.vstack([pair.q, pair.p])
    labels = np.array(["fake"] * 300 + ["real"] * 400)
    twin = JSDEstimator(**FAST).fit(x, labels)
    assert twin.classes_.tolist() == ["fake", "real"]
    assert twin.jsd_ == fitted.jsd_
    assert (twin.predict_proba(x) == fitted.predict_proba(x)).all()
    assert twin.score(x, labels) == pytest.approx(fitted.score(pair.p, pair.q))


def test_every_family_can_predict(pair):
    names = [name for name, _ in jsdiv._core.families() if name != "tabpfn"]
    for name in names:
        estimator = JSDEstimator(families=name).fit(pair.p, pair.q)
        assert estimator.score(pair.p, pair.q) > -0.05, name
    paper = JSDEstimator(families="xgboost", protocol="paper", seeds=1, iterations=2).fit(pair.p, pair.q)
    assert paper.predict_proba(pair.p).shape == (400, 2)


def test_a_classifier_of_the_users_own(pair):
    pytest.importorskip("sklearn")
    from sklearn.ensemble import ExtraTreesClassifier

    estimator = JSDEstimator(families=[ExtraTreesClassifier(30, min_samples_leaf=10)]).fit(pair.p, pair.q)
    assert estimator.score(pair.p, pair.q) > 0.1
    assert estimator.family_ == "ExtraTreesClassifier"


def test_mixed_tables_and_levels_that_come_later(columns):
    p, q = columns
    estimator = JSDEstimator(families="logreg").fit(p, q)
    new = {name: list(values[:8]) for name, values in p.items()}
    new["job"][0] = "astronaut"
    new["job"][1] = None
    new["visits"] = [None, *new["visits"][1:]]
    posterior = estimator.predict_proba(new)
    assert posterior.shape == (8, 2) and np.isfinite(posterior).all()
    with pytest.raises(ValueError, match="X: no column 'day', which P and Q have"):
        estimator.predict_proba({name: values for name, values in new.items() if name != "day"})
    with pytest.raises(ValueError, match="X: row 1, column 'visits': 'many' is not a number"):
        estimator.predict_proba(dict(new, visits=["many"] * 8))
    paper = JSDEstimator(families="logreg", protocol="paper", seeds=1, iterations=0).fit(p, q)
    with pytest.raises(ValueError, match="column 'visits' has missing cells.*encoding='native'"):
        paper.predict_proba(new)


def test_group_weight_and_ignored_columns(pair):
    p = {"x0": pair.p[:, 0], "x1": pair.p[:, 1], "id": [f"p{k // 2}" for k in range(400)]}
    q = {"x0": pair.q[:, 0], "x1": pair.q[:, 1], "id": [f"q{k // 2}" for k in range(300)]}
    estimator = JSDEstimator(group="id", **FAST).fit(p, q)
    assert estimator.predict_proba({"x0": [0.0], "x1": [1.0]}).shape == (1, 2)


def test_parameters_are_the_options():
    estimator = JSDEstimator(level=0.9, seed=4)
    assert estimator.get_params()["level"] == 0.9
    assert estimator.get_params()["protocol"] == "auto"
    assert estimator.set_params(level=0.8).level == 0.8
    with pytest.raises(TypeError, match="no option 'levle'"):
        JSDEstimator(levle=0.9)
    with pytest.raises(ValueError):
        estimator.set_params(levle=0.9)


def test_pickle(fitted, pair):
    twin = pickle.loads(pickle.dumps(fitted))
    assert (twin.predict_proba(pair.p) == fitted.predict_proba(pair.p)).all()
    assert twin.result_ == fitted.result_


def test_fit_again_forgets(pair):
    estimator = JSDEstimator(**FAST).fit(pair.p, pair.q)
    estimator.fit(pair.p[:, :1], pair.q[:, :1])
    assert estimator.predict_proba(pair.p[:, :1]).shape == (400, 2)


def test_bad_input(pair):
    estimator = JSDEstimator(**FAST)
    with pytest.raises(Exception, match="not fitted yet"):
        estimator.predict_proba(pair.p)
    with pytest.raises(ValueError, match="NaN"):
        estimator.fit(pair.p, np.full(400, np.nan))
    with pytest.raises(ValueError, match="y has 3 classes"):
        estimator.fit(pair.p, np.arange(400) % 3)
    with pytest.raises(ValueError, match="y has 1 class"):
        estimator.fit(pair.p, np.zeros(400, int))
    with pytest.raises(ValueError, match="2 columns where|columns"):
        estimator.fit(pair.p, pair.q[:, :1].repeat(3, axis=1))
    with pytest.raises(ValueError):
        estimator.fit(pair.p, np.arange(17) % 2)


# Where a two-sample estimator cannot do what scikit-learn asks of classifiers.
CANNOT = {"check_fit2d_1feature": "three of its ten rows are of one class; an estimate takes four rows of each table"}


def test_scikit_learns_own_checks():
    pytest.importorskip("sklearn")
    from sklearn.utils.estimator_checks import check_estimator

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        outcomes = check_estimator(JSDEstimator(**FAST), expected_failed_checks=CANNOT, on_fail=None, on_skip=None)
    failed = {outcome["check_name"]: outcome["exception"] for outcome in outcomes if outcome["status"] == "failed"}
    assert failed == {}
    assert {o["check_name"] for o in outcomes if o["status"] == "xfail"} == set(CANNOT)


def test_it_works_in_pipelines_and_searches(pair):
    pytest.importorskip("sklearn")
    from sklearn.model_selection import cross_val_score
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x = np.vstack([pair.p, pair.q])
    y = np.repeat([1, 0], [400, 300])
    scores = cross_val_score(make_pipeline(StandardScaler(), JSDEstimator(**FAST)), x, y, cv=2)
    assert scores.mean() == pytest.approx(pair.truth.jsd, abs=0.15)
