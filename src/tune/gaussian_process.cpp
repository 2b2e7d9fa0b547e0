#include "tune/gaussian_process.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

const double sqrt5 = std::sqrt(5.0);

// Length scales are log-normal around a value that grows with the square root of the dimension, as distances
// do (Hvarfner, Hellsten & Nardi, "Vanilla Bayesian optimization performs great in high dimensions", 2024).
constexpr double typical_length_per_sqrt_dimension = 0.5;
constexpr double log_length_deviation = 1.0;
constexpr double typical_noise = 1e-3;
constexpr double log_noise_deviation = 2.0;
constexpr double smallest_noise = 1e-6;
/// The amplitude's prior counts as this many observations of variance 1.
constexpr double amplitude_prior_weight = 2;

std::size_t row_start(std::size_t row) {
  return row * (row + 1) / 2;
}

std::size_t pair_start(std::size_t row) {
  return row == 0 ? 0 : row * (row - 1) / 2;
}

/// Four sums side by side: a single one would wait for each addition.
double dot(const double* a, const double* b, std::size_t size) {
  double sum[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= size; i += 4) {
    for (std::size_t lane = 0; lane < 4; ++lane) sum[lane] += a[i + lane] * b[i + lane];
  }
  for (; i < size; ++i) sum[0] += a[i] * b[i];
  return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void add_scaled(double scale, const double* from, double* to, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) to[i] += scale * from[i];
}

}  // namespace

GaussianProcess::GaussianProcess(std::vector<bool> is_choice)
    : is_choice_(std::move(is_choice)), points_(is_choice_.size()), distances_(is_choice_.size()) {
  const double length = typical_length_per_sqrt_dimension * std::sqrt(static_cast<double>(dimensions()));
  log_parameters_.assign(dimensions(), std::log(length));
  log_parameters_.push_back(std::log(typical_noise));
  climb_steps_.assign(dimensions() + 1, 0.3);
}

void GaussianProcess::add_point(std::span<const double> point) {
  JSDIV_ASSERT(point.size() == dimensions());
  for (std::size_t j = 0; j < dimensions(); ++j) {
    for (const double other : points_[j]) {
      const double difference = point[j] - other;
      distances_[j].push_back(is_choice_[j] ? (difference != 0 ? 1.0 : 0.0) : difference * difference);
    }
    points_[j].push_back(point[j]);
  }
  ++count_;
}

void GaussianProcess::set_parameters(std::span<const double> log_parameters) {
  inverse_lengths2_.resize(dimensions());
  for (std::size_t j = 0; j < dimensions(); ++j) inverse_lengths2_[j] = std::exp(-2 * log_parameters[j]);
  noise_ = smallest_noise + std::exp(log_parameters[dimensions()]);
  factored_ = 0;
}

/// Brings the Cholesky factor up to the present number of points, row by row.
void GaussianProcess::factorise() {
  const std::size_t first_pair = pair_start(factored_);
  const std::size_t pairs = pair_start(count_);
  std::vector<double> scaled(pairs - first_pair, 0.0);
  for (std::size_t j = 0; j < dimensions(); ++j) {
    add_scaled(inverse_lengths2_[j], distances_[j].data() + first_pair, scaled.data(), scaled.size());
  }
  slope_.resize(pairs);
  factor_.resize(row_start(count_));
  for (std::size_t a = factored_; a < count_; ++a) {
    double* row = factor_.data() + row_start(a);
    for (std::size_t b = 0; b < a; ++b) {
      const std::size_t pair = pair_start(a) + b;
      const double r = sqrt5 * std::sqrt(scaled[pair - first_pair]);
      const double decay = std::exp(-r);
      const double kernel = (1 + r + r * r / 3) * decay;
      slope_[pair] = 5.0 / 3 * (1 + r) * decay;
      const double* other = factor_.data() + row_start(b);
      row[b] = (kernel - dot(row, other, b)) / other[b];
    }
    row[a] = std::sqrt(std::max(1 + noise_ - dot(row, row, a), 0.5 * smallest_noise));
  }
  factored_ = count_;
}

/// Mean by generalised least squares, amplitude by its posterior mode.
void GaussianProcess::solve(std::span<const double> targets) {
  std::vector<double> ones(count_), whitened(count_);
  for (std::size_t a = 0; a < count_; ++a) {
    const double* row = factor_.data() + row_start(a);
    ones[a] = (1 - dot(row, ones.data(), a)) / row[a];
    whitened[a] = (targets[a] - dot(row, whitened.data(), a)) / row[a];
  }
  mean_ = dot(ones.data(), whitened.data(), count_) / dot(ones.data(), ones.data(), count_);
  add_scaled(-mean_, ones.data(), whitened.data(), count_);
  const double squares = dot(whitened.data(), whitened.data(), count_);
  amplitude2_ = (amplitude_prior_weight + squares) / (amplitude_prior_weight + static_cast<double>(count_));
  alpha_ = std::move(whitened);
  for (std::size_t a = count_; a-- > 0;) {
    const double* row = factor_.data() + row_start(a);
    alpha_[a] /= row[a];
    add_scaled(-alpha_[a], row, alpha_.data(), a);
  }
}

void GaussianProcess::compute_precision() {
  inverse_.assign(row_start(count_), 0.0);
  precision_.assign(row_start(count_), 0.0);
  for (std::size_t a = 0; a < count_; ++a) {
    const double* row = factor_.data() + row_start(a);
    double* inverse = inverse_.data() + row_start(a);
    for (std::size_t b = 0; b < a; ++b) add_scaled(-row[b], inverse_.data() + row_start(b), inverse, b + 1);
    inverse[a] = 1;
    for (std::size_t b = 0; b <= a; ++b) inverse[b] /= row[a];
    for (std::size_t b = 0; b <= a; ++b)
      add_scaled(inverse[b], inverse, precision_.data() + row_start(b), b + 1);
  }
}

double GaussianProcess::log_posterior(std::span<const double> log_parameters, std::span<const double> targets,
                                      std::span<double> gradient) {
  JSDIV_ASSERT(targets.size() == count_ && log_parameters.size() == dimensions() + 1);
  set_parameters(log_parameters);
  factorise();
  solve(targets);
  compute_precision();

  double log_determinant = 0;
  for (std::size_t a = 0; a < count_; ++a) log_determinant += 2 * std::log(factor_[row_start(a) + a]);
  const double weight = amplitude_prior_weight + static_cast<double>(count_);
  double value = -0.5 * (weight * std::log(amplitude2_) + log_determinant);

  // Half the trace of (alpha alpha' / amplitude - precision) times the kernel's derivative (equation 5.9).
  std::vector<double> pair_weights(slope_.size());
  double noise_trace = 0;
  for (std::size_t a = 0; a < count_; ++a) {
    const double* row = precision_.data() + row_start(a);
    const double scaled_alpha = alpha_[a] / amplitude2_;
    for (std::size_t b = 0; b < a; ++b) {
      const std::size_t pair = pair_start(a) + b;
      pair_weights[pair] = slope_[pair] * (scaled_alpha * alpha_[b] - row[b]);
    }
    noise_trace += scaled_alpha * alpha_[a] - row[a];
  }
  const double typical_log_length =
      std::log(typical_length_per_sqrt_dimension * std::sqrt(static_cast<double>(dimensions())));
  for (std::size_t j = 0; j < dimensions(); ++j) {
    const double offset = (log_parameters[j] - typical_log_length) / log_length_deviation;
    value -= 0.5 * offset * offset;
    gradient[j] = inverse_lengths2_[j] * dot(pair_weights.data(), distances_[j].data(), pair_weights.size()) -
                  offset / log_length_deviation;
  }
  const double offset = (log_parameters[dimensions()] - std::log(typical_noise)) / log_noise_deviation;
  value -= 0.5 * offset * offset;
  gradient[dimensions()] =
      0.5 * noise_trace * std::exp(log_parameters[dimensions()]) - offset / log_noise_deviation;
  return value;
}

/// Resilient propagation (Riedmiller & Braun, 1993): each coordinate has a step of its own that grows while
/// the sign of its derivative stays and shrinks when it turns. It needs one evaluation a step and no line
/// search.
void GaussianProcess::climb(std::span<const double> targets, int steps) {
  constexpr double grow = 1.3, shrink = 0.5, smallest = 1e-3, largest = 0.7;
  std::vector<double> here = log_parameters_;
  std::vector<double> gradient(here.size()), previous(here.size(), 0.0);
  double best = -std::numeric_limits<double>::infinity();
  for (int step = 0; step <= steps; ++step) {
    const double value = log_posterior(here, targets, gradient);
    if (value > best) best = value, log_parameters_ = here;
    if (step == steps) break;
    for (std::size_t j = 0; j < here.size(); ++j) {
      const double turn = gradient[j] * previous[j];
      if (turn != 0)
        climb_steps_[j] = std::clamp(climb_steps_[j] * (turn > 0 ? grow : shrink), smallest, largest);
      here[j] += gradient[j] > 0 ? climb_steps_[j] : -climb_steps_[j];
    }
    previous = gradient;
  }
}

void GaussianProcess::condition(std::span<const double> targets, bool refit) {
  JSDIV_ASSERT(targets.size() == count_ && count_ > 0);
  if (refit) {
    constexpr int first_steps = 25, later_steps = 4;
    const bool first = inverse_lengths2_.empty();
    climb(targets, first ? first_steps : later_steps);
  }
  if (refit || inverse_lengths2_.empty()) set_parameters(log_parameters_);
  factorise();
  solve(targets);
}

void GaussianProcess::predict(std::span<const double> candidates, std::size_t count, std::span<double> mean,
                              std::span<double> deviation) const {
  JSDIV_ASSERT(factored_ == count_ && candidates.size() == dimensions() * count);
  // Candidates are the inner loop throughout, so that every loop runs over contiguous values.
  std::vector<double> whitened(count_ * count);
  std::vector<double> variance(count, 1.0);
  std::fill(mean.begin(), mean.end(), mean_);
  for (std::size_t a = 0; a < count_; ++a) {
    double* row = whitened.data() + a * count;
    for (std::size_t j = 0; j < dimensions(); ++j) {
      const double* coordinates = candidates.data() + j * count;
      const double centre = points_[j][a];
      const double scale = inverse_lengths2_[j];
      if (is_choice_[j]) {
        for (std::size_t i = 0; i < count; ++i) row[i] += coordinates[i] != centre ? scale : 0.0;
      } else {
        for (std::size_t i = 0; i < count; ++i)
          row[i] += scale * (coordinates[i] - centre) * (coordinates[i] - centre);
      }
    }
    for (std::size_t i = 0; i < count; ++i) row[i] = sqrt5 * std::sqrt(row[i]);
    for (std::size_t i = 0; i < count; ++i) row[i] = (1 + row[i] + row[i] * row[i] / 3) * std::exp(-row[i]);
    add_scaled(alpha_[a], row, mean.data(), count);
    const double* factor = factor_.data() + row_start(a);
    for (std::size_t b = 0; b < a; ++b) add_scaled(-factor[b], whitened.data() + b * count, row, count);
    for (std::size_t i = 0; i < count; ++i) row[i] /= factor[a];
    for (std::size_t i = 0; i < count; ++i) variance[i] -= row[i] * row[i];
  }
  for (std::size_t i = 0; i < count; ++i)
    deviation[i] = std::sqrt(amplitude2_ * std::max(variance[i], 1e-12));
}

}  // namespace jsdiv
