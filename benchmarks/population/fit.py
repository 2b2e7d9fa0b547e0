"""Fits the population's model to the kept runs and writes it as a source file of the library.

usage: fit.py [benchmarks/population/pairs.csv] [src/uncertainty/population_model.cpp]

Needs numpy; takes some minutes. What is chosen (the units, the scales of the coordinates, the number of neighbours, by
how much the quantiles are widened) is chosen by pairs none of whose neighbours is of their own kind of base table or of
their own kind of log-ratio.
"""

import itertools
import pathlib
import sys

import numpy as np
from model import (
    COORDINATES,
    Facts,
    distances,
    first_guess,
    fit_guess,
    intervals,
    neighbour_quantiles,
    put_together,
    read_pairs,
    take,
)

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ("base", "log_ratio")
KAPPAS, ALPHAS, NEIGHBOURS = (1, 2, 4), (0.5, 1), (60, 100, 150)
# Where the search for the scales begins: a doubling of the rows is as far as so much more of the others.
FIRST_SCALES = np.array([4, 4, 0.4, 0.5, 0.8])
# Of the 5 % of pairs that an interval may miss: all of them above, where it begins at 0.
MOST_ABOVE, MOST_BELOW = 0.03, 0.02
# Of the pairs of any one kind: an unknown kind may be as unlike the others as the least favourable known one.
MOST_OF_A_KIND = 0.1
FAR = 1e9
SOURCE = """#include "uncertainty/population_model.hpp"

namespace jsdiv {{
namespace {{

// Made by benchmarks/population/fit.py from {count} pairs of the population (docs/population.md); do not edit.
constexpr PopulationPair pairs[] = {{
{pairs}
}};

}}  // namespace

const PopulationModel& population_model() {{
  static const PopulationModel model = {{
      .kappa = {kappa:g},
      .alpha = {alpha:g},
      .guess = {{{guess}}},
      .scales = {{{scales}}},
      .neighbours = {k},
      .widen_below = {below:.4g},
      .widen_above = {above:.4g},
      .pairs = pairs}};
  return model;
}}

}}  // namespace jsdiv
"""


def settled(pairs, kappa, alpha):
    """The facts of the pairs, the coefficients of the first guess, and the truths' distances from it in units."""
    facts = Facts(pairs, kappa, alpha)
    guess = fit_guess(pairs, facts)
    return facts, guess, (pairs["truth"] - first_guess(facts, guess)) / facts.unit


def out_of_kind_quantiles(pairs, facts, residuals, scales, k):
    """Quantiles of the residuals of neighbours that have neither kind in common with a pair."""
    between = distances(facts.coordinates, facts.coordinates, scales)
    same = np.any([pairs[by][:, None] == pairs[by][None, :] for by in KINDS], axis=0)
    return neighbour_quantiles(np.where(same, FAR, between), residuals, k, facts.tails)


def loss(pairs, kappa, alpha, scales, k):
    """Mean pinball loss of the median and of the two ends out of kind, each pair in proportion to what its rows leave
    open."""
    facts, guess, residuals = settled(pairs, kappa, alpha)
    quantiles = out_of_kind_quantiles(pairs, facts, residuals, scales, k)
    places = np.clip(first_guess(facts, guess)[:, None] + facts.unit[:, None] * quantiles, 0, 1)
    miss = pairs["truth"][:, None] - places
    pinball = np.maximum(facts.tails * miss, (facts.tails - 1) * miss) * [2, 1, 2]
    return (pinball.sum(1) / np.sqrt(np.hypot(facts.row_error, 0.02))).mean()


def choose(pairs):
    """Kappa, alpha, scales and k: a grid of the first two, then one coordinate after the other."""
    scales, k = FIRST_SCALES.copy(), NEIGHBOURS[1]
    kappa, alpha = min(itertools.product(KAPPAS, ALPHAS), key=lambda each: loss(pairs, *each, scales, k))
    for j in range(len(scales)):
        trials = [np.where(np.arange(len(scales)) == j, factor, 1) * scales for factor in (0.5, 1, 2)]
        scales = min(trials, key=lambda trial: loss(pairs, kappa, alpha, trial, k))
    k = min(NEIGHBOURS, key=lambda each: loss(pairs, kappa, alpha, scales, each))
    return {"kappa": kappa, "alpha": alpha, "scales": scales, "k": k}


def share(missed):
    """Of the next pair: itself may be a miss."""
    return (missed.sum() + 1) / (len(missed) + 1)


def widening(predict, pairs, facts):
    """The least factors by which the quantiles must be drawn apart, so that few enough truths lie beyond either end, of
    all pairs and of each kind. `predict` gives the predictions for such factors."""
    kinds = [pairs[by] == kind for by in KINDS for kind in np.unique(pairs[by])]
    most = MOST_BELOW, (MOST_ABOVE + MOST_BELOW * (1 - facts.share)).mean()

    def too_many(side, widen):
        low, high = intervals(pairs, predict(widen))
        missed = pairs["truth"] > high + 1e-9 if side else pairs["truth"] < low - 1e-9
        return share(missed) > most[side] or max(share(missed[kind]) for kind in kinds) > MOST_OF_A_KIND

    widen = [1.0, 1.0]
    for side in range(2):
        while too_many(side, widen) and widen[side] < 4:
            widen[side] += 0.01
    return widen


def calibrated(pairs, chosen):
    """The model of these pairs, with what was chosen."""
    facts, guess, residuals = settled(pairs, chosen["kappa"], chosen["alpha"])
    out_of_kind = out_of_kind_quantiles(pairs, facts, residuals, chosen["scales"], chosen["k"])
    at = first_guess(facts, guess)
    widen = widening(lambda by: put_together(facts, at, out_of_kind, by), pairs, facts)
    model = {**chosen, "guess": guess, "residuals": residuals, "coordinates": facts.coordinates, "widen": widen}
    return model


def without_kind(pairs, chosen):
    """For each sort of kind and each kind, which pairs are of it and the model of the others."""
    for by in KINDS:
        for kind in np.unique(pairs[by]):
            out = pairs[by] == kind
            yield by, out, calibrated(take(pairs, ~out), chosen)


def numbers(values):
    return ", ".join(f"{value:.5g}" for value in values)


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else HERE / "pairs.csv"
    target = sys.argv[2] if len(sys.argv) > 2 else HERE.parents[1] / "src" / "uncertainty" / "population_model.cpp"
    pairs = read_pairs(source, "calibration")
    model = calibrated(pairs, choose(pairs))
    lines = [
        f"    {{{{{numbers(place)}}}, {residual:.5g}}},"
        for place, residual in zip(model["coordinates"], model["residuals"], strict=True)
    ]
    text = SOURCE.format(
        count=len(lines), pairs="\n".join(lines), kappa=model["kappa"], alpha=model["alpha"],
        guess=numbers(model["guess"]), scales=numbers(model["scales"]), k=model["k"],
        below=model["widen"][0], above=model["widen"][1],
    )  # fmt: skip
    pathlib.Path(target).write_text(text, encoding="utf-8")
    print(text[text.index("const PopulationModel&") :], dict(zip(COORDINATES, model["scales"], strict=True)))


if __name__ == "__main__":
    main()
