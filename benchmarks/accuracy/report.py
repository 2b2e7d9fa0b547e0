"""Writes the tables of docs/accuracy.md from the draws that run.py kept.

    report.py JSDIV OUT DOCUMENT.md [VERSION]

VERSION is that of runs in benchmarks/population/pairs.csv that are new draws: made after every choice, by this estimator.
"""

import datetime
import json
import math
import pathlib
import statistics
import subprocess
import sys

import everyday
from evidence import NOT_RUN, covers, pairs_section, population_section, share, worst_section
from run import program_hash
from settings import SETTINGS

NOMINAL = 0.95
UNLIKELY = 0.05

INTRODUCTION = """# Accuracy

How far `jsdiv estimate P Q`, without options, is from the truth on fresh draws of pairs with a known divergence.
`make accuracy` repeats the measurement, with 40 draws per setting unless told otherwise, and writes this page; each
table says how many draws are behind it. `make accuracy-full` runs 400 draws per setting. Both resume after an
interruption, and can be split across machines (`benchmarks/accuracy/run.py --shard i/n`).

How much the figures prove depends on how the pairs were used, so they are listed separately: (a) the paper's pairs;
(b) new draws of the kinds of pairs that the interval was calibrated on; (c) kinds that were not used for any choice;
(d) real tables whose rows are assigned to P and Q by known posteriors; (e) real pairs, whose true divergence is
unknown. The pairs with few rows and without a quadratic log-ratio are of kinds that were examined while the estimator
was developed.

Errors are ×100. The *oracle* knows both densities and averages over the same rows, so no estimator can be expected to
do better. |jsd − oracle| is the additional error of the estimate. *Published* is the mean absolute error of the best of the
paper's six families in that setting, on its own draws. *Coverage* is the share of draws whose 95 % interval contains the
truth, with its binomial standard error, followed by the coverage of the oracle's own 95 % intervals on the same draws:
a few unlucky draws show in both. *Width* is the median width of the interval relative to the oracle's own; *bound* is
the share of draws whose lower bound lies below the truth. *Steps* is how far the oracle lies above the held-out value,
in steps of the learning curve from half of the training rows to all of them (ratio of the means).

{date}, {version}, seeds from 0 upwards, one thread per draw.
"""

EVERYDAY = """Typical user tables, made by `benchmarks/accuracy/everyday.py`, with a divergence that is known by construction. A
draw is *right* if the interval contains the truth, the lower bound lies below it, a difference of 0.05 or more has
p ≤ 0.05, the expected warning is present and, if the number formats differ, the interval of each rung of the *ladder*
(as stored / on common grids / content) contains its own truth.
"""


def is_short(hits):
    """True if so few hits are unlikely at the nominal coverage."""
    chances = (math.comb(len(hits), k) * NOMINAL**k * (1 - NOMINAL) ** (len(hits) - k) for k in range(sum(hits) + 1))
    return sum(chances) < UNLIKELY


def load(folder):
    draws = {}
    for path in sorted(folder.glob("*.json")):
        record = json.loads(path.read_text())
        draws.setdefault(record["setting"], []).append(record)
    return draws


def with_error(values):
    spread = statistics.stdev(values) / math.sqrt(len(values)) if len(values) > 1 else 0.0
    return f"{statistics.fmean(values):.2f} ± {spread:.2f}"


def oracle_width(records):
    """Twice 1.96 standard deviations of the oracle around the truth; 0 where it has none."""
    return 2 * 1.96 * math.sqrt(statistics.fmean((r["oracle"] - r["truth"]) ** 2 for r in records))


def oracle_covers(record):
    return abs(record["oracle"] - record["truth"]) <= 1.96 * record["oracle_standard_error"]


def bounded(record):
    return record["lower_bound"]["value"] <= record["truth"]


def steps_to_oracle(records):
    """Of the learning curve, from the held-out value on; nothing where most draws were not extrapolated."""
    if statistics.median(r["raw"] == r["held_out"]["jsd"] for r in records):
        return ""
    curves = [{point["fraction"]: point["jsd"] for point in r["learning_curve"]} for r in records]
    missing = statistics.fmean(r["oracle"] - curve[1.0] for r, curve in zip(records, curves, strict=True))
    return f"{missing / statistics.fmean(curve[1.0] - curve[0.5] for curve in curves):.1f}"


def accuracy_row(setting, records):
    width = statistics.median(r["confidence_interval"]["high"] - r["confidence_interval"]["low"] for r in records)
    oracle = oracle_width(records)
    return " | ".join([
        f"| {setting.name}", f"{len(records)}", f"{statistics.fmean(r['truth'] for r in records):.4f}",
        f"{100 * statistics.fmean(r['jsd'] - r['truth'] for r in records):+.2f}",
        with_error([100 * abs(r["jsd"] - r["truth"]) for r in records]),
        with_error([100 * abs(r["oracle"] - r["truth"]) for r in records]),
        with_error([100 * abs(r["jsd"] - r["oracle"]) for r in records]),
        "" if setting.published is None else f"{setting.published:.2f}",
        share([covers(r) for r in records]), f"{100 * statistics.fmean(map(oracle_covers, records)):.0f} %",
        f"{width / oracle:.1f} ×" if oracle > 0 else f"({100 * width:.2f})",
        share([bounded(r) for r in records]), steps_to_oracle(records),
        f"{statistics.fmean(r['seconds'] for r in records):.1f} |"])


def null_row(setting, records):
    rejected = [r["p_value"] <= 0.05 for r in records]
    return (f"| {setting.name} | {len(records)} | {records[0]['truth']:.4f} | {with_error([100 * r['jsd'] for r in records])} | "
            f"{share(rejected)} | {statistics.fmean(r['seconds'] for r in records):.1f} |")


def everyday_rows(draws):
    """One row a case, and what was wrong, the commonest fault of each case first."""
    rows, wrong = [], []
    for case in everyday.CASES:
        records = draws.get(case.name)
        if not records:
            continue
        right = [not r["faults"] for r in records]
        rungs = [[rung["jsd"] for rung in r["ladder"]] for r in records if r["ladder"] and len(r["ladder"]) == 3]
        rows.append(" | ".join([
            f"| {case.name.replace('_', ' ')}", f"{case.rows}", f"{len(records)}", "" if case.truth is None else f"{case.truth:.3f}",
            f"{statistics.fmean(r['jsd'] for r in records):.3f}", " / ".join(f"{statistics.fmean(rung):.3f}" for rung in zip(*rungs)),
            f"{sum(right)} of {len(right)}",
            share([r["p_value"] is not None and r["p_value"] <= 0.05 for r in records]) if case.null else "",
            f"{statistics.fmean(r['seconds'] for r in records):.1f} |"]))
        found = [fault for r in records for fault in r["faults"]]
        if found:
            wrong.append(f"- {case.name.replace('_', ' ')}: {max(set(found), key=found.count)}")
    return rows, wrong


def main():
    binary, out, document = sys.argv[1:4]
    draws = load(pathlib.Path(out) / program_hash(binary))
    if not draws:
        sys.exit(f"{out} holds no draws of this build; run run.py first")
    version = subprocess.run([binary, "--version"], capture_output=True, text=True, check=True).stdout.strip()
    lines = [INTRODUCTION.format(date=datetime.date.today().isoformat(), version=version)]
    header = ("| setting | draws | true JSD | mean error | mean abs. error | oracle's | abs. jsd − oracle | published | "
              "coverage | oracle's | width | bound | steps | seconds |\n" + "|---" * 14 + "|")
    titles = {"paper": "(a) The paper's controlled pairs, 6,000 rows per table",
              "split": "(d) Real tables, split by known posteriors", "small": "Few rows",
              "ours": "Pairs without a quadratic log-ratio, 3,000 rows per table",
              "restricted": "The same without the families gaussian and lr-pol"}
    for group, title in titles.items():
        rows = [accuracy_row(s, draws[s.name]) for s in SETTINGS if s.group == group and s.name in draws]
        if rows:
            mean = statistics.fmean(100 * abs(r["jsd"] - r["truth"]) for s in SETTINGS if s.group == group
                                    for r in draws.get(s.name, []))
            lines += [f"\n## {title}\n", header, *rows, f"\nMean absolute error over all of these draws: {mean:.2f}."]
        elif group == "split":
            lines += [f"\n## {title}\n", NOT_RUN]
        if group == "paper":
            lines += population_section(sys.argv[4] if len(sys.argv) > 4 else "")
        if group == "split":
            lines += pairs_section(draws)
    rows = [null_row(s, draws[s.name]) for s in SETTINGS if s.group == "null" and s.name in draws]
    if rows:
        lines += ["\n## Equal tables, and nearly equal ones\n", "Rejected: p ≤ 0.05.\n",
                  "| setting | draws | true JSD | mean estimate | rejected | seconds |\n|---|---|---|---|---|---|", *rows]
    rows, wrong = everyday_rows(draws)
    if rows:
        lines += ["\n## Everyday tables\n", EVERYDAY, "| table | rows per table | draws | true JSD | mean estimate | ladder | right | "
                  "p ≤ 0.05 | seconds |\n" + "|---" * 9 + "|", *rows]
        lines += ["\nWhat was wrong, one example per table:\n", *wrong] if wrong else []
    lines += worst_section([(s.name, draws[s.name]) for s in SETTINGS if s.group in titles and s.name in draws])
    short = [s.name for s in SETTINGS if s.group in titles and s.name in draws
             and is_short(list(map(covers, draws[s.name])))]
    if short:
        bound_holds = all(bounded(r) for s in SETTINGS if s.name in short for r in draws[s.name])
        lines += ["\n## Where it falls short\n",
                  f"The interval contains the truth less often than a coverage of {100 * NOMINAL:.0f} % would allow in "
                  f"{100 * (1 - UNLIKELY):.0f} of 100 campaigns of as many draws: {'; '.join(short)}. If the oracle's share is as "
                  "low, the draws are unlucky. A negative mean error says that the classifiers missed more than on similar "
                  "pairs of the population, a positive one that they missed less." + (" The lower bound holds in all of these draws." if bound_holds else "")]
    pathlib.Path(document).write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
