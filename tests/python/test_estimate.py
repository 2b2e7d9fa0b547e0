"""The functions that measure, against what is known and against the command line."""

import inspect
import json
import math
import os
import shutil
import subprocess
import threading
import warnings

import numpy as np
import pytest
from conftest import QUICK, without_runtime

import jsdiv
from jsdiv import _core


def test_finds_the_known_divergence(pair, result):
    low, high = result.confidence_interval()
    assert abs(result.jsd - pair.truth.oracle) < 4 * result.standard_error
    assert low <= result.jsd <= high
    assert result.pvalue < 0.05


def test_distance_and_divergence_follow_from_the_result(pair, result):
    assert jsdiv.divergence(pair.p, pair.q, **QUICK) == result.jsd
    assert jsdiv.jensenshannon(pair.p, pair.q, **QUICK) == pytest.approx(math.sqrt(result.jsd))
    natural = jsdiv.jensenshannon(pair.p, pair.q, base=None, **QUICK)
    assert natural == pytest.approx(math.sqrt(result.jsd * math.log(2)))
    assert jsdiv.jensenshannon(pair.p, pair.q, base=math.e, **QUICK) == pytest.approx(natural)
    with pytest.raises(ValueError, match="base"):
        jsdiv.jensenshannon(pair.p, pair.q, base=1, **QUICK)


def test_threads_never_show(pair, result):
    one = jsdiv.estimate(pair.p, pair.q, threads=1, **QUICK)
    assert without_runtime(one) == without_runtime(result)


def test_paper_protocol(pair):
    result = jsdiv.estimate(pair.p, pair.q, protocol="paper", families=["logreg", "gaussian"], seeds=2, iterations=0)
    assert result.selected_family == "gaussian"
    assert [len(family.seeds) for family in result.families] == [2, 2]
    assert result.pvalue is None and result.lower_bound is None and result.learning_curve is None


def test_posteriors_of_the_users_own():
    p, q = np.arange(4.0), np.arange(3.0)
    result = jsdiv.estimate(p, q, posteriors=[0.8] * 4 + [0.2] * 3, correction="off")
    assert result.jsd == pytest.approx(1 + math.log2(0.8))
    with pytest.raises(ValueError, match="5 posteriors for 4 rows of P and 3 rows of Q"):
        jsdiv.estimate(p, q, posteriors=[0.5] * 5)
    with pytest.raises(ValueError, match="dimensions"):
        jsdiv.estimate(p, q, posteriors=[[0.5] * 7])


def test_options_are_those_of_the_library():
    table = {option["name"]: option for option in _core.option_table("estimate")}
    signature = inspect.signature(jsdiv.estimate)
    for name, option in table.items():
        assert name in signature.parameters
        if name != "families":
            assert signature.parameters[name].default == option["default"]
        assert name in jsdiv.estimate.__doc__
    assert table["level"]["default"] == 0.95 and table["protocol"]["choices"] == ["auto", "paper"]


@pytest.mark.parametrize(
    ("options", "error", "says"),
    [
        ({"levl": 0.9}, TypeError, "no option 'levl'; did you mean 'level'"),
        ({"level": "high"}, TypeError, "level must be a number, not str"),
        ({"level": 2}, ValueError, "level= is 2; it must be strictly between 0 and 1"),
        ({"seed": 1.5}, TypeError, "seed must be a whole number, not float"),
        ({"seed": -1}, ValueError, "seed= is -1, which is out of range"),
        ({"protocol": "best"}, ValueError, "protocol= is 'best'; choose from 'auto', 'paper'"),
        ({"iterations": 3}, ValueError, "iterations= needs protocol='paper'"),
        ({"columns": 3}, TypeError, "columns must be a string or a list of strings, not int"),
        ({"columns": ["x0", 1]}, TypeError, "every item of columns must be a string"),
        ({"columns": ["x9"]}, ValueError, "no column 'x9' \\(columns=\\)"),
        ({"reweighting": 1, "protocol": "paper"}, TypeError, "reweighting must be True or False"),
        ({"families": ["svm"]}, ValueError, "unknown family 'svm'; choose from: logreg"),
        ({"families": ["rf"], "exclude_families": "rf"}, ValueError, "check families= and exclude_families=$"),
    ],
)
def test_wrong_options_are_named(pair, options, error, says):
    with pytest.raises(error, match=says):
        jsdiv.estimate(pair.p, pair.q, **options)


def test_none_stands_for_the_default(pair, result):
    same = jsdiv.estimate(pair.p, pair.q, level=None, seeds=None, columns=None, group=None, **QUICK)
    assert without_runtime(same) == without_runtime(result)


def test_warnings_are_told_at_the_callers_line(pair):
    p = {"a": pair.p[:, 0], "b": pair.p[:, 1], "more": np.zeros(len(pair.p))}
    q = {"a": pair.q[:, 0], "b": pair.q[:, 1]}
    with pytest.warns(jsdiv.ResultWarning, match=r"only in P: 'more' \[unmatched_columns\]") as caught:
        result = jsdiv.estimate(p, q, **QUICK)
    assert caught[0].filename == __file__
    assert [warning.code for warning in result.warnings] == ["unmatched_columns"]


def test_progress_is_reported_and_may_stop_the_work(pair):
    told = []
    jsdiv.estimate(pair.p, pair.q, families="gaussian", progress=lambda fraction, what: told.append((fraction, what)))
    assert told[-1] == (1.0, "gaussian")
    assert [fraction for fraction, _ in told] == sorted(fraction for fraction, _ in told)

    def fail(fraction, what):
        raise RuntimeError("enough")

    big = np.random.default_rng(0).normal(size=(4000, 8))
    with pytest.raises(RuntimeError, match="enough"):
        jsdiv.estimate(big, big[::-1] + 0.1, families=["rf", "mlp"], progress=fail)
    assert jsdiv.divergence(pair.p, pair.q, **QUICK) > 0  # the request to stop is withdrawn


def test_a_bar_by_tqdm(monkeypatch):
    pytest.importorskip("tqdm")
    from jsdiv import _progress

    bars = []
    monkeypatch.setattr(_progress, "_bar", lambda make=_progress._bar: bars.append(make()) or bars[-1])
    with _progress.reporting(True) as report:
        report(0.25, "rf")
        assert bars[0].n == 25 and bars[0].postfix == "rf"
    with _progress.reporting(False) as report:
        assert report is None


def test_other_threads_run_meanwhile(pair):
    """The interpreter's lock is released while the library computes."""
    ticks = []
    stop = threading.Event()

    def tick():
        while not stop.wait(0.001):
            ticks.append(1)

    ticker = threading.Thread(target=tick)
    ticker.start()
    jsdiv.estimate(pair.p, pair.q, families=["rf", "mlp"], threads=1)
    stop.set()
    ticker.join()
    assert len(ticks) > 20


def test_several_threads_of_python_at_once(pair, result):
    values = []
    threads = [
        threading.Thread(target=lambda: values.append(jsdiv.divergence(pair.p, pair.q, **QUICK))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert values == [result.jsd] * 4


def test_marginal(columns):
    p, q = columns
    result = jsdiv.marginal(p, q)
    assert [column.name for column in result.columns] == list(p)
    means = np.mean([column.syndat for column in result.columns])
    assert result.syndat == pytest.approx(means)
    assert result.to_dict()["synthcity"] == result.synthcity
    assert "average" in str(result)
    with pytest.raises(AttributeError):
        result.syndat = 0


@pytest.mark.skipif(not os.environ.get("JSDIV"), reason="no command to compare with (set JSDIV)")
def test_equals_the_command_line(tmp_path, pair):
    command = shutil.which(os.environ["JSDIV"])
    for name, table in (("p", pair.p), ("q", pair.q)):
        lines = ["x0,x1", *(",".join(map(repr, map(float, row))) for row in table)]
        (tmp_path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    paths = [tmp_path / "p.csv", tmp_path / "q.csv"]
    done = subprocess.run(
        [command, "estimate", *paths, "--json", "-", "--quiet", "--families", "gaussian,logreg"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    expected = json.loads(done.stdout)
    from_paths = jsdiv.estimate(*paths, families=["gaussian", "logreg"])
    from_arrays = jsdiv.estimate(pair.p, pair.q, families=["gaussian", "logreg"])
    assert list(from_paths.to_dict()) == list(expected)
    for result in (from_paths, from_arrays):
        data = without_runtime(result)
        for key in data:
            if key not in ("protocol", "families"):
                assert data[key] == expected[key], key
        for ours, theirs in zip(data["families"], expected["families"], strict=True):
            assert {**theirs, "seconds": None} == {**ours, "seconds": None}
    assert from_paths.to_dict()["protocol"] == expected["protocol"]
    marginal = subprocess.run([command, "marginal", *paths, "--json", "-"], capture_output=True, text=True, check=True)
    assert jsdiv.marginal(*paths).to_dict() == json.loads(marginal.stdout)


def test_symmetric(pair, result):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        swapped = jsdiv.estimate(pair.q, pair.p, **QUICK)
    assert (swapped.jsd, swapped.confidence_interval()) == (result.jsd, result.confidence_interval())
