"""The command that comes with the package: the same program as the one that is built by hand."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

import jsdiv

SCRIPT = pathlib.Path(sys.executable).with_name("jsdiv")
WAYS = {"script": [str(SCRIPT)], "module": [sys.executable, "-m", "jsdiv"]}


def run(*arguments, way="script", **keywords):
    return subprocess.run([*WAYS[way], *map(str, arguments)], capture_output=True, text=True, **keywords)


@pytest.fixture(scope="module")
def files(tmp_path_factory, pair):
    folder = tmp_path_factory.mktemp("tables")
    for name, rows in (("p", pair.p), ("q", pair.q)):
        np.savetxt(folder / f"{name}.csv", rows, delimiter=",", header="x0,x1", comments="", fmt="%.17g")
    return folder / "p.csv", folder / "q.csv"


@pytest.mark.parametrize("way", WAYS)
def test_both_ways_to_call_it(way):
    done = run("--version", way=way)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"jsdiv {jsdiv.__version__}\n", "")


def test_it_writes_what_python_returns(files, result):
    done = run("estimate", *files, "--families", "gaussian", "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["jsd"] == result.jsd


@pytest.mark.skipif(not os.environ.get("JSDIV"), reason="no command to compare with (set JSDIV)")
def test_it_is_the_same_program(files):
    built = subprocess.run(
        [os.environ["JSDIV"], "explain", *files, "--families", "gaussian"], capture_output=True, text=True, check=True
    )
    lines = run("explain", *files, "--families", "gaussian").stdout.splitlines()
    assert lines[:-1] == built.stdout.splitlines()[:-1]  # the last one has the seconds


def test_exit_codes_and_one_line_of_error(files, tmp_path):
    assert run("estimate", *files, "--families", "gaussian", "--fail-above", "0.01").returncode == 1
    done = run("estimate", tmp_path / "nothing.csv", files[1])
    assert done.returncode == 2
    assert done.stderr.startswith("jsdiv: ") and len(done.stderr.splitlines()) == 1
    done = run("estimate", files[0], files[1], "--levle", "0.9")
    assert done.returncode == 2 and "--level" in done.stderr


def test_names_that_are_no_text(files, tmp_path):
    path = os.path.join(os.fsencode(tmp_path), b"caf\xe9.csv")
    with open(path, "wb") as file:
        file.write(files[0].read_bytes())
    done = subprocess.run([str(SCRIPT), "marginal", path, str(files[1])], capture_output=True)
    assert done.returncode == 0, done.stderr


def test_an_interrupt_ends_it(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20000, 20))
    for name, shift in (("p", 0), ("q", 0.05)):
        header = ",".join(f"x{j}" for j in range(20))
        np.savetxt(tmp_path / f"{name}.csv", rows + shift, delimiter=",", header=header, comments="", fmt="%.6f")
    process = subprocess.Popen(
        [str(SCRIPT), "estimate", tmp_path / "p.csv", tmp_path / "q.csv"], stderr=subprocess.PIPE, text=True
    )
    time.sleep(2)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said == "jsdiv: interrupted; nothing was written\n"
