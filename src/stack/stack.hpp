#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

namespace jsdiv {

/// A combination of several classifiers' log-odds at equal priors: intercept + Σ weight · log-odds, weights ≥
/// 0.
struct Stack {
  double intercept = 0;
  std::vector<double> weights;

  /// One value for each row of `log_odds` [rows, learners].
  Eigen::VectorXd operator()(const Eigen::MatrixXd& log_odds) const;
};

/// Non-negative logistic stacking: the weights with the lowest class-balanced log-loss on rows that the
/// classifiers have not seen, drawn towards 0 so that classifiers without knowledge give the constant. The
/// penalty is 2 nats for each unit of weight on the total loss, whatever the number of rows. Spans are
/// [rows]; empty weights: every row counts 1. Both classes must be there.
Stack fit_stack(const Eigen::MatrixXd& log_odds, std::span<const std::uint8_t> labels,
                std::span<const double> weights);

/// The columns of `log_odds` that a stack needs, in their order, at least one: the least useful is left out,
/// and again, as long as the loss of the stack rises by no more than `tolerance` nats each time.
std::vector<std::size_t> needed_learners(const Eigen::MatrixXd& log_odds,
                                         std::span<const std::uint8_t> labels,
                                         std::span<const double> weights, double tolerance);

/// The class-balanced log-loss in nats of log-odds at equal priors.
double balanced_log_loss(const Eigen::VectorXd& log_odds, std::span<const std::uint8_t> labels,
                         std::span<const double> weights);

}  // namespace jsdiv
