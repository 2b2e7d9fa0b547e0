"""ruff accepts the package and its examples."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def test_ruff_has_nothing_to_say():
    pytest.importorskip("ruff")
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", ROOT / "pyproject.toml"]
    done = subprocess.run([*map(str, command), str(ROOT / "python"), str(ROOT / "examples")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
