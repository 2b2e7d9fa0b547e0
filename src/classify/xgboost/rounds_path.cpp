#include "classify/xgboost/rounds_path.hpp"

#include <algorithm>
#include <cmath>

namespace jsdiv::gradient_boosting {
namespace {

constexpr std::size_t first_step = min_rounds / rounds_step;
constexpr std::size_t last_step = max_rounds / rounds_step;
constexpr std::size_t patience = 4;      ///< steps without a loss that is lower by the tolerance
constexpr std::size_t slope_window = 3;  ///< steps that the recent slope is taken over
constexpr std::size_t decay_window = 2;  ///< steps between the three points of the geometric progression

}  // namespace

bool RoundsPath::add(double loss) {
  curve_.push_back(loss);
  if (loss < best_ - tolerance_) {
    best_ = loss;
    best_step_ = curve_.size();
  }
  if (curve_.size() == last_step) return false;
  if (curve_.size() >= first_step && curve_.size() - best_step_ >= patience) return false;
  rejected_ = out_of_reach();
  return !rejected_;
}

bool RoundsPath::out_of_reach() const {
  if (curve_.size() < 2 * decay_window + 1) return false;
  const double last = curve_.back();
  const double slope = (last - curve_[curve_.size() - 1 - slope_window]) / slope_window;
  const auto steps_left = static_cast<double>(last_step - curve_.size());
  return last + std::min(slope, 0.0) * steps_left > threshold_;
}

std::vector<double> RoundsPath::losses() const {
  std::vector<double> path(curve_.begin() + std::min(curve_.size(), first_step - 1), curve_.end());
  if (curve_.size() == last_step) return path;
  double loss = curve_.back();
  double change = 0;
  double decay = 0;
  if (rejected_) {
    const double middle = curve_[curve_.size() - 1 - decay_window];
    const double earlier_fall = curve_[curve_.size() - 1 - 2 * decay_window] - middle;
    const double recent_fall = middle - loss;
    if (earlier_fall > 0 && recent_fall > 0) {
      decay = std::sqrt(std::min(recent_fall / earlier_fall, 1.0));
      change = -recent_fall * decay / (1 + decay);  // the later one of the two steps that make up recent_fall
    }
  }
  for (std::size_t step = curve_.size() + 1; step <= last_step; ++step) {
    change *= decay;
    loss += change;
    if (step >= first_step) path.push_back(loss);
  }
  return path;
}

}  // namespace jsdiv::gradient_boosting
