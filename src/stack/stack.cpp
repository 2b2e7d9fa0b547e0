#include "stack/stack.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/assert.hpp"
#include "core/numeric.hpp"

namespace jsdiv {
namespace {

constexpr double nats_for_weight = 2;
constexpr double nats_for_intercept = 1e-3;  ///< times the square root of the rows: hardly anything

/// Row weights that give each class one half of the total of 1.
Eigen::VectorXd balanced_weights(std::span<const std::uint8_t> labels, std::span<const double> weights) {
  Eigen::VectorXd result(static_cast<Eigen::Index>(labels.size()));
  double total[2] = {0, 0};
  for (std::size_t i = 0; i < labels.size(); ++i) {
    result[static_cast<Eigen::Index>(i)] = weights.empty() ? 1.0 : weights[i];
    total[labels[i]] += result[static_cast<Eigen::Index>(i)];
  }
  JSDIV_ASSERT(total[0] > 0 && total[1] > 0);
  for (std::size_t i = 0; i < labels.size(); ++i)
    result[static_cast<Eigen::Index>(i)] *= 0.5 / total[labels[i]];
  return result;
}

/// Margins are log-odds, with the sign turned round for rows of Q.
double loss_of(const Eigen::VectorXd& margins, const Eigen::VectorXd& weights) {
  double loss = 0;
  for (Eigen::Index i = 0; i < margins.size(); ++i) loss += weights[i] * log1p_exp(-margins[i]);
  return loss;
}

Eigen::VectorXd signs_of(std::span<const std::uint8_t> labels) {
  Eigen::VectorXd signs(static_cast<Eigen::Index>(labels.size()));
  for (std::size_t i = 0; i < labels.size(); ++i)
    signs[static_cast<Eigen::Index>(i)] = labels[i] == 1 ? 1 : -1;
  return signs;
}

/// The penalised objective in θ = (intercept, weights).
class Objective {
 public:
  Objective(const Eigen::MatrixXd& log_odds, std::span<const std::uint8_t> labels,
            std::span<const double> weights)
      : rows_(log_odds.rows()),
        design_(log_odds.rows(), log_odds.cols() + 1),
        signs_(signs_of(labels)),
        weights_(balanced_weights(labels, weights)) {
    design_.col(0).setOnes();
    design_.rightCols(log_odds.cols()) = log_odds;
  }

  double value(const Eigen::VectorXd& theta) const {
    const Eigen::VectorXd margins = signs_.cwiseProduct(design_ * theta);
    return loss_of(margins, weights_) + weight_penalty() * theta.tail(theta.size() - 1).sum() +
           intercept_penalty() * theta[0] * theta[0];
  }

  void derivatives(const Eigen::VectorXd& theta, Eigen::VectorXd& gradient, Eigen::MatrixXd& hessian) const {
    const Eigen::VectorXd margins = signs_.cwiseProduct(design_ * theta);
    Eigen::VectorXd slope(rows_);
    Eigen::VectorXd curvature(rows_);
    for (Eigen::Index i = 0; i < rows_; ++i) {
      const double wrong = sigmoid(-margins[i]);
      slope[i] = -weights_[i] * signs_[i] * wrong;
      curvature[i] = weights_[i] * wrong * (1 - wrong);
    }
    gradient = design_.transpose() * slope;
    gradient.tail(gradient.size() - 1).array() += weight_penalty();
    gradient[0] += 2 * intercept_penalty() * theta[0];
    const Eigen::MatrixXd weighted = curvature.asDiagonal() * design_;
    hessian.noalias() = design_.transpose() * weighted;
    hessian(0, 0) += 2 * intercept_penalty();
  }

  Eigen::Index parameters() const { return design_.cols(); }

 private:
  double weight_penalty() const { return nats_for_weight / static_cast<double>(rows_); }
  double intercept_penalty() const { return nats_for_intercept / std::sqrt(static_cast<double>(rows_)); }

  Eigen::Index rows_;
  Eigen::MatrixXd design_;
  Eigen::VectorXd signs_;
  Eigen::VectorXd weights_;
};

/// Parameters that may move: the intercept, positive weights, and zero weights that want to grow.
std::vector<Eigen::Index> free_parameters(const Eigen::VectorXd& theta, const Eigen::VectorXd& gradient) {
  std::vector<Eigen::Index> free = {0};
  for (Eigen::Index j = 1; j < theta.size(); ++j) {
    if (theta[j] > 0 || gradient[j] < 0) free.push_back(j);
  }
  return free;
}

/// Projected Newton (Bertsekas, 1982) for the few parameters of a stack.
Eigen::VectorXd minimise(const Objective& objective) {
  constexpr int most_steps = 100;
  constexpr double smallest_ridge = 1e-10;
  const auto learners = static_cast<double>(objective.parameters() - 1);
  Eigen::VectorXd theta = Eigen::VectorXd::Constant(objective.parameters(), 1 / learners);
  theta[0] = 0;
  double value = objective.value(theta);
  Eigen::VectorXd gradient;
  Eigen::MatrixXd hessian(objective.parameters(), objective.parameters());
  for (int step = 0; step < most_steps; ++step) {
    objective.derivatives(theta, gradient, hessian);
    const auto free = free_parameters(theta, gradient);
    Eigen::MatrixXd block = hessian(free, free);
    block.diagonal().array() += smallest_ridge + 1e-9 * block.diagonal().maxCoeff();
    const Eigen::VectorXd free_gradient = gradient(free);
    const Eigen::VectorXd direction = -block.llt().solve(free_gradient);
    double length = 1;
    double gain = 0;
    for (; length > 1e-8; length *= 0.5) {
      Eigen::VectorXd moved = theta;
      for (std::size_t k = 0; k < free.size(); ++k) {
        moved[free[k]] += length * direction[static_cast<Eigen::Index>(k)];
        if (free[k] > 0) moved[free[k]] = std::max(0.0, moved[free[k]]);
      }
      const double moved_value = objective.value(moved);
      gain = value - moved_value;
      if (gain >= 0) {
        theta = moved;
        value = moved_value;
        break;
      }
    }
    if (gain < 1e-12) break;
  }
  return theta;
}

}  // namespace

Eigen::VectorXd Stack::operator()(const Eigen::MatrixXd& log_odds) const {
  const Eigen::Map<const Eigen::VectorXd> column(weights.data(), static_cast<Eigen::Index>(weights.size()));
  return (log_odds * column).array() + intercept;
}

Stack fit_stack(const Eigen::MatrixXd& log_odds, std::span<const std::uint8_t> labels,
                std::span<const double> weights) {
  JSDIV_ASSERT(log_odds.cols() > 0 && static_cast<std::size_t>(log_odds.rows()) == labels.size());
  const Eigen::VectorXd theta = minimise(Objective(log_odds, labels, weights));
  return {.intercept = theta[0], .weights = {theta.begin() + 1, theta.end()}};
}

std::vector<std::size_t> needed_learners(const Eigen::MatrixXd& log_odds,
                                         std::span<const std::uint8_t> labels,
                                         std::span<const double> weights, double tolerance) {
  struct Subset {
    std::vector<std::size_t> learners;
    double loss = 0;
  };
  /// The learners among these that have a weight, and the loss of their stack.
  const auto fitted = [&](const std::vector<std::size_t>& learners) {
    const Eigen::MatrixXd columns = log_odds(Eigen::all, learners);
    const Stack stack = fit_stack(columns, labels, weights);
    Subset subset{.learners = {}, .loss = balanced_log_loss(stack(columns), labels, weights)};
    for (std::size_t k = 0; k < learners.size(); ++k) {
      if (stack.weights[k] > 0) subset.learners.push_back(learners[k]);
    }
    return subset;
  };
  std::vector<std::size_t> all(static_cast<std::size_t>(log_odds.cols()));
  std::iota(all.begin(), all.end(), std::size_t{0});
  Subset best = fitted(all);
  while (best.learners.size() > 1) {
    Subset next{.learners = {}, .loss = std::numeric_limits<double>::infinity()};
    for (std::size_t k = 0; k < best.learners.size(); ++k) {
      std::vector<std::size_t> others = best.learners;
      others.erase(others.begin() + static_cast<std::ptrdiff_t>(k));
      Subset without = fitted(others);
      if (without.loss < next.loss) next = std::move(without);
    }
    if (next.loss > best.loss + tolerance || next.learners.empty()) break;
    best = std::move(next);
  }
  if (!best.learners.empty()) return best.learners;
  // No learner knows anything: the one that does least harm stands for all.
  const auto loss = [&](std::size_t j) {
    return balanced_log_loss(log_odds.col(static_cast<Eigen::Index>(j)), labels, weights);
  };
  return {std::ranges::min(all, {}, loss)};
}

double balanced_log_loss(const Eigen::VectorXd& log_odds, std::span<const std::uint8_t> labels,
                         std::span<const double> weights) {
  return loss_of(signs_of(labels).cwiseProduct(log_odds), balanced_weights(labels, weights));
}

}  // namespace jsdiv
