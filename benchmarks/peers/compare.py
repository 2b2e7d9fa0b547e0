"""Runs the published tool (PyPI: jensenshannondivergence) and jsdiv on the same data, one thread each, with the same
number of search iterations, and writes the table of ratios and errors.

    compare.py JSDIV REPORT.md [--settings rho0.9,d50] [--families logreg,lr-pol] [--skip-slow]

The published tool's time is that of its estimate call, imports left out; ours is that of the whole process.
"""

import argparse
import datetime
import json
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
TRAIN = EVAL = 2000
SETTINGS = {
    "rho0.9": ("dependence", ["--rho", "0.9"], "ρ = 0.9, M = L = 2000"),
    "d50": ("dimension", ["--d", "50"], "d = 50, M = L = 2000"),
}
# Our name, the tool's name, the iterations that the tool runs by default (the MLP has none).
FAMILIES = [("logreg", "LogReg", 50), ("lr-pol", "LogRegPol", 10), ("rf", "RF", 30), ("xgboost", "XGBoost", 50),
            ("mlp", "MLP", 1)]
SLOW = {("d50", "lr-pol")}  # hours; measured once, see stored.json


def reference(p, q, name, iterations, seed):
    done = subprocess.run(
        [sys.executable, HERE / "reference.py", p, q, name, str(TRAIN), str(EVAL), str(iterations), str(seed)],
        capture_output=True, text=True, check=True,
    )
    return json.loads(done.stdout.strip().splitlines()[-1])


def ours(binary, p, q, name, iterations, seed, threads):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.run(
        [binary, "estimate", p, q, "--protocol", "paper", "--families", name, "--train", str(TRAIN), "--eval", str(EVAL),
         "--iterations", str(iterations), "--seeds", "1", "--seed", str(seed), "--threads", str(threads), "--json", "-",
         "--quiet"],
        capture_output=True, text=True, check=True,
    )
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = (after.ru_utime + after.ru_stime) - (before.ru_utime + before.ru_stime)
    return {"estimate": json.loads(done.stdout)["jsd"], "wall": wall, "cpu": cpu}


def versions(binary):
    import importlib.metadata as metadata

    names = ("jensenshannondivergence", "scikit-learn", "scikit-optimize", "xgboost", "torch")
    listed = [subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()]
    return ", ".join(listed + [f"{name} {metadata.version(name)}" for name in names])


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def measure(binary, setting, families, skip_slow, stored):
    scenario, options, title = SETTINGS[setting]
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "simulate", scenario, *options, "--n", str(TRAIN + 2 * EVAL), "--out", folder],
                       check=True, capture_output=True)
        p, q = f"{folder}/p.csv", f"{folder}/q.csv"
        truth = json.loads(pathlib.Path(f"{folder}/truth.json").read_text())["jsd"]
        for name, their_name, iterations in FAMILIES:
            if name not in families:
                continue
            one = min((ours(binary, p, q, name, iterations, 0, 1) for _ in range(3)), key=lambda run: run["wall"])
            two = min((ours(binary, p, q, name, iterations, 0, 2) for _ in range(3)), key=lambda run: run["wall"])
            key = f"{setting}/{name}"
            if (setting, name) in SLOW and skip_slow:
                theirs = stored.get(key)
            else:
                theirs = reference(p, q, their_name, iterations, 0)
                theirs["date"] = datetime.date.today().isoformat()
                stored[key] = theirs
            rows.append((name, iterations, theirs, one, two))
            print(setting, name, theirs, one, two, flush=True)
    return title, truth, rows


def table(title, truth, rows):
    lines = [f"## {title}", "", f"True JSD {truth:.4f}; errors are estimate − truth, ×100, one seed.", "",
             "| family | iterations | published tool, s | jsdiv, s | ratio | CPU ratio | ratio, 2 threads | published error | our error |",
             "|---|---|---|---|---|---|---|---|---|"]
    total = [0.0, 0.0, 0.0]
    for name, iterations, theirs, one, two in rows:
        if theirs is None:
            lines.append(f"| {name} | {iterations} | not measured | {one['wall']:.2f} | | | | | {100 * (one['estimate'] - truth):+.2f} |")
            continue
        total = [total[0] + theirs["wall"], total[1] + one["wall"], total[2] + two["wall"]]
        lines.append(
            f"| {name} | {iterations if name != 'mlp' else '-'} | {theirs['wall']:.1f} | {one['wall']:.2f} | "
            f"{theirs['wall'] / one['wall']:.0f}× | {theirs['cpu'] / one['cpu']:.0f}× | {theirs['wall'] / two['wall']:.0f}× | "
            f"{100 * (theirs['estimate'] - truth):+.2f} | {100 * (one['estimate'] - truth):+.2f} |")
    if total[1] > 0:
        lines.append(f"| together | | {total[0]:.1f} | {total[1]:.2f} | {total[0] / total[1]:.0f}× | | {total[0] / total[2]:.0f}× | | |")
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("report")
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--families", default=",".join(name for name, _, _ in FAMILIES))
    parser.add_argument("--measure-slow", action="store_true", help="also what takes the published tool hours")
    arguments = parser.parse_args()
    store = HERE / "stored.json"
    stored = json.loads(store.read_text()) if store.exists() else {}
    lines = ["# Performance", "",
             "`make bench` runs the published tool and jsdiv on the same data, one thread each, with the same number of search "
             "iterations, and writes this page. The tool's time is that of its estimate call, imports left out; ours is the "
             "whole process, the fastest of three.", "",
             f"{datetime.date.today().isoformat()}, {processor()}, {versions(arguments.binary)}.", ""]
    for setting in arguments.settings.split(","):
        lines += table(*measure(arguments.binary, setting, arguments.families.split(","),
                                not arguments.measure_slow, stored))
    store.write_text(json.dumps(stored, indent=2) + "\n")
    pathlib.Path(arguments.report).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
