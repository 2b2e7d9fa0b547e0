"""assert_close and the scorer."""

import pickle

import numpy as np
import pytest
from conftest import QUICK

import jsdiv


def people(seed, income=0.0, tied=True):
    random = np.random.default_rng(seed)
    age = random.normal(45, 12, 500)
    spare = random.normal(45, 12, 500)
    return {
        "age": age,
        "income": 20 + 0.6 * (age if tied else spare) + random.normal(0, 6, 500) + income,
        "children": random.poisson(1.5, 500),
    }


def test_close_tables_pass():
    result = jsdiv.assert_close(people(1), people(2), below=0.05, **QUICK)
    assert isinstance(result, jsdiv.Result) and result.jsd < 0.05


def test_the_message_names_the_column():
    with pytest.raises(AssertionError) as failure:
        jsdiv.assert_close(people(1), people(2, income=12), below=0.05, **QUICK)
    message = str(failure.value).splitlines()
    assert message[0].startswith("the lower end of the interval for the divergence between the tables is 0.")
    assert message[0].endswith(", above 0.05")
    blamed = message[message.index(next(line for line in message if line.startswith("columns responsible"))) + 1]
    assert blamed.startswith("  income: ") and "Q is higher" in blamed
    assert not any(line.startswith("  children") for line in message)


def test_the_message_names_the_broken_pair():
    with pytest.raises(AssertionError, match="pairs whose dependence differs:\n  age with income: "):
        jsdiv.assert_close(people(1), people(2, tied=False), below=0.05, **QUICK)


def test_what_is_compared_with_the_limit():
    real, other = people(1), people(2, income=4)
    result = jsdiv.estimate(real, other, **QUICK)
    low = result.confidence_interval().low
    between = (low + result.jsd) / 2
    assert low < between < result.jsd
    assert jsdiv.assert_close(real, other, below=between, **QUICK).jsd == result.jsd
    with pytest.raises(AssertionError, match="^the divergence between the tables is"):
        jsdiv.assert_close(real, other, below=between, on="estimate", **QUICK)


def test_formats_can_be_left_aside():
    real = people(1)
    rounded = dict(people(2), age=np.round(people(2)["age"]))
    with pytest.raises(AssertionError, match="columns responsible .*:\n  age: "):
        jsdiv.assert_close(real, rounded, below=0.05, **QUICK)
    jsdiv.assert_close(real, rounded, below=0.05, on="content", **QUICK)


def test_bad_arguments(pair):
    with pytest.raises(ValueError, match="on is 'high'"):
        jsdiv.assert_close(pair.p, pair.q, on="high", **QUICK)
    with pytest.raises(ValueError, match="leave protocol at 'auto'"):
        jsdiv.assert_close(pair.p, pair.q, protocol="paper", **QUICK)


def test_scorer_prefers_the_better_model():
    pytest.importorskip("sklearn")
    from sklearn.mixture import GaussianMixture
    from sklearn.model_selection import GridSearchCV

    rows = jsdiv.simulate("dependence", rho=0.9, n=600, seed=4).q
    scorer = jsdiv.scorer(families="gaussian")
    choices = {"covariance_type": ["diag", "full"]}
    search = GridSearchCV(GaussianMixture(random_state=0), choices, scoring=scorer, cv=2).fit(rows)
    assert search.best_params_ == {"covariance_type": "full"}
    assert search.best_score_ <= 0
    assert pickle.loads(pickle.dumps(scorer))._options == scorer._options
    assert repr(jsdiv.scorer(level=0.9)).startswith("scorer(level=0.9")


def test_scorer_of_models_that_return_rows_alone(pair):
    class Resampler:
        def sample(self, rows):
            return pair.p[:rows]

    assert jsdiv.scorer(**QUICK)(Resampler(), pair.p[200:]) > -0.1
    assert jsdiv.scorer(**QUICK)(Resampler(), pair.q) < -0.1
