"""The interval's model (src/uncertainty/population_errors.hpp), in numpy: how far the truth may lie from the estimate.

    above² = row error² + (a · U)²,  U² = (weight · step)² + ((1 − jsd) · c)²
    below² = row error² + (b · V)²,  V² = step² + (jsd · c)²

with c = 1 / (1 + rows / (kappa · columns^alpha)), rows being the training rows of the smaller table, and the step that
from J(n/2) to J(n). The interval reaches z of these errors to either side, z the normal quantile of its level. Three
numbers give the units (kappa, alpha, weight), and one quantile a side says how many of them. Estimates that are the
limit of the learning curve, and those that are not, have numbers of their own.
"""

import csv
from statistics import NormalDist

import numpy as np

LEVEL = 0.95
# What is unknown lies above: of the 5 % of pairs that the interval may miss, 4 % may lie there.
SHARE_ABOVE, SHARE_BELOW = 0.96, 0.99
# Where no limit below the row error's reach was seen, a quarter of the units all the same: the step has an error too.
LEAST_BELOW = 0.25
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
ONE_SIDED_5_PERCENT = NormalDist().inv_cdf(0.95)
GRID = {
    "kappa": [0.5, 1, 2, 4, 8, 16, 32],
    "alpha": [0, 0.5, 1],
    "weight": [0.25, 0.5, 1, 2, 4],
}


def read_pairs(path, kinds):
    """The columns as arrays: numbers where every cell is one, else texts."""
    with open(path, encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["kinds"] == kinds]
    pairs = {}
    for name in rows[0] if rows else []:
        cells = [row[name] for row in rows]
        try:
            pairs[name] = np.array([float(cell) if cell else np.nan for cell in cells])
        except ValueError:
            pairs[name] = np.array(cells)
    return pairs


def is_extrapolated(pairs):
    return pairs["raw"] != pairs["held_out"]


def take(pairs, chosen):
    return {name: values[chosen] for name, values in pairs.items()}


def training_rows(pairs):
    """Of the smaller table, in a fold of `auto`: 10 folds below 500 rows, else 5."""
    smaller = np.minimum(pairs["n"], pairs["n_q"])
    return smaller * np.where(smaller < 500, 0.9, 0.8)


def units(pairs, model):
    """U and V."""
    step = np.maximum(0, pairs["held_out"] - pairs["half"])
    unlearnt = 1 / (1 + training_rows(pairs) / (model["kappa"] * pairs["d"] ** model["alpha"]))
    above = np.hypot(model["weight"] * step, (1 - pairs["jsd"]) * unlearnt)
    below = np.hypot(step, pairs["jsd"] * unlearnt)
    return above, below


def scores(pairs, model):
    """How many units the interval must reach, above and below, to hold the truth; 0 where the row error does."""
    gap = pairs["truth"] - pairs["jsd"]
    beyond = np.sqrt(np.maximum(0, (gap / Z) ** 2 - pairs["held_out_error"] ** 2))
    above, below = units(pairs, model)
    return ratio(np.where(gap > 0, beyond, 0), above), ratio(np.where(gap < 0, beyond, 0), below)


def ratio(distance, unit):
    """Where there is nothing to cover, 0, also in units of 0."""
    return np.divide(distance, unit, out=np.where(distance > 0, np.inf, 0), where=(unit > 0) & (distance > 0))


def upper_quantile(values, share):
    """The smallest value that one more draw stays below with this probability, if draws are exchangeable."""
    place = int(np.ceil(share * (len(values) + 1))) - 1
    return float(np.sort(values)[min(place, len(values) - 1)])


def quantiles(pairs, above, below):
    """A held-out value is a lower bound in expectation: below it there is the row error alone. Only a limit may be too
    high."""
    return {
        "above": upper_quantile(above, SHARE_ABOVE),
        "below": max(LEAST_BELOW, upper_quantile(below, SHARE_BELOW)) if is_extrapolated(pairs).any() else 0,
    }


def intervals(pairs, model, level=LEVEL):
    """As divergence_interval makes them."""
    jsd, row_error = pairs["jsd"], pairs["held_out_error"]
    up, down = units(pairs, model)
    above, below = np.hypot(row_error, model["above"] * up), np.hypot(row_error, model["below"] * down)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    maybe_zero = (jsd < ONE_SIDED_5_PERCENT * below) | (pairs["p_value"] > 0.05)
    maybe_one = 1 - jsd < ONE_SIDED_5_PERCENT * above
    low = np.where(maybe_zero, 0, np.maximum(0, jsd - z * below))
    return low, np.where(maybe_one, 1, np.minimum(1, jsd + z * above))


def interval_score(low, high, truth):
    """Gneiting & Raftery (2007): the width, and what a miss costs. Least, in expectation, for the right quantiles."""
    miss = np.maximum(0, low - truth) + np.maximum(0, truth - high)
    return high - low + 2 / (1 - LEVEL) * miss


def fit(pairs):
    """The numbers of the grid with the least interval score, each with the quantiles that these pairs give it."""
    best, least = None, np.inf
    for kappa in GRID["kappa"]:
        for alpha in GRID["alpha"]:
            for weight in GRID["weight"]:
                model = {"kappa": kappa, "alpha": alpha, "weight": weight}
                model |= quantiles(pairs, *scores(pairs, model))
                score = interval_score(*intervals(pairs, model), pairs["truth"]).mean()
                if score < least:
                    best, least = model, score
    return best
