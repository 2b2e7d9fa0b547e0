#include "tune/trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"

namespace jsdiv {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

double mean(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Of one observation; 0 for a single value.
double standard_deviation(std::span<const double> values) {
  if (values.size() < 2) return 0;
  const double centre = mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - centre) * (value - centre);
  return std::sqrt(squares / static_cast<double>(values.size() - 1));
}

}  // namespace

std::vector<std::size_t> fold_batches(std::size_t folds, bool early_rejection) {
  std::vector<std::size_t> ends;
  if (early_rejection) {
    for (const std::size_t end : {1, 3, 5, 10, 20, 40}) {
      if (end < folds) ends.push_back(end);
    }
  }
  ends.push_back(folds);
  return ends;
}

bool hopeless(std::span<const double> differences, double usual_spread) {
  // A single fold has no spread of its own to speak against it.
  const double standard_errors = differences.size() == 1 ? 6 : 3;
  const double average = mean(differences);
  if (!std::isfinite(average)) return true;
  const double spread = std::max(standard_deviation(differences), usual_spread);
  return average > standard_errors * spread / std::sqrt(static_cast<double>(differences.size()));
}

TrialRunner::TrialRunner(const SearchSpace& space, std::span<FoldScorer* const> folds, bool early_rejection)
    : space_(space),
      folds_(folds),
      whole_path_(std::all_of(space.path_values.begin(), space.path_values.end(),
                              [](double value) { return value == std::round(value); })),
      batches_(fold_batches(folds.size(), early_rejection)),
      fold_losses_(folds.size()) {
  JSDIV_ASSERT(!folds.empty());
  JSDIV_ASSERT(space.path_name.empty() == space.path_values.empty());
  result_.best_loss = infinity;
}

void TrialRunner::score_folds(const Config& config, std::size_t first, std::size_t last) {
  const std::size_t expected = space_.path_name.empty() ? 1 : space_.path_values.size();
  parallel_for(last - first, [&](std::size_t job) {
    throw_if_interrupted();
    std::vector<double>& losses = fold_losses_[first + job];
    losses = folds_[first + job]->losses(config);
    JSDIV_ASSERT(losses.size() == expected);
    for (double& loss : losses) {
      if (!std::isfinite(loss)) loss = infinity;
    }
  });
}

TrialRunner::Standing TrialRunner::standing(std::size_t folds_scored) const {
  Standing best;
  best.mean = infinity;
  for (std::size_t p = 0; p < fold_losses_.front().size(); ++p) {
    double sum = 0;
    for (std::size_t k = 0; k < folds_scored; ++k) sum += fold_losses_[k][p];
    const double average = sum / static_cast<double>(folds_scored);
    if (average < best.mean) best.mean = average, best.path_idx = p;
  }
  for (std::size_t k = 0; k < folds_scored; ++k) best.losses.push_back(fold_losses_[k][best.path_idx]);
  return best;
}

std::vector<double> TrialRunner::differences_to_best(std::span<const double> losses) const {
  std::vector<double> differences(losses.size());
  for (std::size_t k = 0; k < losses.size(); ++k) differences[k] = losses[k] - best_fold_losses_[k];
  return differences;
}

/// The median over earlier trials; infinite until three of them have told what is usual.
double TrialRunner::usual_spread() const {
  constexpr std::size_t enough = 3;
  if (spreads_.size() < enough) return infinity;
  std::vector<double> sorted = spreads_;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  return *middle;
}

const Trial& TrialRunner::run(Config config, std::string origin) {
  throw_if_interrupted();
  Trial trial{.config = std::move(config), .origin = std::move(origin)};
  Standing now;
  std::size_t scored = 0;
  for (const std::size_t end : batches_) {
    score_folds(trial.config, scored, end);
    scored = end;
    now = standing(scored);
    if (scored == folds_.size()) break;
    const bool failed = !std::isfinite(now.mean);
    if (failed || (!best_fold_losses_.empty() && hopeless(differences_to_best(now.losses), usual_spread()))) {
      trial.rejected = true;
      break;
    }
  }

  trial.folds_scored = static_cast<int>(scored);
  trial.loss = now.mean;
  if (std::isfinite(now.mean)) {
    trial.standard_error = standard_deviation(now.losses) / std::sqrt(static_cast<double>(scored));
    if (!space_.path_name.empty()) {
      const double value = space_.path_values[now.path_idx];
      if (whole_path_) {
        trial.config.set(space_.path_name, static_cast<std::int64_t>(value));
      } else {
        trial.config.set(space_.path_name, value);
      }
    }
    if (!best_fold_losses_.empty()) {
      const std::vector<double> differences = differences_to_best(now.losses);
      // Folds differ in difficulty; what a trial would have reached is the best trial's loss plus its own
      // lag.
      if (trial.rejected) trial.loss = result_.best_loss + mean(differences);
      if (scored > 1) spreads_.push_back(standard_deviation(differences));
    }
    if (!trial.rejected && trial.loss < result_.best_loss) {
      result_.best = trial.config;
      result_.best_loss = trial.loss;
      best_fold_losses_ = now.losses;
    }
  }
  result_.trials.push_back(std::move(trial));
  return result_.trials.back();
}

}  // namespace jsdiv
