"""Writes docs/coverage.md from the kept runs: coverage and width of the interval, error of the estimate.

usage: report.py docs/coverage.md [benchmarks/population/pairs.csv]

Pairs of the kinds that serve for calibration are judged by models that have seen nothing of their kind of base table
and, in a second table, of their kind of log-ratio; pairs of the kinds that were set aside by the model that ships.
"""

import functools
import pathlib
import sys

import numpy as np
from fit import calibrated, out_of_kind_factors
from model import LEVEL, intervals, is_extrapolated, read_pairs, take

ANY = 10**9
ROWS = [(0, 30), (30, 60), (60, 120), (120, 300), (300, 1000), (1000, ANY)]
COLUMNS = [(1, 4), (4, 12), (12, 30), (30, ANY)]
FEWEST = 8  # pairs of a group that has a line of its own
LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99]
INTRODUCTION = """# Coverage on kinds of pairs it has not seen

How often the interval of `jsdiv estimate` holds the truth on pairs of [the population](population.md), whose divergence
is known because rows were given to P and Q with known probabilities. `make population` writes this page from the kept
runs (`benchmarks/population/pairs.csv`, one row a pair), together with the model that [method.md](method.md) describes.

The population is hard on purpose: many pairs have tens of columns and fewer than a hundred rows, and some differ by a
parity of three columns among fifty, which no estimator finds in so few rows. The estimate is then low, and the interval
has to say so.

*Holds* is the share of pairs whose 95 % interval holds the truth, *missed above* the share whose truth lies above it,
*width* the mean width; then the same for the interval that the runs themselves recorded, whose upper end rests on
constants (before the model was fitted). Errors of the estimate are ×100. Rows are those of the smaller table. Groups
of fewer than {fewest} pairs are not shown.
"""
HEAD = (
    "| pairs | number | holds | missed above | width | recorded: holds | missed above | width | "
    "mean abs. error | bias |\n" + "|---" * 10 + "|"
)
OUT_OF_KIND = """
## Kinds that serve for calibration, each left out in turn

{count} pairs; {sizes}. No pair is judged by a model that was fitted to pairs of its kind.
"""
LEFT_OUT = """
## Kinds that were set aside

{count} pairs; {sizes}. Base table and log-ratio are both of kinds that no choice was made on (`real` base tables are
of another source than those above). They are judged by the model that ships.
"""
LIMITS = """
## What these runs do not show

No pair here has more than {most} rows in its smaller table. That the interval becomes as short as the oracle's with
more rows follows from the form of the model, and `make accuracy` measures it on a few kinds with thousands of rows;
that it holds there on every kind of this population has not been measured. Of the extrapolated estimates there are few
({extrapolated} and {extrapolated_left_out}), so that their quantiles are among the largest distances seen. The estimate
itself is low with few rows, and the model does not move it.
"""


def models_without_kind(pairs, kinds):
    """For each kind and either sort of estimate, the pairs and the model of the other kinds alone."""
    models = []
    for sort in (is_extrapolated(pairs), ~is_extrapolated(pairs)):
        factors = np.zeros((2, len(kinds)))
        factors[:, sort] = out_of_kind_factors(take(pairs, sort))
        for kind in np.unique(kinds[sort]):
            rest = sort & (kinds != kind)
            models.append((sort & (kinds == kind), calibrated(take(pairs, rest), factors[:, rest])))
    return models


def models_of_all(pairs, others):
    """The pairs of others that each of the two models that ship judges."""
    return [
        (which(is_extrapolated(others)), calibrated(take(pairs, which(is_extrapolated(pairs)))))
        for which in (np.copy, np.logical_not)
    ]


def judged_by(models, pairs, level=LEVEL):
    low, high = np.zeros(len(pairs["truth"])), np.zeros(len(pairs["truth"]))
    for chosen, model in models:
        if chosen.any():
            low[chosen], high[chosen] = intervals(take(pairs, chosen), model, level)
    return low, high


def named(least, most, what):
    return f"{least} to {most - 1} {what}" if most < ANY else f"{least} {what} and more"


def smaller_rows(pairs):
    return np.minimum(pairs["n"], pairs["n_q"])


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
    yield "extrapolated", is_extrapolated(pairs)
    yield "not extrapolated", ~is_extrapolated(pairs)
    for name in kinds:
        for kind in np.unique(pairs[name]):
            yield f"`{kind}`", pairs[name] == kind


def share(condition):
    return f"{100 * condition.mean():.0f} %"


def cells_of(low, high, truth):
    return [share((low <= truth) & (truth <= high)), share(truth > high), f"{(high - low).mean():.2f}"]


def table(pairs, low, high, kinds):
    lines = [HEAD]
    for name, chosen in groups_of(pairs, kinds):
        if chosen.sum() < FEWEST:
            continue
        truth, error = pairs["truth"][chosen], 100 * (pairs["jsd"] - pairs["truth"])[chosen]
        cells = cells_of(low[chosen], high[chosen], truth)
        cells += cells_of(pairs["low"][chosen], pairs["high"][chosen], truth)
        cells += [f"{np.abs(error).mean():.1f}", f"{error.mean():+.1f}"]
        lines.append(f"| {name} | {chosen.sum()} | {' | '.join(cells)} |")
    return lines


def levels(truth, judge):
    shares = []
    for level in LEVELS:
        low, high = judge(level)
        shares.append(f"{share((low <= truth) & (truth <= high))} at {100 * level:g} %")
    return "Intervals at other levels hold " + ", ".join(shares) + "."


def main():
    document = pathlib.Path(sys.argv[1])
    source = sys.argv[2] if len(sys.argv) > 2 else pathlib.Path(__file__).resolve().parent / "pairs.csv"
    pairs, others = read_pairs(source, "calibration"), read_pairs(source, "left-out")
    lines = [INTRODUCTION.format(fewest=FEWEST), OUT_OF_KIND.format(count=len(pairs["truth"]), sizes=sizes(pairs))]
    for name, title in (("base", "kind of base table"), ("log_ratio", "kind of log-ratio")):
        judge = functools.partial(judged_by, models_without_kind(pairs, pairs[name]), pairs)
        lines += [f"### By the {title}\n", *table(pairs, *judge(), (name,)), "", levels(pairs["truth"], judge), ""]
    if others:
        judge = functools.partial(judged_by, models_of_all(pairs, others), others)
        lines += [LEFT_OUT.format(count=len(others["truth"]), sizes=sizes(others))]
        lines += [*table(others, *judge(), ("base", "log_ratio")), ""]
        lines += [levels(others["truth"], judge)]
        lines += [
            LIMITS.format(
                most=int(max(smaller_rows(pairs).max(), smaller_rows(others).max())),
                extrapolated=is_extrapolated(pairs).sum(),
                extrapolated_left_out=is_extrapolated(others).sum(),
            )
        ]
    document.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
