#include "classify/linear/held_out_path.hpp"

#include <algorithm>

namespace jsdiv::linear {

HeldOutPath held_out_path(const Design& train, const Target& target, const Design& held_out, Penalty penalty,
                          std::span<const double> path, int rising_steps, const ScoreLoss& loss) {
  HeldOutPath result;
  std::vector<double>& losses = result.losses;
  std::vector<double> scores(held_out.rows());
  int rising = 0;
  const auto score = [&](std::size_t step, std::span<const double> theta) {
    std::vector<double> usable = {theta[0]};
    for (const FeatureIndex j : held_out.usable()) usable.push_back(theta[j + 1]);
    const auto copy = [&](std::size_t first, std::span<double> values) {
      std::copy(values.begin(), values.end(), scores.begin() + static_cast<std::ptrdiff_t>(first));
    };
    held_out.sweep(held_out.usable(), usable, Precision::single, copy, {});
    losses.push_back(loss(scores));
    if (step == 0 || losses.back() < losses[result.best]) {
      result.best = step;
      result.best_coefficients = in_feature_units(train.standardisation(), theta);
    }
    rising = losses.size() > 1 && losses.back() > losses[losses.size() - 2] ? rising + 1 : 0;
    return rising < rising_steps;
  };
  follow_path(train, target, penalty, path, search_tolerance, score);
  losses.resize(path.size(), losses.back());
  return result;
}

}  // namespace jsdiv::linear
