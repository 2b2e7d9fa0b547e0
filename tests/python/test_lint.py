"""ruff accepts all Python code of the repository."""

import pathlib
import subprocess
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]
FOLDERS = ("python", "examples", "tests", "tools", "benchmarks")


def test_ruff_has_nothing_to_say():
    pytest.importorskip("ruff")
    # From the root, which the patterns of pyproject.toml start from.
    command = [sys.executable, "-m", "ruff", "check", "--no-cache", *FOLDERS]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
