#pragma once

#include <cmath>
#include <numeric>
#include <vector>

#include "jsdiv/family.hpp"

namespace jsdiv::test {

/// Rows of P = N(0, I) and then Q = N(shift, [[1, ρ], [ρ, 1]]) in two columns, with the true log-odds at
/// equal priors.
struct GaussianPair {
  GaussianPair(std::size_t rows_p, std::size_t rows_q, double rho, double shift, std::uint64_t seed)
      : features(rows_p + rows_q, 2),
        labels(rows_p + rows_q),
        rows(rows_p + rows_q),
        true_log_odds(rows_p + rows_q) {
    std::iota(rows.begin(), rows.end(), RowIndex{0});
    RandomStream random = RandomStream(seed).child("gaussian pair");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      labels[i] = i < rows_p ? 1 : 0;
      double x = random.normal();
      double y = random.normal();
      if (labels[i] == 0) {
        y = rho * x + std::sqrt(1 - rho * rho) * y + shift;
        x += shift;
      }
      features.at(i, 0) = static_cast<float>(x);
      features.at(i, 1) = static_cast<float>(y);
      const double u = x - shift;
      const double v = y - shift;
      true_log_odds[i] = 0.5 * ((u * u - 2 * rho * u * v + v * v) / (1 - rho * rho) - x * x - y * y) +
                         0.5 * std::log(1 - rho * rho);
    }
  }

  Problem problem() const { return {features.view(), labels, weights, rows}; }

  /// Every row of this pair, labels swapped.
  GaussianPair swapped() const {
    GaussianPair other = *this;
    for (std::uint8_t& label : other.labels) label = 1 - label;
    for (double& value : other.true_log_odds) value = -value;
    return other;
  }

  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  std::vector<RowIndex> rows;
  std::vector<double> true_log_odds;
};

inline std::vector<double> log_odds(const Model& model, MatrixView features, Rows rows) {
  std::vector<double> scores(rows.size());
  model.log_odds(features, rows, scores);
  return scores;
}

/// Jensen-Shannon divergence in bits that `model` measures on `test`.
inline double measured_jsd(const Model& model, const GaussianPair& test) {
  const auto scores = log_odds(model, test.features.view(), test.rows);
  return 1 - held_out_loss(test.problem(), test.rows, scores, model.prior_log_odds(), Loss::balanced) /
                 std::log(2.0);
}

}  // namespace jsdiv::test
