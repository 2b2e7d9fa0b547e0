"""An earlier version of jsdiv beside the present model, on the same pairs of kinds that were set aside.

usage: earlier.py RUNS.jsonl [benchmarks/population/pairs.csv]

RUNS.jsonl comes from `run.py --estimator EARLIER/jsdiv --kinds left-out` with seeds, rows and log-ratios of runs that
are in the table of pairs.
"""

import json
import pathlib
import sys

import numpy as np
from fit import calibrated, choose
from model import intervals, predict, read_pairs, smaller_rows

MANY_ROWS = 2000


def read_runs(path):
    with open(path, encoding="utf-8") as lines:
        for record in map(json.loads, lines):
            if "result" in record:
                yield record["seed"], record["truth"]["parameters"], record["truth"]["jsd"], record["result"]


def same_pairs(runs, pairs):
    """Positions in `pairs` and results of the runs that are in both."""
    place = {
        (int(seed), base, log_ratio, int(n), int(d)): i
        for i, (seed, base, log_ratio, n, d) in enumerate(
            zip(*(pairs[name] for name in ("seed", "base", "log_ratio", "n", "d")), strict=True)
        )
    }
    for seed, drawn, truth, result in runs:
        i = place.get((seed, drawn["base"], drawn["log_ratio"], drawn["n"], drawn["d"]))
        if i is not None and abs(pairs["truth"][i] - truth) < 1e-5:
            yield i, result


def line(name, truth, estimate, low, high, chosen):
    holds = (low - 1e-6 <= truth) & (truth <= high + 1e-6)
    error = 100 * np.abs(estimate - truth)
    return (
        f"{name:<10} {chosen.sum():>5} {100 * holds[chosen].mean():>6.0f} % {error[chosen].mean():>8.1f}"
        f" {np.median((high - low)[chosen]):>8.3f}"
    )


def main():
    source = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent / "pairs.csv"
    pairs, calibration = read_pairs(source, "left-out"), read_pairs(source, "calibration")
    positions, results = zip(*same_pairs(read_runs(sys.argv[1]), pairs), strict=True)
    prediction = predict(calibrated(calibration, choose(calibration)), pairs)
    low, high = intervals(pairs, prediction)
    here = np.array(positions)
    truth, now = pairs["truth"][here], (prediction[0][here], low[here], high[here])
    ends = [result["confidence_interval"] for result in results]
    then = tuple(
        np.array(values)
        for values in ([r["jsd"] for r in results], [e["low"] for e in ends], [e["high"] for e in ends])
    )
    held = (then[1] - 1e-6 <= truth) & (truth <= then[2] + 1e-6)
    rows = smaller_rows(pairs)[here]
    print("            pairs   holds  error x100  median width")
    for group, chosen in (
        ("all", rows > 0),
        (f"{MANY_ROWS} rows and more", rows >= MANY_ROWS),
        (f"{MANY_ROWS} rows and more, where the earlier interval holds", (rows >= MANY_ROWS) & held),
    ):
        if not chosen.any():
            continue
        print(group)
        print(line("earlier", truth, *then, chosen))
        print(line("now", truth, *now, chosen))


if __name__ == "__main__":
    main()
