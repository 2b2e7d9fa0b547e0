"""mypy accepts the package and its stubs, and knows the options."""

import pathlib
import subprocess
import sys

import pytest

import jsdiv

GOOD = """
import jsdiv
import numpy as np

x = np.zeros((10, 2))
result = jsdiv.estimate(x, x, level=0.9, protocol="paper", families=["rf"], seeds=3)
number: float = result.jsd
interval = result.confidence_interval(0.9)
low: float = interval.low if interval is not None else 0.0
distance: float = jsdiv.jensenshannon(x, x, base=2)
pair = jsdiv.simulate("dependence", rho=0.9)
scores: np.ndarray = jsdiv.score(x, x, x, families="rf", seed=3)
metrics: dict[str, float] = jsdiv.Result.from_json(result.to_json()).metrics()
same: bool = jsdiv.verify(result, x, x).equal
close: float = jsdiv.assert_close(x, x, below=0.1, on="content", level=0.9).jsd
names: tuple[str, ...] = jsdiv.guide(x, x).recommended
page: str = jsdiv.explain(x, x, rung="content").to_html()
rows: dict[str, np.ndarray] = result.rows()
estimator = jsdiv.JSDEstimator(families=None).fit(x, x)
posteriors: np.ndarray = estimator.predict_proba(x)
"""
BAD = {
    "jsdiv.estimate(x, x, levle=0.9)": "call-arg",
    "jsdiv.estimate(x, x, level='high')": "typeddict-item|arg-type",
    "jsdiv.estimate(x, x, protocol='best')": "typeddict-item|arg-type",
    "jsdiv.estimate(x, x).jsd = 1": "misc",
    "jsdiv.score(x, x, x, seeds=3)": "call-arg",
    "jsdiv.assert_close(x, x, on='high')": "arg-type",
}


def mypy(*arguments):
    pytest.importorskip("mypy")
    return subprocess.run([sys.executable, "-m", "mypy", *map(str, arguments)], capture_output=True, text=True)


def test_the_package_is_typed(tmp_path):
    package = pathlib.Path(jsdiv.__file__).parent
    assert (package / "py.typed").exists() and (package / "_core.pyi").exists()
    done = mypy("--strict", "--ignore-missing-imports", "--cache-dir", tmp_path / "cache", "-p", "jsdiv")
    assert done.returncode == 0, done.stdout


def test_users_get_types(tmp_path):
    good = tmp_path / "good.py"
    good.write_text(GOOD)
    done = mypy("--strict", "--ignore-missing-imports", "--cache-dir", tmp_path / "cache", good)
    assert done.returncode == 0, done.stdout
    bad = tmp_path / "bad.py"
    bad.write_text("import jsdiv\nimport numpy as np\nx = np.zeros((10, 2))\n" + "\n".join(BAD) + "\n")
    done = mypy("--ignore-missing-imports", "--cache-dir", tmp_path / "cache", bad)
    lines = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(lines) == len(BAD), done.stdout
