"""What does `jsdiv explain` cost beyond the estimate, and do its shares add up?

Runs `estimate` and `explain` on one thread, so that the seconds of a stage are CPU seconds but for other work on the
machine; the CPU seconds that `explain` takes beyond `estimate` are divided among its stages in that proportion.

usage: timing.py JSDIV [--columns 50] [--rows 10000] [--families LIST]
"""

import argparse
import csv
import json
import math
import pathlib
import subprocess
import tempfile

STAGES = ("columns", "shares", "pairs", "refits", "slices")


def run(*command):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True)
    return done.stdout


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("jsdiv")
    parser.add_argument("--columns", type=int, default=50)
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("--families", default="")
    arguments = parser.parse_args()
    options = ["--json", "-", "--quiet", "--threads", 1]
    if arguments.families:
        options += ["--families", arguments.families]
    with tempfile.TemporaryDirectory() as folder:
        run(arguments.jsdiv, "simulate", "dimension", "--d", arguments.columns, "--n", arguments.rows, "--out", folder)
        tables = [pathlib.Path(folder, name) for name in ("p.csv", "q.csv")]
        rows = pathlib.Path(folder, "rows.csv")
        estimate = json.loads(run(arguments.jsdiv, "estimate", *tables, "--rows", rows, *options))
        explanation = json.loads(run(arguments.jsdiv, "explain", *tables, *options))
        with rows.open(newline="") as file:
            row_shares = [float(row["share_bits"]) for row in csv.DictReader(file)]

    print(f"{arguments.columns} columns, {arguments.rows} rows per table, {explanation['pairs_examined']} pairs\n")
    beyond = explanation["runtime"]["cpu_seconds"] - estimate["runtime"]["cpu_seconds"]
    seconds = {name: explanation["runtime"]["stages"][name]["seconds"] for name in STAGES}
    print("| stage | CPU seconds |\n|---|---|")
    print(f"| estimate | {estimate['runtime']['cpu_seconds']:.1f} |")
    for name in STAGES:
        print(f"| {name} | {beyond * seconds[name] / sum(seconds.values()):.1f} |")

    total = explanation["held_out"]
    sums = {
        "columns": math.fsum(column["share"]["value"] for column in explanation["columns"]),
        "slices": math.fsum(each["bits"] for each in explanation["slices"]),
        "rows": math.fsum(row_shares),
    }
    print(f"\n| shares of | sum minus the total of {total:.6f} bits |\n|---|---|")
    for name, value in sums.items():
        print(f"| {name} | {value - total:.1e} |")
    before = explanation["explainer"]["sum_before_scaling"]
    own = explanation["explainer"]["held_out"]
    print(
        f"\nBefore scaling, the shares of columns add up to {before['value']:.4f} ± {before['standard_error']:.4f}; "
        f"the explainer found {own:.4f}."
    )


if __name__ == "__main__":
    main()
