"""The errors of the published tool and of jsdiv's paper protocol on the same draws, same search budget.

    errors.py JSDIV [--rho 0.5] [--draws 20] [--families lr-pol]

Prints, for each family, the mean of estimate - truth and of its absolute value over the draws, x100, with their
standard errors. Run it with the Python that has the published tool (run.sh makes one).
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile

from compare import EVAL, FAMILIES, TRAIN, ours, reference


def shown(errors):
    def mean(values):
        return f"{statistics.mean(values):.2f} ± {statistics.stdev(values) / len(values) ** 0.5:.2f}"

    return f"{mean(errors)} | {mean([abs(error) for error in errors])}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary")
    parser.add_argument("--rho", default="0.5")
    parser.add_argument("--draws", type=int, default=20)
    parser.add_argument("--families", default="lr-pol")
    arguments = parser.parse_args()
    print("| family | tool | mean error ×100 | mean absolute error ×100 |\n|---|---|--:|--:|")
    for name, their_name, iterations in FAMILIES:
        if name not in arguments.families.split(","):
            continue
        errors = {"published tool": [], "jsdiv": []}
        for seed in range(100, 100 + arguments.draws):
            with tempfile.TemporaryDirectory() as folder:
                subprocess.run([arguments.binary, "simulate", "dependence", "--rho", arguments.rho, "--n",
                                str(TRAIN + 2 * EVAL), "--seed", str(seed), "--out", folder],
                               check=True, capture_output=True)
                p, q = f"{folder}/p.csv", f"{folder}/q.csv"
                truth = json.loads(pathlib.Path(folder, "truth.json").read_text())["jsd"]
                theirs = reference(p, q, their_name, iterations, seed)
                mine = ours(arguments.binary, p, q, name, iterations, seed, 1)
            errors["published tool"].append(100 * (theirs["estimate"] - truth))
            errors["jsdiv"].append(100 * (mine["estimate"] - truth))
        for tool, values in errors.items():
            print(f"| {name} | {tool} | {shown(values)} |", flush=True)


if __name__ == "__main__":
    main()
