#include "classify/linear/objective.hpp"

#include <cmath>
#include <utility>

#include "classify/linear/logistic_loss.hpp"
#include "core/assert.hpp"

namespace jsdiv::linear {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

constexpr int max_halvings = 40;
constexpr double armijo = 1e-4;

std::span<const double> as_span(const VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}
std::span<double> as_span(VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace

LogisticObjective::LogisticObjective(const Design& design, const Target& target, Penalty penalty,
                                     Precision precision)
    : design_(design), penalty_(penalty), precision_(precision) {
  JSDIV_ASSERT(target.labels.size() == design.rows() && target.weights.size() == design.rows());
  double class_weight[2] = {0, 0};
  for (std::size_t i = 0; i < design.rows(); ++i) class_weight[target.labels[i]] += target.weights[i];
  JSDIV_ASSERT(class_weight[0] > 0 && class_weight[1] > 0);
  total_weight_ = class_weight[0] + class_weight[1];
  null_intercept_ = std::log(class_weight[1]) - std::log(class_weight[0]);
  sign_.reserve(design.rows());
  weight_.reserve(design.rows());
  for (std::size_t i = 0; i < design.rows(); ++i) {
    sign_.push_back(target.labels[i] == 1 ? 1.0 : -1.0);
    weight_.push_back(target.weights[i] / total_weight_);
  }
}

void LogisticObjective::evaluate(Features working, Point& point) const {
  point.gradient = VectorXd::Zero(point.theta.size());
  point.curvature.resize(design_.rows());
  point.loss = 0;
  const auto to_residuals = [&](std::size_t first, std::span<double> eta) {
    point.loss +=
        logistic_terms(eta.size(), eta.data(), &sign_[first], &weight_[first], &point.curvature[first]);
  };
  design_.sweep(working, as_span(std::as_const(point.theta)), precision_, to_residuals,
                as_span(point.gradient));
}

VectorXd LogisticObjective::hessian_product(Features working, const std::vector<double>& curvature,
                                            const VectorXd& v) const {
  VectorXd product = VectorXd::Zero(v.size());
  const auto weigh = [&](std::size_t first, std::span<double> values) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= curvature[first + i];
  };
  design_.sweep(working, as_span(v), precision_, weigh, as_span(product));
  return product;
}

VectorXd LogisticObjective::penalty_factors(Features working, double c) const {
  const Standardisation& s = design_.standardisation();
  VectorXd factors(static_cast<Index>(working.size()) + 1);
  factors[0] = 0;
  for (std::size_t k = 0; k < working.size(); ++k) {
    const double unit = s.factor[working[k]] * s.inverse_scale[working[k]];
    factors[static_cast<Index>(k) + 1] = (penalty_ == Penalty::l1 ? unit : unit * unit) / (c * total_weight_);
  }
  return factors;
}

double LogisticObjective::value(const Point& point, const VectorXd& penalty_factors) const {
  if (penalty_ == Penalty::l1) return point.loss + penalty_factors.dot(point.theta.cwiseAbs());
  return point.loss + 0.5 * penalty_factors.dot(point.theta.cwiseAbs2());
}

double LogisticObjective::line_search(Features working, const VectorXd& penalty_factors,
                                      const VectorXd& direction, double slope, Point& point) const {
  const double before = value(point, penalty_factors);
  const double rounding = (precision_ == Precision::full ? 1e-14 : 1e-8) * (1 + before);
  Point candidate;
  double length = 1;
  for (int halving = 0; halving < max_halvings; ++halving, length /= 2) {
    if (halving > 0 && -slope * length < rounding) break;  // nothing left that this arithmetic could see
    candidate.theta = point.theta + length * direction;
    evaluate(working, candidate);
    if (value(candidate, penalty_factors) <= before + armijo * length * slope + rounding) {
      std::swap(point, candidate);
      return length;
    }
  }
  return 0;
}

std::vector<double> scatter(const Design& design, Features working, const VectorXd& theta) {
  std::vector<double> all(design.features() + 1, 0.0);
  all[0] = theta[0];
  for (std::size_t k = 0; k < working.size(); ++k) all[working[k] + 1] = theta[static_cast<Index>(k) + 1];
  return all;
}

}  // namespace jsdiv::linear
