"""The population's model (src/uncertainty/population.hpp), in numpy: where the truth of pairs like this one lies.

A run knows J(n) and J(n/2) with the error s of its rows, the training rows n of the smaller table and the columns d. Two numbers say how much there may be left to learn: the step J(n) - J(n/2), and (1 - J(n)) c with
c = 1 / (1 + n / (kappa d^alpha)). A first guess goes on from J(n) by so many of each; the distance of the truth from it,
in units W² = s² + step² + ((1 - J(n)) c)², is then looked up among the pairs of the population that are most like this
one: weighted quantiles of the k nearest, in scaled coordinates. Where 0 is not excluded, the interval has one open end,
which gets all of the 5 % that it may miss.
"""

import csv
from statistics import NormalDist

import numpy as np

LEVEL = 0.95
TAIL = 0.5 - LEVEL / 2
Z = NormalDist().inv_cdf(0.5 + LEVEL / 2)
ONE_SIDED_5_PERCENT = NormalDist().inv_cdf(0.95)
COORDINATES = ["value", "step", "rows", "columns", "clear"]
# Beyond it, rows make no pair less alike: what still changes with them is in the units.
MOST_ROWS = 5000
# Row errors above 0 from which an estimate follows the pairs like it a little, and all the way. Lower ones would err
# less on the population, of which few pairs are equal, and more on tables that are all but equal.
NOT_CLEAR, CLEAR = 0.5, 1.5


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


def take(pairs, chosen):
    return {name: values[chosen] for name, values in pairs.items()}


def smaller_rows(pairs):
    return np.minimum(pairs["n"], pairs["n_q"])


def training_rows(pairs):
    """Of the smaller table, in a fold of `auto`: 10 folds below 500 rows, else 5."""
    smaller = smaller_rows(pairs)
    folds = np.clip(smaller // 2, 2, np.where(smaller < 500, 10, 5))
    return smaller - np.ceil(smaller / folds)


class Facts:
    """What a run knows, as arrays over the pairs, and what follows from it for these numbers kappa and alpha."""

    def __init__(self, pairs, kappa, alpha):
        self.value = np.clip(pairs["held_out"], 0, 1)
        self.row_error = pairs["held_out_error"]
        self.step = np.maximum(0, pairs["held_out"] - pairs["half"])
        rows = training_rows(pairs)
        self.unlearnt = (1 - self.value) / (1 + rows / (kappa * pairs["d"] ** alpha))
        self.unit = np.maximum(1e-9, np.sqrt(self.row_error**2 + self.step**2 + self.unlearnt**2))
        clear = np.divide(pairs["held_out"], self.row_error, out=np.zeros(len(rows)), where=self.row_error > 0)
        self.clear = np.clip(clear, 0, 4)
        # An estimate that is not clear of 0 stays where it is; one that is goes all the way.
        self.share = np.clip((clear - NOT_CLEAR) / (CLEAR - NOT_CLEAR), 0, 1)
        self.tails = np.column_stack([
            np.full(len(rows), TAIL), np.full(len(rows), 0.5), 1 - 2 * TAIL + TAIL * self.share
        ])  # fmt: skip
        self.coordinates = np.column_stack([
            np.sqrt(self.value),
            np.sqrt(np.minimum(1, self.step / np.maximum(0.02, 1 - self.value))),
            np.log(np.minimum(rows, MOST_ROWS)),
            np.log(pairs["d"]),
            self.clear,
        ])  # fmt: skip

    def basis(self):
        return np.column_stack([self.step, self.unlearnt, self.row_error])


def least_absolute(basis, target):
    """Coefficients with the least sum of absolute residuals, by reweighted least squares."""
    weights = np.ones(len(target))
    for _ in range(100):
        found = np.linalg.lstsq(basis * weights[:, None], target * weights, rcond=None)[0]
        weights = 1 / np.sqrt(np.maximum(1e-4, np.abs(target - basis @ found)))
    return found


def first_guess(facts, coefficients):
    return facts.value + facts.share * np.maximum(0, facts.basis() @ coefficients)


def fit_guess(pairs, facts):
    inside = facts.share > 0
    target = (pairs["truth"] - facts.value)[inside] / facts.unit[inside]
    return least_absolute(facts.share[inside, None] * facts.basis()[inside] / facts.unit[inside, None], target)


def weighted_quantiles(values, weights, shares):
    """[shares], linear between the middles of the weights."""
    order = np.argsort(values, kind="stable")
    summed = np.cumsum(weights[order])
    return np.interp(shares, (summed - 0.5 * weights[order]) / summed[-1], values[order])


def neighbour_quantiles(distances, residuals, k, shares):
    """[queries, shares] of the residuals of the k nearest pairs; distances are [queries, pairs], inf for those that do
    not count. Shares are [queries, shares]."""
    found = np.zeros(shares.shape)
    for i, row in enumerate(distances):
        nearest = np.argpartition(row, k)[: k + 1]
        reach = row[nearest].max()
        weights = 1 - (row[nearest] / reach) ** 2
        found[i] = weighted_quantiles(residuals[nearest], weights, shares[i])
    return found


def distances(coordinates, others, scales):
    return np.sqrt((((coordinates[:, None, :] - others[None, :, :]) * scales) ** 2).sum(2))


def predict(model, pairs):
    """Estimate, and standard errors below and above it, of these pairs."""
    facts = Facts(pairs, model["kappa"], model["alpha"])
    quantiles = neighbour_quantiles(
        distances(facts.coordinates, model["coordinates"], model["scales"]), model["residuals"], model["k"], facts.tails
    )
    return put_together(facts, first_guess(facts, model["guess"]), quantiles, model["widen"])


def put_together(facts, guess, quantiles, widen):
    low, middle, high = (guess + facts.unit * quantiles.T[i] for i in range(3))
    middle = np.clip(middle, facts.value, 1)
    estimate = facts.value + facts.share * (middle - facts.value)
    below = np.maximum(facts.row_error, widen[0] * (middle - low) / Z - (middle - estimate) / Z)
    above = np.maximum(facts.row_error, (widen[1] * (high - middle) + middle - estimate) / Z)
    return estimate, below, above


def intervals(pairs, prediction, level=LEVEL):
    """As divergence_interval makes them."""
    estimate, below, above = prediction
    z = NormalDist().inv_cdf(0.5 + level / 2)
    one_sided = max(0, NormalDist().inv_cdf(level))
    maybe_zero = (estimate < one_sided * below) | (pairs["p_value"] > 1 - level)
    maybe_one = 1 - estimate < one_sided * above
    low = np.where(maybe_zero, 0, np.maximum(0, estimate - z * below))
    return low, np.where(maybe_one, 1, np.minimum(1, estimate + z * above))
