"""Runs `jsdiv estimate` on pairs of the population (docs/population.md), one JSON line a pair, by one core.

usage: run.py RUNS.jsonl --binary build/jsdiv --seeds 0:1000 [--kinds calibration|left-out] [--shard 0/4]
              [--rows 30:3000] [--tables adult.csv,intrusion.csv] [--log-ratios match,rules] [--limit SECONDS]
              [--estimator another/jsdiv]

A run that was interrupted goes on where it stopped: seeds that RUNS.jsonl has are skipped. Shards take every k-th
seed and may write to one file. `compact.py` turns the lines into the table that `fit.py` reads.
"""

import argparse
import fcntl
import json
import os
import pathlib
import random
import subprocess
import tempfile
import time

ONE_THREAD = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
# Every so many seeds the base table is a real one, where there are any.
REAL_EVERY = 6
# The rows are log-uniform from the least to the most, but small pairs cost least and teach most for their cost: the
# exponent bends the draw towards them.
BEND = 1.0


def interval(text, kind=int):
    low, high = text.split(":")
    return kind(low), kind(high)


def rows_of(seed, kinds, least, most):
    draw = random.Random(f"{kinds} {seed}").random()
    return round(least * (most / least) ** (draw**BEND))


def run(binary, *arguments, limit):
    return subprocess.run(
        [binary, *map(str, arguments)], capture_output=True, text=True, check=False, timeout=limit, env=ONE_THREAD
    )


def base_of(seed, tables):
    """A real table or nothing: the kind of base is then drawn."""
    return [tables[seed // REAL_EVERY % len(tables)]] if tables and seed % REAL_EVERY == REAL_EVERY - 1 else []


def log_ratio_of(seed, kinds):
    """One after the other of those that were asked for, or nothing: it is then drawn."""
    return ["--log-ratio", kinds[seed % len(kinds)]] if kinds else []


def measure(seed, options, folder):
    """What the pair is, and everything that the estimate knows about it."""
    rows = rows_of(seed, options.kinds, *options.rows)
    base = base_of(seed, options.tables)
    record = {"seed": seed, "kinds": options.kinds, "version": options.version}
    made = run(
        options.binary, "simulate", "random", *base, "--seed", seed,
        *log_ratio_of(seed, options.log_ratios), "--kinds", options.kinds, "--n", rows,
        "--out", folder, "--force", "--threads", 1, limit=None,
    )  # fmt: skip
    if made.returncode != 0:
        return {**record, "error": made.stderr.strip()}
    record["truth"] = json.loads((folder / "truth.json").read_text())
    if base:
        record["truth"]["parameters"]["base"] = "real " + pathlib.Path(base[0]).stem
    begin = os.times()
    try:
        done = run(
            options.estimator or options.binary, "estimate", folder / "p.csv", folder / "q.csv", "--json", "-", "--quiet", "--threads", 1,
            limit=options.limit,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return {**record, "error": f"more than {options.limit} seconds"}
    end = os.times()
    record["cpu_seconds"] = end.children_user + end.children_system - begin.children_user - begin.children_system
    if done.returncode != 0:
        return {**record, "error": done.stderr.strip()}
    result = json.loads(done.stdout)
    for key in ("protocol", "runtime", "rows"):
        result.pop(key, None)
    return {**record, "result": result}


def finished(path):
    if not path.exists():
        return set()
    with path.open(encoding="utf-8") as lines:
        return {(record["kinds"], record["seed"]) for record in map(json.loads, lines)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("runs", type=pathlib.Path)
    parser.add_argument("--binary", default="build/jsdiv")
    parser.add_argument("--estimator", help="estimates instead of --binary, which then only draws the tables")
    parser.add_argument("--version", default="", help="of the estimator, to tell runs apart: the commit")
    parser.add_argument("--seeds", type=interval, required=True)
    parser.add_argument("--kinds", choices=["calibration", "left-out"], default="calibration")
    parser.add_argument("--shard", type=lambda text: tuple(map(int, text.split("/"))), default=(0, 1))
    parser.add_argument("--rows", type=interval, default=(30, 20000))
    parser.add_argument("--tables", type=lambda text: text.split(","), default=[])
    parser.add_argument("--log-ratios", type=lambda text: text.split(","), default=[])
    parser.add_argument("--limit", type=float, default=None, help="seconds for one pair")
    options = parser.parse_args()
    known = finished(options.runs)
    part, parts = options.shard
    with tempfile.TemporaryDirectory(prefix="jsdiv_population_") as folder:
        for seed in range(*options.seeds):
            if seed % parts != part or (options.kinds, seed) in known:
                continue
            line = json.dumps(measure(seed, options, pathlib.Path(folder))) + "\n"
            with options.runs.open("a", encoding="utf-8") as out:
                fcntl.flock(out, fcntl.LOCK_EX)
                out.write(line)


if __name__ == "__main__":
    begin = time.monotonic()
    main()
    print(f"done after {time.monotonic() - begin:.0f} s")
