"""Runs the published tool (PyPI: jensenshannondivergence) and jsdiv on the same data, one thread each, with the same
number of search iterations, and writes the table of ratios and errors.

    compare.py JSDIV REPORT.md [--settings rho0.9,d50] [--families logreg,lr-pol] [--measure-slow]

Measurements are kept in stored.json beside this file, so that a part can be measured anew.
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
REPETITIONS = 3
LONG = 20.0  # seconds: runs that take longer are not repeated
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


def ours_auto(binary, p, q, threads):
    started = time.perf_counter()
    done = subprocess.run([binary, "estimate", p, q, "--threads", str(threads), "--json", "-", "--quiet"],
                          capture_output=True, text=True, check=True)
    return {"estimate": json.loads(done.stdout)["jsd"], "wall": time.perf_counter() - started}


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


def measure(binary, setting, families, slow, stored):
    """Both tools on one pair, family by family; each measurement goes to `stored` with its date."""
    scenario, options, _ = SETTINGS[setting]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([binary, "simulate", scenario, *options, "--n", str(TRAIN + 2 * EVAL), "--out", folder],
                       check=True, capture_output=True)
        p, q = f"{folder}/p.csv", f"{folder}/q.csv"
        truth = json.loads(pathlib.Path(f"{folder}/truth.json").read_text())["jsd"]
        if families == ["auto"]:
            record = {"truth": truth, "date": datetime.date.today().isoformat()}
            for threads in (1, 2):
                runs = [ours_auto(binary, p, q, threads) for _ in range(REPETITIONS)]
                best = min(runs, key=lambda run: run["wall"])
                record[f"ours_{threads}"] = best | {"slowest": max(run["wall"] for run in runs)}
            stored[f"{setting}/auto"] = record
            print(setting, "auto", record, flush=True)
        for name, their_name, iterations in FAMILIES:
            if name not in families:
                continue
            record = {"truth": truth, "iterations": iterations, "date": datetime.date.today().isoformat()}
            for threads in (1, 2):
                runs = [ours(binary, p, q, name, iterations, 0, threads)]
                while len(runs) < REPETITIONS and runs[0]["wall"] < LONG:
                    runs.append(ours(binary, p, q, name, iterations, 0, threads))
                best = min(runs, key=lambda run: run["wall"])
                record[f"ours_{threads}"] = best | {"slowest": max(run["wall"] for run in runs)}
            if (setting, name) in SLOW and not slow:
                record["theirs"] = stored.get(f"{setting}/{name}", {}).get("theirs")
            else:
                record["theirs"] = reference(p, q, their_name, iterations, 0) | {"date": record["date"]}
            stored[f"{setting}/{name}"] = record
            print(setting, name, record, flush=True)


def table(setting, stored):
    rows = [(name, stored[f"{setting}/{name}"]) for name, _, _ in FAMILIES if f"{setting}/{name}" in stored]
    truth = rows[0][1]["truth"]
    lines = [f"## {SETTINGS[setting][2]}", "", f"True JSD {truth:.4f}; errors are estimate − truth, ×100, one seed.", "",
             "| family | iterations | published tool, s | jsdiv, s (slowest run) | ratio | CPU ratio | jsdiv on 2 threads, s "
             "| ratio | published tool's error | our error | measured |",
             "|---|---|---|---|---|---|---|---|---|---|---|"]
    total = [0.0, 0.0, 0.0]
    for name, record in rows:
        theirs, one, two = record["theirs"], record["ours_1"], record["ours_2"]
        error = f"{100 * (one['estimate'] - truth):+.2f}"
        ours_cell = f"{one['wall']:.2f} ({one['slowest']:.2f})"
        iterations = record["iterations"] if name != "mlp" else "-"
        if theirs is None:
            lines.append(f"| {name} | {iterations} | not measured | {ours_cell} | | | {two['wall']:.2f} | | | {error} | "
                         f"{record['date']} |")
            continue
        if (setting, name) not in SLOW:
            total = [total[0] + theirs["wall"], total[1] + one["wall"], total[2] + two["wall"]]
        lines.append(
            f"| {name} | {iterations} | {theirs['wall']:.1f} | {ours_cell} | {theirs['wall'] / one['wall']:.1f}× | "
            f"{theirs['cpu'] / one['cpu']:.1f}× | {two['wall']:.2f} | {theirs['wall'] / two['wall']:.1f}× | "
            f"{100 * (theirs['estimate'] - truth):+.2f} | {error} | {theirs['date']} |")
    if total[1] > 0 and len(rows) > 1:
        left_out = [name for name, _ in rows if (setting, name) in SLOW]
        label = "together" + (f", without {', '.join(left_out)}" if left_out else "")
        lines.append(f"| {label} | | {total[0]:.1f} | {total[1]:.2f} | {total[0] / total[1]:.1f}× | | {total[2]:.2f} | "
                     f"{total[0] / total[2]:.1f}× | | | |")
    auto = stored.get(f"{setting}/auto")
    if auto and total[0] > 0:
        one, two = auto["ours_1"], auto["ours_2"]
        lines += ["", f"`jsdiv estimate P Q` with the recommended estimator on the same pair, all {TRAIN + 2 * EVAL} rows per table: "
                  f"{one['wall']:.2f} s on one thread (slowest of three {one['slowest']:.2f}), {two['wall']:.2f} s on two; error "
                  f"{100 * (one['estimate'] - truth):+.2f}. That is {total[0] / one['wall']:.0f}× and {total[0] / two['wall']:.0f}× as "
                  f"fast as the published tool's families above together ({auto['date']})."]
    return lines + [""]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("report")
    parser.add_argument("--settings", default=",".join(SETTINGS))
    parser.add_argument("--families", default=",".join([name for name, _, _ in FAMILIES] + ["auto"]))
    parser.add_argument("--measure-slow", action="store_true", help="also what takes the published tool hours")
    parser.add_argument("--store", type=pathlib.Path, default=HERE / "stored.json", help="where measurements are kept")
    arguments = parser.parse_args()
    stored = json.loads(arguments.store.read_text()) if arguments.store.exists() else {}
    for setting in arguments.settings.split(","):
        for name in arguments.families.split(","):
            measure(arguments.binary, setting, [name], arguments.measure_slow, stored)
            arguments.store.write_text(json.dumps(stored, indent=2) + "\n")
    lines = ["# Performance", "",
             "`make bench` runs the published tool and jsdiv on the same data, one thread each, with the same number of search "
             "iterations, and writes this page. The tool's time is that of its estimate call, without imports; ours is that of "
             "the whole process, the fastest of three runs (of one if a run takes more than 20 s). The two are measured one "
             "after the other on an otherwise idle machine.", "",
             f"{processor()}, {versions(arguments.binary)}.", ""]
    for setting in SETTINGS:
        if any(key.startswith(f"{setting}/") for key in stored):
            lines += table(setting, stored)
    lines.append((HERE.parent / "memory/measured.md").read_text())  # by benchmarks/memory/measure.py
    lines.append((HERE.parent / "scale/measured.md").read_text())  # by benchmarks/scale/run.py
    pathlib.Path(arguments.report).write_text("\n".join(lines))


if __name__ == "__main__":
    main()
