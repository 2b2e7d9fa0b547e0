"""Fits the interval's model to the kept runs and writes it as a source file of the library.

usage: fit.py [benchmarks/population/pairs.csv] [src/uncertainty/population_model.hpp]

Needs numpy; takes a minute. The quantile above is widened by pairs whose kind of base table, and again whose kind of
log-ratio, was not among those that the model was fitted to: by the factor that holds as many of these pairs.
"""

import pathlib
import sys

import numpy as np
from model import SHARE_ABOVE, fit, is_extrapolated, read_pairs, scores, take, upper_quantile

HERE = pathlib.Path(__file__).resolve().parent
HEADER = """#pragma once

namespace jsdiv {{

/// Made by benchmarks/population/fit.py from pairs of the population (docs/population.md), {extrapolated} of them
/// extrapolated and {others} not; do not edit.
struct PopulationModel {{
  double kappa, alpha, weight;  ///< of the units, see population.hpp
  double above, below;          ///< how many of them
}};

{models}

}}  // namespace jsdiv
"""
MODEL = """inline constexpr PopulationModel {name} = {{
    .kappa = {kappa:g}, .alpha = {alpha:g}, .weight = {weight:g}, .above = {above:.4g}, .below = {below:.4g}}};"""


def out_of_kind_factors(pairs):
    """By how much a model that has not seen a pair's kind would have to be wider above to hold it: first with the kind
    of base table left out, then with that of the log-ratio."""
    factors = np.zeros((2, len(pairs["truth"])))
    for by, kinds in enumerate((pairs["base"], pairs["log_ratio"])):
        for kind in np.unique(kinds):
            out = kinds == kind
            model = fit(take(pairs, ~out))
            factors[by, out] = scores(take(pairs, out), model)[0] / model["above"]
    return factors


def calibrated(pairs, factors=None):
    """The model of these pairs, widened by what happens on kinds that it has not seen."""
    model = fit(pairs)
    factors = out_of_kind_factors(pairs) if factors is None else factors
    return model | {"above": model["above"] * max(1, upper_quantile(factors.ravel(), SHARE_ABOVE))}


def main():
    source = sys.argv[1] if len(sys.argv) > 1 else HERE / "pairs.csv"
    target = sys.argv[2] if len(sys.argv) > 2 else HERE.parents[1] / "src" / "uncertainty" / "population_model.hpp"
    pairs = read_pairs(source, "calibration")
    extrapolated = is_extrapolated(pairs)
    models = "\n".join(
        MODEL.format(name=name, **calibrated(take(pairs, chosen)))
        for name, chosen in (("population_extrapolated", extrapolated), ("population_not_extrapolated", ~extrapolated))
    )
    text = HEADER.format(extrapolated=extrapolated.sum(), others=(~extrapolated).sum(), models=models)
    pathlib.Path(target).write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
