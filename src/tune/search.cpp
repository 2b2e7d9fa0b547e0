#include <algorithm>
#include <memory>
#include <set>

#include "core/assert.hpp"
#include "tune/acquisition.hpp"
#include "tune/gaussian_process.hpp"
#include "tune/trial.hpp"
#include "tune/tune.hpp"
#include "tune/unit_space.hpp"

namespace jsdiv {
namespace {

/// Latin hypercube (McKay, Beckman & Conover, 1979): every parameter is spread evenly over its range.
std::vector<UnitPoint> latin_hypercube(const UnitSpace& space, std::size_t count, RandomStream& random) {
  std::vector<UnitPoint> points(count, UnitPoint(space.dimensions()));
  std::vector<std::size_t> strata(count);
  for (std::size_t j = 0; j < space.dimensions(); ++j) {
    for (std::size_t i = 0; i < count; ++i) strata[i] = i;
    random.shuffle(std::span(strata));
    for (std::size_t i = 0; i < count; ++i) {
      points[i][j] = (static_cast<double>(strata[i]) + random.uniform()) / static_cast<double>(count);
    }
  }
  for (UnitPoint& point : points) space.canonicalise(point);
  return points;
}

/// Small finite spaces are listed, so that the last new configuration is found as easily as the first.
constexpr std::size_t longest_list = 2000;

/// The points of one search: those tried and, if the space is small, those left.
class Tried {
 public:
  explicit Tried(const UnitSpace& space) : space_(space) {
    if (auto all = space.enumerate(longest_list)) left_ = std::move(*all), listed_ = true;
  }

  void insert(const UnitPoint& point) {
    seen_.insert(point);
    std::erase(left_, point);
  }
  const std::set<UnitPoint>& seen() const { return seen_; }
  bool listed() const { return listed_; }
  const std::vector<UnitPoint>& left() const { return left_; }

  UnitPoint draw_new(RandomStream& random) const {
    if (listed_) return left_[random.below(left_.size())];
    UnitPoint point = space_.draw(random);
    while (seen_.contains(point)) point = space_.draw(random);
    return point;
  }

 private:
  const UnitSpace& space_;
  std::set<UnitPoint> seen_;
  std::vector<UnitPoint> left_;
  bool listed_ = false;
};

/// One more than the dimensions spans them; a few more keep a small space from being judged by too little.
std::size_t initial_trials(std::size_t dimensions, std::size_t count) {
  return std::min(std::max<std::size_t>(8, dimensions + 1), (count + 1) / 2);
}

/// With many points the hyper-parameters have settled and are fitted again only now and then.
bool refit_is_due(std::size_t points) {
  return points <= 24 || (points <= 64 ? points % 2 == 0 : points % 16 == 0);
}

void run_model_trials(const UnitSpace& space, std::size_t count, TrialRunner& runner,
                      const RandomStream& random) {
  std::vector<bool> is_choice(space.dimensions());
  for (std::size_t j = 0; j < space.dimensions(); ++j) is_choice[j] = space.is_choice(j);
  GaussianProcess model(std::move(is_choice));
  Tried tried(space);
  std::vector<UnitPoint> points;
  std::vector<double> losses;
  const auto run = [&](const UnitPoint& point, const char* origin) {
    losses.push_back(runner.run(space.decode(point), origin).loss);
    points.push_back(point);
    tried.insert(point);
    model.add_point(point);
  };

  RandomStream design = random.child("design");
  for (const UnitPoint& point : latin_hypercube(space, initial_trials(space.dimensions(), count), design)) {
    if (!tried.seen().contains(point)) run(point, "initial");
  }
  while (points.size() < count) {
    RandomStream trial_random = random.child("trial").child(points.size());
    const std::vector<double> targets = model_targets(losses);
    model.condition(targets, refit_is_due(points.size()));
    UnitPoint point;
    if (tried.listed()) {
      point = most_promising(model, tried.left(), *std::min_element(targets.begin(), targets.end()));
    } else {
      point = next_point(space, model, points, targets, tried.seen(), trial_random);
      if (point.empty()) point = tried.draw_new(trial_random);
    }
    run(point, "model");
  }
}

/// Runs every configuration if they fit into the budget; false if they do not.
bool run_exhaustively(const UnitSpace& space, const TuneOptions& options, TrialRunner& runner) {
  const auto all = space.enumerate(static_cast<std::size_t>(options.iterations));
  if (!all) return false;
  for (const UnitPoint& point : *all) runner.run(space.decode(point), "exhaustive");
  return true;
}

Config merged(Config base, const Config& chosen) {
  for (const auto& [name, value] : chosen.values()) base.set(name, value);
  return base;
}

/// Adds what the search does not choose to each configuration before it is scored.
class CompletingScorer final : public FoldScorer {
 public:
  CompletingScorer(std::unique_ptr<FoldScorer> scorer, const Config& defaults)
      : scorer_(std::move(scorer)), defaults_(defaults) {}

  std::vector<double> losses(const Config& config) override {
    return scorer_->losses(merged(defaults_, config));
  }

 private:
  std::unique_ptr<FoldScorer> scorer_;
  Config defaults_;
};

}  // namespace

TuneResult search(const SearchSpace& space, std::span<FoldScorer* const> folds, const TuneOptions& options,
                  RandomStream random) {
  JSDIV_ASSERT(options.iterations >= 0);
  TrialRunner runner(space, folds, options.early_rejection);
  if (!space.empty() && options.iterations > 0) {
    const UnitSpace unit(space);
    if (!run_exhaustively(unit, options, runner)) {
      run_model_trials(unit, static_cast<std::size_t>(options.iterations), runner, random);
    }
  }
  return std::move(runner).take_result();
}

TuneResult tune(const Trainer& trainer, const SearchSpace& space, const Config& defaults,
                std::span<const TuneFold> folds, const Fit& fit, const TuneOptions& options,
                SearchMethod method) {
  Config defaults_beside_path;
  for (const auto& [name, value] : defaults.values()) {
    if (name != space.path_name) defaults_beside_path.set(name, value);
  }
  std::vector<CompletingScorer> owned;
  for (std::size_t k = 0; k < folds.size(); ++k) {
    Fit fold_fit = fit;
    fold_fit.random = fit.random.child("fold").child(k);
    owned.emplace_back(trainer.fold(folds[k].first, folds[k].second, fold_fit), defaults_beside_path);
  }
  std::vector<FoldScorer*> scorers;
  for (CompletingScorer& scorer : owned) scorers.push_back(&scorer);
  TuneResult result = method(space, scorers, options, fit.random.child("search"));
  result.best = merged(defaults, result.best);
  return result;
}

}  // namespace jsdiv
