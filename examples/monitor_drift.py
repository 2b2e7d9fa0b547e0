"""Monitor a feed for drift: compare each day's rows with a reference, with a limit on the divergence.

On the command line the gate is ``jsdiv estimate reference.csv today.csv --fail-above 0.05``, whose exit code is 1 if
the tables have drifted apart; this script runs that command if it is installed, and does the same in Python otherwise.
It stops on the first day that drifts. Run it with ``python examples/monitor_drift.py``; its exit code is 1, because the
feed does drift.
"""

import csv
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import jsdiv

LIMIT = 0.05


def feed(day, random):
    """Temperature and load of a machine; from day 3 on, the load follows the temperature differently."""
    temperature = random.normal(20, 4, 500)
    slope = 0.5 if day < 3 else -0.2
    return np.column_stack([temperature, slope * temperature + random.normal(0, 1, 500)])


def write(path, rows):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([["temperature", "load"], *rows.tolist()])


def drifted(reference, today):
    """Whether the divergence is above the limit."""
    command = shutil.which(os.environ.get("JSDIV", "jsdiv"))
    if command is None:
        return jsdiv.divergence(reference, today, families=["logreg", "lr-pol", "gaussian"]) > LIMIT
    gate = [command, "estimate", reference, today, "--fail-above", str(LIMIT), "--families", "logreg,lr-pol,gaussian"]
    done = subprocess.run(gate, stdout=subprocess.DEVNULL)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"the gate itself failed with exit code {done.returncode}")
    return done.returncode == 1


def main():
    random = np.random.default_rng(4)
    with tempfile.TemporaryDirectory() as folder:
        reference, today = pathlib.Path(folder, "reference.csv"), pathlib.Path(folder, "today.csv")
        write(reference, feed(0, random))
        for day in range(1, 6):
            write(today, feed(day, random))
            if drifted(reference, today):
                print(f"day {day}: drifted; the pipeline stops")
                return day
            print(f"day {day}: no drift")
    return None


if __name__ == "__main__":
    sys.exit(0 if main() is None else 1)
