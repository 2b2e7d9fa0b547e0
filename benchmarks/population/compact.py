"""Turns the lines of run.py into the table that fit.py and report.py read: one row a pair, numbers to 6 digits.

usage: compact.py [PAIRS.csv] RUNS.jsonl... > pairs.csv

Tables of earlier runs are kept; of two runs of the same pair by the same estimator the later one is.
"""

import csv
import json
import sys

FAMILIES = ["logreg", "lr-pol", "gaussian", "kernel", "rf", "xgboost", "mlp", "pairs"]
DISTANCES = ["mmd2", "energy", "sliced_wasserstein", "auc"]
COLUMNS = [
    "kinds", "seed", "version", "base", "log_ratio", "n", "n_q", "d", "truth", "oracle", "oracle_error", "jsd",
    "raw", "standard_error", "low", "high", "held_out", "held_out_error", "half", "lower_bound", "p_value",
    "noise_floor", "marginal", *DISTANCES, *FAMILIES,
]  # fmt: skip


def row_of(record):
    truth, result = record["truth"], record["result"]
    parameters = truth["parameters"]
    families = {family["name"]: family["raw"] for family in result["families"]}
    distances = result["divergences"]
    return {
        **{key: record[key] for key in ("kinds", "seed", "version")},
        **{key: parameters[key] for key in ("base", "log_ratio", "n", "n_q", "d")},
        "truth": truth["jsd"],
        "oracle": truth["oracle"],
        "oracle_error": truth["oracle_standard_error"],
        "jsd": result["jsd"],
        "raw": result["raw"],
        "standard_error": result["standard_error"],
        "low": result["confidence_interval"]["low"],
        "high": result["confidence_interval"]["high"],
        "held_out": result["held_out"]["jsd"],
        "held_out_error": result["held_out"]["standard_error"],
        "half": result["learning_curve"][0]["jsd"],
        "lower_bound": result["lower_bound"]["value"],
        "p_value": result["p_value"],
        "noise_floor": result.get("noise_floor"),
        "marginal": result["marginal"]["syndat"],
        **{name: distances[name] and distances[name]["value"] for name in DISTANCES},
        **{name: families.get(name) for name in FAMILIES},
    }


def cell(value):
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else value


def rows_of(path):
    with open(path, encoding="utf-8", newline="") as lines:
        if path.endswith(".csv"):
            yield from csv.DictReader(lines)
        else:
            yield from (row_of(record) for record in map(json.loads, lines) if "result" in record)


def main():
    rows = {}
    for path in sys.argv[1:]:
        for row in rows_of(path):
            rows[row["kinds"], row["version"], int(row["seed"])] = row
    out = csv.DictWriter(sys.stdout, COLUMNS, lineterminator="\n")
    out.writeheader()
    for _, row in sorted(rows.items()):
        out.writerow({name: cell(row[name]) for name in COLUMNS})


if __name__ == "__main__":
    main()
