#include "measure/posteriors.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

struct ClassWeights {
  std::array<double, 2> sum{};
  std::array<std::size_t, 2> rows{};  // with a weight above 0
};

double weight_of(std::span<const double> weights, std::size_t row) {
  return weights.empty() ? 1.0 : weights[row];
}

ClassWeights class_weights(std::span<const std::uint8_t> labels, std::span<const double> weights,
                           std::size_t rows) {
  JSDIV_ASSERT(labels.size() == rows && (weights.empty() || weights.size() == rows));
  ClassWeights result;
  for (std::size_t row = 0; row < rows; ++row) {
    const double weight = weight_of(weights, row);
    result.sum[labels[row]] += weight;
    if (weight > 0) ++result.rows[labels[row]];
  }
  for (const std::size_t label : {1, 0}) {
    if (!(result.sum[label] > 0)) {
      throw InvalidInput(std::string("no row of ") + (label == 1 ? "P" : "Q") +
                         " with a weight above 0 is left to measure on; provide more rows");
    }
  }
  return result;
}

/// Half the sum of the two class means of `terms`, and its standard error.
JsdEstimate from_terms(std::vector<double> terms, std::span<const std::uint8_t> labels,
                       std::span<const double> weights) {
  const ClassWeights total = class_weights(labels, weights, terms.size());
  std::array<double, 2> mean{};
  for (std::size_t row = 0; row < terms.size(); ++row) {
    JSDIV_ASSERT(std::isfinite(terms[row]));
    mean[labels[row]] += weight_of(weights, row) * terms[row];
  }
  for (const std::size_t label : {0, 1}) mean[label] /= total.sum[label];
  std::array<double, 2> squares{};
  for (std::size_t row = 0; row < terms.size(); ++row) {
    const double deviation = weight_of(weights, row) * (terms[row] - mean[labels[row]]);
    squares[labels[row]] += deviation * deviation;
  }
  double variance = 0;
  for (const std::size_t label : {0, 1}) {
    const double rows = static_cast<double>(total.rows[label]);
    variance += squares[label] / (total.sum[label] * total.sum[label]) *
                (rows > 1 ? rows / (rows - 1) : std::numeric_limits<double>::quiet_NaN());
  }
  return {0.5 * (mean[0] + mean[1]), 0.5 * std::sqrt(variance), std::move(terms)};
}

}  // namespace

double correct_prior(double posterior, double prior_ratio) {
  return prior_ratio * posterior / (1 + (prior_ratio - 1) * posterior);
}

double clip_posterior(double posterior, double epsilon) {
  return std::clamp(posterior, epsilon, 1 - epsilon);
}

JsdEstimate jsd_from_posteriors(std::span<const double> posteriors, std::span<const std::uint8_t> labels,
                                std::span<const double> weights) {
  JSDIV_ASSERT(labels.size() == posteriors.size());
  std::vector<double> terms(posteriors.size());
  for (std::size_t row = 0; row < terms.size(); ++row) {
    JSDIV_ASSERT(posteriors[row] > 0 && posteriors[row] < 1);
    const double log_posterior = labels[row] == 1 ? std::log(posteriors[row]) : std::log1p(-posteriors[row]);
    terms[row] = 1 + nats_to_bits(log_posterior);
  }
  return from_terms(std::move(terms), labels, weights);
}

double auc(std::span<const double> scores, std::span<const std::uint8_t> labels,
           std::span<const double> weights) {
  const ClassWeights total = class_weights(labels, weights, scores.size());
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t row) { return scores[row]; });
  double q_below = 0;
  double area = 0;
  for (std::size_t begin = 0; begin < order.size();) {
    std::array<double, 2> tied{};
    std::size_t end = begin;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      tied[labels[order[end]]] += weight_of(weights, order[end]);
    }
    JSDIV_ASSERT(end > begin);  // a NaN is no score
    area += tied[1] * (q_below + 0.5 * tied[0]);
    q_below += tied[0];
    begin = end;
  }
  return area / (total.sum[0] * total.sum[1]);
}

double accuracy(std::span<const double> posteriors, std::span<const std::uint8_t> labels,
                std::span<const double> weights) {
  const ClassWeights total = class_weights(labels, weights, posteriors.size());
  std::array<double, 2> right{};
  for (std::size_t row = 0; row < posteriors.size(); ++row) {
    const double side = labels[row] == 1 ? posteriors[row] - 0.5 : 0.5 - posteriors[row];
    right[labels[row]] += weight_of(weights, row) * (side > 0 ? 1.0 : side == 0 ? 0.5 : 0.0);
  }
  return 0.5 * (right[0] / total.sum[0] + right[1] / total.sum[1]);
}

double log_loss(std::span<const double> posteriors, std::span<const std::uint8_t> labels,
                std::span<const double> weights) {
  const ClassWeights total = class_weights(labels, weights, posteriors.size());
  double sum = 0;
  for (std::size_t row = 0; row < posteriors.size(); ++row) {
    JSDIV_ASSERT(posteriors[row] > 0 && posteriors[row] < 1);
    sum -= weight_of(weights, row) *
           (labels[row] == 1 ? std::log(posteriors[row]) : std::log1p(-posteriors[row]));
  }
  return sum / (total.sum[0] + total.sum[1]);
}

}  // namespace jsdiv
