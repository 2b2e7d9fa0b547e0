"""Writes docs/coverage.md from the kept runs: coverage and width of the interval, error of the estimate.

usage: report.py docs/coverage.md [benchmarks/population/pairs.csv]

Pairs of the kinds that serve for calibration are judged by models that have seen nothing of their kind of base table
and, in a second table, of their kind of log-ratio; pairs of the kinds that were set aside by the model that ships.
"""

import pathlib
import sys

import numpy as np
from fit import calibrated, choose, without_kind
from model import intervals, predict, read_pairs, smaller_rows, take

ANY = 10**9
ROWS = [(0, 30), (30, 60), (60, 120), (120, 300), (300, 1000), (1000, ANY)]
COLUMNS = [(1, 4), (4, 12), (12, 30), (30, ANY)]
FEWEST = 8  # pairs of a group that has a line of its own
LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99]
INTRODUCTION = """# Coverage on unseen kinds of pairs

How often the interval of `jsdiv estimate` contains the truth on pairs of [the population](population.md), whose
divergence is known because rows were assigned to P and Q with known probabilities. `make population` writes this page
from the stored runs (`benchmarks/population/pairs.csv`, one row per pair), together with the model that
[method.md](method.md) describes.

The population is deliberately hard: many pairs have tens of columns and fewer than a hundred rows, and some differ
only in the parity of three columns among fifty, which no estimator finds with so few rows. The interval has to
reflect this.

*Holds* is the share of pairs whose 95 % interval contains the truth, *above* and *below* the shares whose truth lies
above or below the interval, and *width* the mean width. Errors of the estimate are ×100. *Limit alone* is the estimate
of version 0.1.0, which adds 1.9 steps of the learning curve if there are at least 100 training rows, and nothing
otherwise. Rows are those of the smaller table. Groups of fewer than {fewest} pairs are not shown.
"""
HEAD = (
    "| pairs | number | holds | above | below | width | mean abs. error | bias | limit alone: mean abs. error | bias |\n"
    + "|---" * 10
    + "|"
)
OUT_OF_KIND = """
## Kinds used for calibration, each left out in turn

{count} pairs; {sizes}. No pair is evaluated with a model that was fitted to pairs of its kind.
"""
LEFT_OUT = """
## Kinds that were set aside

{count} pairs; {sizes}. Base table and log-ratio are both of kinds that were not used for any choice (`real` base
tables come from another source than those above). They are evaluated with the model that jsdiv uses.
"""
LIMITS = """
## What these runs do not show

No pair here has more than {most} rows in its smaller table; {many} have 1,000 or more. With more rows, the interval becomes as
short as the oracle's by construction, and `make accuracy` measures this on a few kinds with thousands of rows. Nothing
is added to an estimate that is not clearly above 0, so that equal tables give 0. On this population, where only 8 % of
the pairs are equal, that costs accuracy with few rows.
"""


class Judged:
    """The estimates and intervals of these pairs."""

    def __init__(self, pairs, prediction):
        self.pairs, self.prediction, self.truth = pairs, prediction, pairs["truth"]
        self.low, self.high = intervals(pairs, prediction)

    def cells(self, chosen):
        low, high, truth = self.low[chosen] - 1e-9, self.high[chosen] + 1e-9, self.truth[chosen]
        cells = [share((low <= truth) & (truth <= high)), share(truth > high), share(truth < low)]
        cells.append(f"{(high - low).mean():.2f}")
        for estimate in (self.prediction[0], self.pairs["jsd"]):
            error = 100 * (estimate[chosen] - truth)
            cells += [f"{np.abs(error).mean():.1f}", f"{error.mean():+.1f}"]
        return cells

    def levels(self):
        shares = []
        for level in LEVELS:
            low, high = intervals(self.pairs, self.prediction, level)
            holds = (low - 1e-9 <= self.truth) & (self.truth <= high + 1e-9)
            shares.append(f"{share(holds)} at {100 * level:g} %")
        return "Intervals at other levels hold " + ", ".join(shares) + "."


def judged_out_of_kind(pairs, chosen, by):
    prediction = np.zeros((3, len(pairs["truth"])))
    for sort, out, model in without_kind(pairs, chosen):
        if sort == by:
            prediction[:, out] = predict(model, take(pairs, out))
    return Judged(pairs, prediction)


def named(least, most, what):
    return f"{least} to {most - 1} {what}" if most < ANY else f"{least} {what} and more"


def sizes(pairs):
    rows, columns = smaller_rows(pairs), pairs["d"]
    return (
        f"{rows.min():.0f} to {rows.max():.0f} rows, {np.median(rows):.0f} in the median, and {columns.min():.0f} to "
        f"{columns.max():.0f} columns, {np.median(columns):.0f} in the median"
    )


def groups_of(pairs, kinds):
    smaller = smaller_rows(pairs)
    yield "all", np.ones(len(smaller), bool)
    for least, most in ROWS:
        yield named(least, most, "rows"), (smaller >= least) & (smaller < most)
    for least, most in COLUMNS:
        yield named(least, most, "columns"), (pairs["d"] >= least) & (pairs["d"] < most)
    yield "JSD 0", pairs["truth"] == 0
    for name in kinds:
        for kind in np.unique(pairs[name]):
            yield f"`{kind}`", pairs[name] == kind


def share(condition):
    return f"{100 * condition.mean():.0f} %"


def table(judged, kinds):
    lines = [HEAD]
    for name, chosen in groups_of(judged.pairs, kinds):
        if chosen.sum() >= FEWEST:
            lines.append(f"| {name} | {chosen.sum()} | {' | '.join(judged.cells(chosen))} |")
    return [*lines, "", judged.levels(), ""]


def cells_of_sizes(judged):
    """Coverage by rows and columns together, with the number of pairs."""
    smaller, columns = smaller_rows(judged.pairs), judged.pairs["d"]
    holds = (judged.low - 1e-9 <= judged.truth) & (judged.truth <= judged.high + 1e-9)
    lines = ["| rows | " + " | ".join(named(*each, "columns") for each in COLUMNS) + " |", "|---" * 5 + "|"]
    for least, most in ROWS:
        row = [named(least, most, "rows")]
        for fewest, largest in COLUMNS:
            inside = (smaller >= least) & (smaller < most) & (columns >= fewest) & (columns < largest)
            row.append(f"{share(holds[inside])} of {inside.sum()}" if inside.any() else "")
        lines.append("| " + " | ".join(row) + " |")
    return ["Pairs that the interval holds, by rows and columns together:", "", *lines, ""]


def main():
    document = pathlib.Path(sys.argv[1])
    source = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent / "pairs.csv"
    pairs, others = read_pairs(source, "calibration"), read_pairs(source, "left-out")
    chosen = choose(pairs)
    lines = [INTRODUCTION.format(fewest=FEWEST), OUT_OF_KIND.format(count=len(pairs["truth"]), sizes=sizes(pairs))]
    for by, title in (("base", "kind of base table"), ("log_ratio", "kind of log-ratio")):
        lines += [f"### By the {title}\n", *table(judged_out_of_kind(pairs, chosen, by), (by,))]
    lines += [LEFT_OUT.format(count=len(others["truth"]), sizes=sizes(others))]
    judged = Judged(others, predict(calibrated(pairs, chosen), others))
    lines += [*table(judged, ("base", "log_ratio")), *cells_of_sizes(judged)]
    rows = np.concatenate([smaller_rows(pairs), smaller_rows(others)])
    lines += [LIMITS.format(most=int(rows.max()), many=(rows >= 1000).sum())]
    document.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
