"""Sections of docs/accuracy.md beyond single settings: the population, real pairs, and the worst of all settings."""

import csv
import math
import pathlib
import statistics

from run import FULL
from settings import PAIRS

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
POPULATION = ROOT / "benchmarks" / "population" / "pairs.csv"
COVERAGE = ROOT / "docs" / "coverage.md"
WORST_SHARE = 0.1

NEW_TEXT = """New draws of pairs of [the population](population.md), whose rows are given to P and Q by known posteriors: {count} pairs
that no choice was made on, judged by the interval that `jsdiv estimate` printed ({version}).
[coverage.md](coverage.md) has the tables by rows, columns and kinds.
"""
KEPT_TEXT = """Pairs of [the population](population.md), whose rows are given to P and Q by known posteriors. No pair is judged by a model
that has seen its kind. From [coverage.md](coverage.md), which has the tables by rows, columns and kinds.
"""
PAIRS_TEXT = """Nobody knows the divergence of a real table from a synthetic one. But more rows find more: the held-out value of all
rows is what the interval from a tenth of them has to allow for. *Held out* is that value on the whole tables;
*holds* counts parts whose interval holds it, *above* those where it lies above the interval.
"""
NOT_RUN = "Not part of the run behind this page: it needs the real tables, which are not published with jsdiv."
WORST_TEXT = """Of all {count} settings of this page whose truth is known, the tenth whose intervals hold it least often, and the tenth
with the largest mean absolute error beyond the oracle's.
"""


def share(hits):
    """A share with its binomial standard error."""
    rate = statistics.fmean(hits)
    return f"{100 * rate:.0f} ± {100 * math.sqrt(max(rate * (1 - rate), 0.25 / len(hits)) / len(hits)):.0f} %"


def covers(record):
    return record["confidence_interval"]["low"] <= record["truth"] <= record["confidence_interval"]["high"]


def excess(records):
    """Mean absolute error beyond the oracle's, x100."""
    return 100 * statistics.fmean(abs(r["jsd"] - r["truth"]) - abs(r["oracle"] - r["truth"]) for r in records)


def new_rows(version):
    """A row for each sort of kinds, from the runs of one version of the estimator, and how many pairs these are."""
    groups = {}
    with POPULATION.open(encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file):
            if row["version"] == version:
                record = {key: float(row[key]) for key in ("jsd", "truth", "low", "high")}
                groups.setdefault((row["kinds"], row["base"].startswith("real ")), []).append(record)
    names = {("calibration", False): "(b) kinds that serve for calibration", ("left-out", False): "(c) kinds left out entirely",
             ("calibration", True): "(d) a real table, log-ratios of (b)", ("left-out", True): "(d) another real table, log-ratios of (c)"}
    rows = []
    for key, name in names.items():
        if records := groups.get(key):
            errors = [100 * (r["jsd"] - r["truth"]) for r in records]
            rows.append(f"| {name} | {len(records)} | {share([r['low'] <= r['truth'] <= r['high'] for r in records])} | "
                        f"{share([r['truth'] > r['high'] for r in records])} | "
                        f"{statistics.fmean(r['high'] - r['low'] for r in records):.2f} | "
                        f"{statistics.fmean(map(abs, errors)):.1f} | {statistics.fmean(errors):+.1f} |")
    return rows, sum(map(len, groups.values()))


def kept_rows():
    """The lines of coverage.md on all pairs and on real tables, in the columns of this page."""
    names = {
        "By the kind of base table": "(b) kinds that serve for calibration, each kind of base table left out in turn",
        "By the kind of log-ratio": "(b) the same pairs, each kind of log-ratio left out in turn",
        "Kinds that were set aside": "(c) kinds left out entirely",
    }
    rows, title, columns = [], "", []
    for line in COVERAGE.read_text(encoding="utf-8").splitlines() if COVERAGE.exists() else []:
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("#"):
            title = next((name for start, name in names.items() if line.lstrip("# ").startswith(start)), "")
        elif line.startswith("| pairs |"):
            columns = cells
        elif title and line.startswith(("| all |", "| `real ")):
            found = dict(reversed(list(zip(columns, cells, strict=True))))
            name = title if cells[0] == "all" else f"(d) the table {cells[0].strip('`').removeprefix('real ')}"
            chosen = [found.get(key, "") for key in ("number", "holds", "above", "width", "mean abs. error", "bias")]
            rows.append(f"| {' | '.join([name, *chosen])} |")
    return rows


def population_section(version):
    """`version` is that of new draws in the kept runs, if there are any."""
    rows, count = new_rows(version) if version else (kept_rows(), 0)
    if not rows:
        return []
    return ["\n## (b), (c) Kinds used for calibration, and kinds left out\n",
            NEW_TEXT.format(count=count, version=version) if version else KEPT_TEXT,
            "| kinds | pairs | holds | truth above | mean width | mean abs. error | bias |\n" + "|---" * 7 + "|", *rows]


def held_by(interval, value):
    return interval["low"] <= value <= interval["high"]


def pair_rows(draws):
    """A row for the first and the last rung of each real pair."""
    rows = []
    for pair in PAIRS:
        records = draws.get(pair.name, [])
        whole = next((r for r in records if r["seed"] == FULL), None)
        parts = [r for r in records if r["seed"] != FULL]
        if whole is None or not parts:
            continue
        for i in sorted({0, len(whole["ladder"]) - 1}):
            rung = whole["ladder"][i]
            found = [each for r in parts for each in r["ladder"] if each["rung"] == rung["rung"]]
            if not found:
                continue
            value = rung["held_out"]["jsd"]
            intervals = [each["confidence_interval"] for each in found]
            width = statistics.fmean(each["high"] - each["low"] for each in intervals)
            rows.append(f"| {pair.name} | {rung['rung']} | {value:.3f} ± {rung['held_out']['standard_error']:.3f} | {len(found)} | "
                        f"{statistics.fmean(each['held_out']['jsd'] for each in found):.3f} | "
                        f"{statistics.fmean(each['jsd'] for each in found):.3f} | {width:.3f} | "
                        f"{sum(held_by(each, value) for each in intervals)} | {sum(value > each['high'] for each in intervals)} |")
    return rows


def pairs_section(draws):
    rows = pair_rows(draws)
    if not rows:
        return ["\n## (e) Real pairs, without any truth\n", NOT_RUN]
    return ["\n## (e) Real pairs, without any truth\n", PAIRS_TEXT,
            "| tables | rung | held out, all rows | parts | held out, a tenth | estimate, a tenth | mean width | holds | above |\n"
            + "|---" * 9 + "|", *rows]


def worst_section(named):
    """`named`: (name, records) of every setting with a truth."""
    count = max(1, round(WORST_SHARE * len(named)))
    if not named:
        return []
    rows = []
    for title, key in (("coverage", lambda each: statistics.fmean(map(covers, each[1]))), ("error", lambda each: -excess(each[1]))):
        for name, records in sorted(named, key=key)[:count]:
            rows.append(f"| {title} | {name} | {len(records)} | {statistics.fmean(r['truth'] for r in records):.3f} | "
                        f"{share([covers(r) for r in records])} | {100 * statistics.fmean(r['jsd'] - r['truth'] for r in records):+.2f} | "
                        f"{excess(records):.2f} |")
    return ["\n## The worst tenth of the settings\n", WORST_TEXT.format(count=len(named)),
            "| worst by | setting | draws | true JSD | coverage | mean error | error beyond the oracle's |\n" + "|---" * 7 + "|", *rows]
