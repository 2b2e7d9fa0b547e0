"""ruff accepts all Python code of the repository."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("python", "examples", "tests", "tools", "benchmarks")


def test_ruff_has_nothing_to_say():
    pytest.importorskip("ruff")
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", "--config", ROOT / "pyproject.toml"]
    done = subprocess.run([*map(str, command), *(str(ROOT / folder) for folder in FOLDERS)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
