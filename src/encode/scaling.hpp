#pragma once

#include <span>

namespace jsdiv {

/// x -> (x * factor - centre) / scale. The factor is a power of two that brings the column near 1 before
/// anything is squared, so that neither 1e300 nor 1e-300 leaves the range of a double; it changes no digit.
struct Scaling {
  double factor = 1;
  double centre = 0;
  double scale = 1;

  double operator()(double x) const { return (x * factor - centre) / scale; }
};

/// To mean 0 and standard deviation 1 (divisor n), as scikit-learn's StandardScaler: a constant column is
/// centred only. `values` are finite; empty: everything becomes 0.
Scaling standard_scaling(std::span<const double> values);

/// To median 0 and interquartile range 1.349, that of a standard normal. Where the quartiles coincide, the
/// standard deviation takes their place. Reorders `values`.
Scaling robust_scaling(std::span<double> values);

/// The identity up to 10 either way, then 10 + 10 log(|z| / 10): continuous with its slope, increasing, and
/// below 7,100 for every double.
float compress_tails(double z);

/// To float32, within 1e9 either way: rows that a scaling was learnt from lie within sqrt(rows) standard
/// deviations, so that this bound meets nothing but the most absurd of the other rows, whose squares must
/// stay finite too.
float bounded(double z);

}  // namespace jsdiv
