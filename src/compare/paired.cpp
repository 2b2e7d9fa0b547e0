#include "compare/paired.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/quantiles.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t draws = 20'000;

/// Sums over the draws that the reference consists of.
std::vector<double> cluster_sums(std::span<const double> influence, std::span<const std::uint32_t> clusters) {
  if (clusters.empty()) return {influence.begin(), influence.end()};
  JSDIV_ASSERT(clusters.size() == influence.size());
  std::vector<double> sums(1 + std::ranges::max(clusters));
  for (std::size_t row = 0; row < influence.size(); ++row) sums[clusters[row]] += influence[row];
  return sums;
}

}  // namespace

Eigen::MatrixXd estimate_covariance(std::span<const CandidateError> candidates,
                                    std::span<const std::uint32_t> clusters) {
  const auto count = static_cast<Eigen::Index>(candidates.size());
  std::vector<std::vector<double>> sums;
  for (const CandidateError& candidate : candidates) {
    sums.push_back(cluster_sums(candidate.reference_influence, clusters));
  }
  const auto independent = static_cast<double>(sums.at(0).size());
  const double correction = independent > 1 ? independent / (independent - 1) : 1;
  Eigen::MatrixXd covariance(count, count);
  for (Eigen::Index a = 0; a < count; ++a) {
    for (Eigen::Index b = 0; b <= a; ++b) {
      const CandidateError& first = candidates[static_cast<std::size_t>(a)];
      const CandidateError& second = candidates[static_cast<std::size_t>(b)];
      const std::vector<double>& of_first = sums[static_cast<std::size_t>(a)];
      const std::vector<double>& of_second = sums[static_cast<std::size_t>(b)];
      JSDIV_ASSERT(of_first.size() == of_second.size());
      double shared = 0;
      for (std::size_t i = 0; i < of_first.size(); ++i) shared += of_first[i] * of_second[i];
      covariance(a, b) =
          correction * shared + first.unlearnt * second.unlearnt + (a == b ? first.own_variance : 0);
      covariance(b, a) = covariance(a, b);
    }
  }
  return covariance;
}

double contrast_standard_error(const Eigen::MatrixXd& covariance, const Contrast& contrast) {
  const auto a = static_cast<Eigen::Index>(contrast.first);
  const auto b = static_cast<Eigen::Index>(contrast.second);
  return std::sqrt(std::max(0.0, covariance(a, a) + covariance(b, b) - 2 * covariance(a, b)));
}

double simultaneous_quantile(const Eigen::MatrixXd& covariance, std::span<const Contrast> contrasts,
                             double level, RandomStream random) {
  const double single = normal_quantile(0.5 + 0.5 * level);
  if (contrasts.size() < 2) return single;
  const Eigen::LDLT<Eigen::MatrixXd> factor(covariance);
  const Eigen::VectorXd scale = factor.vectorD().cwiseMax(0).cwiseSqrt();
  std::vector<double> errors;
  for (const Contrast& contrast : contrasts) errors.push_back(contrast_standard_error(covariance, contrast));
  std::vector<double> largest(draws);
  Eigen::VectorXd normals(covariance.rows());
  Eigen::VectorXd scaled(covariance.rows());
  Eigen::VectorXd lower(covariance.rows());
  Eigen::VectorXd draw(covariance.rows());
  for (double& value : largest) {
    for (Eigen::Index i = 0; i < normals.size(); ++i) normals[i] = random.normal();
    scaled = scale.cwiseProduct(normals);
    lower.noalias() = factor.matrixL() * scaled;
    draw = factor.transpositionsP().transpose() * lower;
    for (std::size_t i = 0; i < contrasts.size(); ++i) {
      if (errors[i] <= 0) continue;
      const double difference = draw[static_cast<Eigen::Index>(contrasts[i].second)] -
                                draw[static_cast<Eigen::Index>(contrasts[i].first)];
      value = std::max(value, std::abs(difference) / errors[i]);
    }
  }
  const auto place = static_cast<std::size_t>(level * static_cast<double>(draws - 1));
  std::ranges::nth_element(largest, largest.begin() + static_cast<std::ptrdiff_t>(place));
  return std::max(single, largest[place]);
}

std::vector<bool> rejected(std::span<const double> p_values, double rate) {
  std::vector<double> sorted;
  for (const double p : p_values) {
    if (!std::isnan(p)) sorted.push_back(p);
  }
  std::ranges::sort(sorted);
  double threshold = -1;
  for (std::size_t k = 0; k < sorted.size(); ++k) {
    if (sorted[k] <= rate * static_cast<double>(k + 1) / static_cast<double>(sorted.size()))
      threshold = sorted[k];
  }
  std::vector<bool> reject;
  for (const double p : p_values) reject.push_back(p <= threshold);
  return reject;
}

}  // namespace jsdiv
