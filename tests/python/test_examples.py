"""The examples run, and say what they promise."""

import importlib.util
import os
import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_example_is_tested():
    assert {path.stem for path in EXAMPLES.glob("*.py")} == {
        "find_and_fix",
        "judge_a_synthesiser",
        "judge_three_synthesisers",
        "marginals_lie",
        "monitor_drift",
        "watch_drift",
    }


def test_judge_a_synthesiser():
    results = load("judge_a_synthesiser").main()
    assert results["independent_columns"].jsd > results["perturbed_rows"].jsd + 0.1
    assert all(result.marginal.syndat < 0.02 for result in results.values())


def test_marginals_lie():
    marginal, result = load("marginals_lie").main()
    assert marginal.syndat < 0.01 < 0.9 < result.jsd


def test_find_and_fix():
    before, after = load("find_and_fix").main()
    assert before.columns[0].name == "income"
    assert before.columns[0].how[0].kind == "shift"
    assert before.pairs[0].columns == ("age", "income")
    assert after.jsd < 0.02 < 0.2 < before.held_out


def test_judge_three_synthesisers(tmp_path):
    report = tmp_path / "report.html"
    result = load("judge_three_synthesisers").main(report)
    assert "copula" in report.read_text(encoding="utf-8")
    assert result.closest == "copula"
    assert all(difference.supported for difference in result.differences if difference.closer == "copula")


def test_watch_drift():
    drift, cause = load("watch_drift").main()
    assert cause == "pressure"
    values = [candidate.jsd for candidate in drift.candidates]
    assert values[0] < 0.05 < values[-1]


@pytest.mark.parametrize("command", ["", "with the command"])
def test_monitor_drift(monkeypatch, command):
    if command and not os.environ.get("JSDIV"):
        pytest.skip("no command to run (set JSDIV)")
    if not command:
        monkeypatch.setenv("JSDIV", "no-such-command")
    assert load("monitor_drift").main() == 3


def blocks(path):
    return re.findall(r"```python\n(.*?)```", path.read_text(encoding="utf-8"), re.DOTALL)


def test_the_code_in_the_documentation_runs(pair, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for code in [*blocks(ROOT / "README.md"), blocks(ROOT / "docs" / "python.md")[0]]:
        names = {"real": pair.p, "synthetic": pair.q}
        exec(code, names)
        assert names["result"].jsd > 0.1
