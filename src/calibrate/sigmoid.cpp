#include "calibrate/sigmoid.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/numeric.hpp"

namespace jsdiv {
namespace {

struct PlattTargets {
  double of_p;
  double of_q;
  double start_intercept;
};

/// The maximum a posteriori targets of Platt's section 2.2 in place of 1 and 0; counts are sums of weights.
PlattTargets platt_targets(double weight_p, double weight_q) {
  return {(weight_p + 1) / (weight_p + 2), 1 / (weight_q + 2), std::log((weight_q + 1) / (weight_p + 1))};
}

struct Derivatives {
  double loss = 0;
  double slope = 0, intercept = 0;
  double slope2 = 0, cross = 0, intercept2 = 0;
};

/// Platt's cross-entropy and its derivatives at a map of the given scores.
struct PlattObjective {
  std::span<const double> scores;
  std::span<const std::uint8_t> labels;
  std::span<const double> weights;
  PlattTargets targets;

  Derivatives operator()(const SigmoidMap& map) const {
    Derivatives sum;
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const double weight = weights.empty() ? 1.0 : weights[i];
      const double target = labels[i] != 0 ? targets.of_p : targets.of_q;
      const double log_odds = -(map.slope * scores[i] + map.intercept);
      const double probability = sigmoid(log_odds);
      const double residual = weight * (target - probability);
      const double curvature = weight * probability * (1 - probability);
      sum.loss += weight * (log1p_exp(log_odds) - target * log_odds);
      sum.slope += residual * scores[i];
      sum.intercept += residual;
      sum.slope2 += curvature * scores[i] * scores[i];
      sum.cross += curvature * scores[i];
      sum.intercept2 += curvature;
    }
    return sum;
  }
};

/// Newton's method with step halving (Lin, Lin & Weng, "A note on Platt's probabilistic outputs for support
/// vector machines", 2007). The scores of the objective are centred and scaled, so the 2x2 system is well
/// conditioned.
SigmoidMap minimise(const PlattObjective& objective) {
  constexpr int most_steps = 100;
  constexpr double smallest_relative_decrease = 1e-26;
  constexpr double sufficient_decrease = 1e-4;
  SigmoidMap map{0, objective.targets.start_intercept};
  Derivatives here = objective(map);
  for (int step = 0; step < most_steps; ++step) {
    const double determinant = here.slope2 * here.intercept2 - here.cross * here.cross;
    if (!(determinant > 0)) break;
    const double slope_step = -(here.intercept2 * here.slope - here.cross * here.intercept) / determinant;
    const double intercept_step = -(here.slope2 * here.intercept - here.cross * here.slope) / determinant;
    const double expected = here.slope * slope_step + here.intercept * intercept_step;
    if (-expected <= smallest_relative_decrease * here.loss) break;

    double fraction = 1;
    SigmoidMap next;
    Derivatives there;
    do {
      next = {map.slope + fraction * slope_step, map.intercept + fraction * intercept_step};
      there = objective(next);
      fraction /= 2;
    } while (there.loss > here.loss + sufficient_decrease * fraction * expected && fraction > 1e-10);
    if (there.loss > here.loss) break;
    map = next;
    here = there;
  }
  return map;
}

/// If every score is the same, a line of maps fits equally well. scikit-learn ends at the one nearest to its
/// starting point, in scores divided by their largest where that is 30 or more.
SigmoidMap fit_one_score(double score, double mean_target, double start_intercept) {
  const double scale = std::abs(score) >= 30 ? std::abs(score) : 1.0;
  const double scaled = score / scale;
  const double distance = -(logit(mean_target) + start_intercept) / (scaled * scaled + 1);
  return {distance * scaled / scale, start_intercept + distance};
}

}  // namespace

double SigmoidMap::operator()(double score) const {
  return sigmoid(-(slope * score + intercept));
}

SigmoidMap fit_sigmoid(std::span<const double> scores, std::span<const std::uint8_t> labels,
                       std::span<const double> weights) {
  double class_weight[2] = {0, 0};
  double score_sum = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double weight = weights.empty() ? 1.0 : weights[i];
    class_weight[labels[i] != 0] += weight;
    score_sum += weight * scores[i];
  }
  const double total = class_weight[0] + class_weight[1];
  const PlattTargets targets = platt_targets(class_weight[1], class_weight[0]);

  double spread = 0;
  const double centre = score_sum / total;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (weights.empty() || weights[i] > 0) spread = std::max(spread, std::abs(scores[i] - centre));
  }
  if (spread <= 1e-14 * std::abs(centre)) {
    const double mean_target = (class_weight[1] * targets.of_p + class_weight[0] * targets.of_q) / total;
    return fit_one_score(centre, mean_target, targets.start_intercept);
  }
  std::vector<double> standardised(scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) standardised[i] = (scores[i] - centre) / spread;
  const SigmoidMap fitted = minimise({standardised, labels, weights, targets});
  return {fitted.slope / spread, fitted.intercept - fitted.slope * centre / spread};
}

}  // namespace jsdiv
