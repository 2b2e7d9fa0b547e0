#!/usr/bin/env python3
"""Judges whether pfn earns its place in the recommended estimator, on kinds of pairs that nothing was trained on.

    judge.py --jsdiv build/jsdiv --out runs.jsonl [--rows 60 200] [--pairs 48] [--first 0]

Draws pairs by `simulate random --kinds left-out` with so many rows of each table, and runs `estimate` on each with all
families but pfn, with all families, and with pfn alone. One line of JSON a run is kept in --out, and runs that are
there are not repeated. The rule: with pfn, the mean absolute error is at most 0.8 times that without, for each number
of rows; a table of 200 x 10 takes at most 2 s of CPU more (--cost measures that alone).
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

CHOICES = {"without": ["--families", "all", "--exclude-families", "pfn"], "with": ["--families", "all"],
           "alone": ["--families", "pfn"]}


def run(*command):
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(" ".join(map(str, command)) + ": " + done.stderr.strip())
    return done.stdout


def estimate(jsdiv, folder, choice):
    result = json.loads(run(jsdiv, "estimate", folder / "p.csv", folder / "q.csv", "--json", "-", "--quiet",
                            "--threads", 1, *CHOICES[choice]))
    weights = {family["name"]: family["weight"] for family in result["families"]}
    return {"choice": choice, "jsd": result["jsd"], "held_out": result["held_out"]["jsd"], "p_value": result["p_value"],
            "low": result["confidence_interval"]["low"], "high": result["confidence_interval"]["high"],
            "pfn_weight": weights.get("pfn"), "cpu_seconds": result["runtime"]["cpu_seconds"]}


def measure(options, known):
    with tempfile.TemporaryDirectory() as name, options.out.open("a") as out:
        folder = pathlib.Path(name) / "pair"
        for seed in range(options.first, options.first + options.pairs):
            for rows in options.rows:
                missing = [choice for choice in options.choices if (seed, rows, choice) not in known]
                if not missing:
                    continue
                run(options.jsdiv, "simulate", "random", "--kinds", "left-out", "--n", rows, "--n-q", rows,
                    "--seed", seed, "--out", folder, "--force")
                truth = json.loads((folder / "truth.json").read_text())
                for choice in missing:
                    line = {"seed": seed, "rows": rows, "truth": truth["jsd"], "oracle": truth["oracle"],
                            "parameters": truth["parameters"], **estimate(options.jsdiv, folder, choice)}
                    out.write(json.dumps(line) + "\n")
                    out.flush()


def measure_cost(jsdiv):
    seconds = {}
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name) / "pair"
        run(jsdiv, "simulate", "dimension", "--d", 10, "--n", 200, "--seed", 1, "--out", folder)
        for choice in ("without", "with"):
            seconds[choice] = estimate(jsdiv, folder, choice)["cpu_seconds"]
    print(f"200 x 10: {seconds['without']:.2f} s without, {seconds['with']:.2f} s with pfn")


def report(lines):
    print("| rows a side | pairs | without: mean error | absolute | with: mean error | absolute | ratio "
          "| alone: mean error | absolute |")
    print("|---|---|---|---|---|---|---|---|---|")
    for rows in sorted({line["rows"] for line in lines}):
        by_choice = {choice: {line["seed"]: 100 * (line["jsd"] - line["truth"]) for line in lines
                              if line["rows"] == rows and line["choice"] == choice} for choice in CHOICES}
        seeds = set.intersection(*(set(errors) for errors in by_choice.values() if errors))
        cells, absolute = [], {}
        for choice, errors in by_choice.items():
            if not errors:
                cells += ["", ""]
                continue
            mean = sum(errors[seed] for seed in seeds) / len(seeds)
            absolute[choice] = sum(abs(errors[seed]) for seed in seeds) / len(seeds)
            cells += [f"{mean:+.1f}", f"{absolute[choice]:.1f}"]
            if choice == "with":
                cells.append(f"{absolute['with'] / absolute['without']:.2f}")
        print(f"| {rows} | {len(seeds)} | " + " | ".join(cells) + " |")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--jsdiv", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--rows", type=int, nargs="+", default=[60, 200])
    parser.add_argument("--pairs", type=int, default=48)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--choices", nargs="+", default=list(CHOICES), choices=list(CHOICES))
    parser.add_argument("--cost", action="store_true", help="measure the CPU time of a table of 200 x 10 as well")
    options = parser.parse_args()
    lines = [json.loads(line) for line in options.out.read_text().splitlines()] if options.out.exists() else []
    measure(options, {(line["seed"], line["rows"], line["choice"]) for line in lines})
    report([json.loads(line) for line in options.out.read_text().splitlines()])
    if options.cost:
        measure_cost(options.jsdiv)


if __name__ == "__main__":
    main()
