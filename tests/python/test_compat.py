"""The interface of the published package.

The first part asserts what that package's own tests do (tests/test_JSD.py of its repository); those of its experiments
folder are not about the interface, and the one that asserts that sizes must be equal is reversed here.
"""

import inspect
import json

import numpy as np
import pytest

import jsdiv
from jsdiv import compat
from jsdiv.compat import estimate_jensen_shannon


def draws(seed, rows=40, loc=0.0):
    return np.random.default_rng(seed).normal(loc, size=(rows, 3))


def test_version_is_defined():
    assert isinstance(compat.__version__, str) and compat.__version__


def test_small_estimate_runs():
    js = estimate_jensen_shannon(draws(0, 20), draws(1, 20, 0.1), discriminator_type="MLP", epochs=1, n_iter=None, seed=0, verbose=False)  # noqa: E501  # fmt: skip
    assert isinstance(js, float) and js >= 0.0


def test_return_result_exposes_paths_and_evaluator():
    result = estimate_jensen_shannon(draws(0, 20), draws(1, 20, 0.1), discriminator_type="MLP", epochs=1, n_iter=None, seed=0, verbose=False, return_result=True)  # noqa: E501  # fmt: skip
    assert isinstance(result, compat.JSDEstimatorResult)
    assert result.results_path.exists()
    assert float(result.evaluator.disc_js.detach().cpu().item()) == result.evaluator.result.jsd


def test_sizes_may_differ():
    js = estimate_jensen_shannon(draws(0, 60), draws(1, 48), discriminator_type="LogReg", n_iter=0, verbose=False)
    assert 0 <= js <= 1


def test_signatures_are_those_of_the_package():
    expected = {
        "discriminator_type": "MLP", "m": None, "l": None, "n_iter": None, "seed": 0, "epochs": 10_000,
        "results_root": None, "ratio_correction_mode": "on", "ratio_correction_threshold": 0.1,
        "include_optional_baselines": False, "save_plots": False, "verbose": True, "return_result": False,
    }  # fmt: skip
    parameters = inspect.signature(estimate_jensen_shannon).parameters
    assert list(parameters)[:2] == ["x_p", "x_q"]
    assert {name: parameters[name].default for name in list(parameters)[2:]} == expected
    assert list(inspect.signature(compat.JSDEstimator.run).parameters)[1:] == [
        "experiment", "n", "m", "l", "seed", "data_path", "model", "gap_magnitude", "n_iter", "x_p", "x_q", "dist_p",
        "dist_q", "discriminator_type", "epochs", "include_optional_baselines", "save_plots",
    ]  # fmt: skip
    assert compat.supported_discriminators() == ("MLP", "RF", "XGBoost", "LogReg", "LogRegPol", "TabPFN")


def test_it_is_the_paper_protocol():
    p, q = draws(2, 400), draws(3, 400, 0.5)
    result = estimate_jensen_shannon(
        p, q, discriminator_type="LogReg", n_iter=4, seed=7, verbose=False, return_result=True
    )
    direct = jsdiv.estimate(p, q, protocol="paper", families="logreg", seeds=1, seed=7, iterations=4, correction="on", train=200, eval=100)  # noqa: E501  # fmt: skip
    assert result.evaluator.result.raw == direct.raw
    published = dict(jsdiv._core.families())
    assert (published["rf"], published["xgboost"], published["logreg"], published["lr-pol"]) == (30, 50, 50, 10)


def test_baselines_and_results_on_request(tmp_path):
    p, q = draws(2, 80), draws(3, 80, 1)
    options = {"discriminator_type": "LogReg", "n_iter": 0, "verbose": False, "return_result": True}
    plain = estimate_jensen_shannon(p, q, **options)
    assert plain.evaluator.syndat_js is None
    full = estimate_jensen_shannon(p, q, include_optional_baselines=True, results_root=tmp_path, **options)
    assert full.evaluator.syndat_js > 0 and full.evaluator.synthcity_js > 0
    assert full.results_path == tmp_path / "results_LogReg" / "custom_data"
    written = json.loads((full.results_path / "JS_LogReg_training_results.json").read_text())
    assert written == full.evaluator.result.to_dict()


def test_verbose_says_how_it_split(capsys):
    estimate_jensen_shannon(draws(0), draws(1), discriminator_type="LogReg", n_iter=0)
    assert "Adjusted m,l to fit custom data: m=20, l=10" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("keywords", "says"),
    [
        ({"discriminator_type": "SVM"}, "Unknown discriminator type: 'SVM'. Use one of: MLP, RF, XGBoost, LogReg, "),
        ({"x_q": draws(1)[:, :2]}, "x_p and x_q must have the same number of features; got 3 and 2."),
        ({"x_p": np.zeros((2, 2, 2))}, "x_p must be a 2D array-like object with shape"),
        ({"m": 30, "l": 10}, "Provided m,l do not match data length"),
        ({"ratio_correction_mode": "maybe"}, "Invalid ratio_correction_mode=maybe"),
        ({"ratio_correction_threshold": -1}, "ratio_correction_threshold must be >= 0"),
    ],
)  # fmt: skip
def test_errors_are_those_of_the_package(keywords, says):
    arguments = {"x_p": draws(0), "x_q": draws(1), "discriminator_type": "LogReg", "verbose": False, **keywords}
    with pytest.raises(ValueError, match=says):
        estimate_jensen_shannon(**arguments)


def test_run_needs_both_tables():
    with pytest.raises(ValueError, match="requires passing both 'x_p' and 'x_q'"):
        compat.JSDEstimator().run(x_p=draws(0))


def test_nothing_is_clamped_in_silence():
    with pytest.warns(jsdiv.ResultWarning, match="below_chance") as caught:
        js = estimate_jensen_shannon(
            draws(5, 60), draws(6, 60), discriminator_type="LogReg", n_iter=0, verbose=False, seed=2
        )
    assert js == 0.0
    assert caught[0].filename == __file__
