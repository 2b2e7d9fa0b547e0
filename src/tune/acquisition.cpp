#include "tune/acquisition.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/assert.hpp"

namespace jsdiv {
namespace {

/// Indices of the `count` smallest values, in order.
std::vector<std::size_t> smallest(std::span<const double> values, std::size_t count) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  order.resize(std::min(count, order.size()));
  return order;
}

/// A point near `centre`: one coordinate moves for certain, the others now and then; choices jump.
UnitPoint neighbour(const UnitSpace& space, const UnitPoint& centre, double step, RandomStream& random) {
  constexpr double jump_rate = 0.3;
  UnitPoint point = centre;
  const double move_rate = std::max(2.0 / static_cast<double>(point.size()), 0.3);
  const std::size_t certain = random.below(point.size());
  for (std::size_t j = 0; j < point.size(); ++j) {
    if (j != certain && random.uniform() >= move_rate) continue;
    if (!space.is_choice(j)) {
      point[j] += step * random.normal();
    } else if (j == certain || random.uniform() < jump_rate) {
      point[j] = random.uniform();
    }
  }
  space.canonicalise(point);
  return point;
}

/// Expected improvement over `best`, negated, so that the smallest is the most promising.
std::vector<double> negative_improvements(const GaussianProcess& model, std::span<const UnitPoint> points,
                                          double best) {
  const std::size_t count = points.size();
  const std::size_t dimensions = points.front().size();
  std::vector<double> columns(dimensions * count), mean(count), deviation(count);
  for (std::size_t j = 0; j < dimensions; ++j) {
    for (std::size_t i = 0; i < count; ++i) columns[j * count + i] = points[i][j];
  }
  model.predict(columns, count, mean, deviation);
  for (std::size_t i = 0; i < count; ++i) mean[i] = -expected_improvement(mean[i], deviation[i], best);
  return mean;
}

/// The best candidates so far.
struct Shortlist {
  std::vector<UnitPoint> points;
  std::vector<double> scores;

  void offer(const GaussianProcess& model, const std::vector<UnitPoint>& offered, double best) {
    constexpr std::size_t length = 4;
    if (offered.empty()) return;
    const std::vector<double> offered_scores = negative_improvements(model, offered, best);
    points.insert(points.end(), offered.begin(), offered.end());
    scores.insert(scores.end(), offered_scores.begin(), offered_scores.end());
    Shortlist kept;
    for (const std::size_t i : smallest(scores, length)) {
      kept.points.push_back(std::move(points[i]));
      kept.scores.push_back(scores[i]);
    }
    *this = std::move(kept);
  }
};

}  // namespace

double expected_improvement(double mean, double deviation, double best) {
  const double z = (best - mean) / deviation;
  const double density = std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
  const double probability = 0.5 * std::erfc(-z / std::numbers::sqrt2);
  return deviation * (z * probability + density);
}

std::vector<double> model_targets(std::span<const double> losses) {
  constexpr double far_beyond = 10;  // times the distance from the lowest loss to the median
  std::vector<double> sorted;
  std::copy_if(losses.begin(), losses.end(), std::back_inserter(sorted),
               [](double loss) { return std::isfinite(loss); });
  std::vector<double> targets(losses.size(), 0.0);
  if (sorted.empty()) return targets;
  std::sort(sorted.begin(), sorted.end());
  const double usual = sorted[sorted.size() / 2] - sorted.front();
  const double highest =
      usual > 0 ? std::min(sorted.back(), sorted.front() + far_beyond * usual) : sorted.back();
  double mean = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    targets[i] = std::isfinite(losses[i]) ? std::min(losses[i], highest) : highest;
    mean += targets[i] / static_cast<double>(losses.size());
  }
  double squares = 0;
  for (double& target : targets) {
    target -= mean;
    squares += target * target;
  }
  const double deviation = std::sqrt(squares / static_cast<double>(targets.size()));
  for (double& target : targets) target = deviation > 0 ? target / deviation : 0.0;
  return targets;
}

const UnitPoint& most_promising(const GaussianProcess& model, std::span<const UnitPoint> candidates,
                                double best) {
  JSDIV_ASSERT(!candidates.empty());
  return candidates[smallest(negative_improvements(model, candidates, best), 1).front()];
}

UnitPoint next_point(const UnitSpace& space, const GaussianProcess& model, std::span<const UnitPoint> tried,
                     std::span<const double> targets, const std::set<UnitPoint>& seen, RandomStream& random) {
  constexpr std::size_t anywhere = 128, near_best = 128, refined = 64, centre_count = 4;
  constexpr double widest_step = 0.3, narrowest_step = 0.01;
  const std::vector<std::size_t> centres = smallest(targets, centre_count);
  const double best = targets[centres.front()];

  std::vector<UnitPoint> candidates;
  const auto add = [&](UnitPoint point) {
    if (!seen.contains(point)) candidates.push_back(std::move(point));
  };
  for (std::size_t i = 0; i < anywhere; ++i) add(space.draw(random));
  for (std::size_t i = 0; i < near_best; ++i) {
    const double step = widest_step * std::pow(narrowest_step / widest_step, random.uniform());
    add(neighbour(space, tried[centres[i % centres.size()]], step, random));
  }
  Shortlist shortlist;
  shortlist.offer(model, candidates, best);
  for (const double step : {0.1, 0.03, 0.01, 0.003}) {
    if (shortlist.points.empty()) return {};
    candidates.clear();
    for (std::size_t i = 0; i < refined; ++i) {
      add(neighbour(space, shortlist.points[i % shortlist.points.size()], step, random));
    }
    shortlist.offer(model, candidates, best);
  }
  return shortlist.points.empty() ? UnitPoint{} : shortlist.points.front();
}

}  // namespace jsdiv
