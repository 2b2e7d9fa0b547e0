#include "classify/pairs/pairs.hpp"

#include <algorithm>
#include <cmath>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "classify/pairs/additive_model.hpp"
#include "classify/subsample.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

using pairs::AdditiveModel;
using pairs::Hats;
using pairs::Places;
using pairs::Target;

constexpr int path_steps_per_decade = 1;
/// A third of it moved the divergence of a table of 20,000 rows by 2e-5.
constexpr double tolerance = 1e-3;
/// Path values after the lowest loss that must be worse before the rest is given up.
constexpr std::size_t rising_steps_to_stop = 1;

std::vector<double> c_path() {
  std::vector<double> values;
  for (int step = 0; step <= 3 * path_steps_per_decade; ++step) {
    values.push_back(std::pow(10.0, -3 + static_cast<double>(step) / path_steps_per_decade));
  }
  return values;
}

/// What the columns and labels of some training rows say, for every configuration that is fitted to them.
class Screened {
 public:
  explicit Screened(std::vector<RowIndex> rows) : rows_(std::move(rows)) {}

  bool is_of(Rows rows) const { return std::ranges::equal(rows_, rows); }

  AdditiveModel design(const Problem& problem, const Config& config) {
    const std::lock_guard lock(mutex_);
    return {hats(problem, static_cast<std::size_t>(config.integer("knots", 2, 100))),
            telling(problem, static_cast<std::size_t>(config.integer("pairs", 0, 10000)))};
  }

 private:
  const std::vector<Hats>& hats(const Problem& problem, std::size_t knots) {
    std::vector<Hats>& found = hats_[knots];
    if (!found.empty()) return found;
    for (std::size_t j = 0; j < problem.features.cols; ++j) {
      found.emplace_back(pairs::WeightedValues(problem.features.column(j), rows_, problem.weights), knots);
    }
    return found;
  }

  std::vector<pairs::Pair> telling(const Problem& problem, std::size_t most) {
    if (most == 0) return {};
    if (!telling_) telling_ = pairs::telling_pairs(problem, rows_);
    return {telling_->begin(),
            telling_->begin() + static_cast<std::ptrdiff_t>(std::min(most, telling_->size()))};
  }

  std::vector<RowIndex> rows_;
  std::mutex mutex_;
  std::map<std::size_t, std::vector<Hats>> hats_;  ///< by the number of knots
  std::optional<std::vector<pairs::Pair>> telling_;
};

/// One for each set of rows that a trainer has seen: a fold, a half, a whole part.
class Screenings {
 public:
  AdditiveModel design(const Problem& problem, Rows rows, const Config& config) {
    return of(rows).design(problem, config);
  }

 private:
  Screened& of(Rows rows) {
    const std::lock_guard lock(mutex_);
    const auto known =
        std::ranges::find_if(screened_, [&](const Screened& each) { return each.is_of(rows); });
    return known != screened_.end() ? *known
                                    : screened_.emplace_back(std::vector<RowIndex>(rows.begin(), rows.end()));
  }

  std::mutex mutex_;
  std::list<Screened> screened_;  ///< never moved
};

/// The rows with weight of a fit, with what the loss needs to know of them.
struct TrainingSet {
  TrainingSet(const Problem& problem, Rows all)
      : rows(weighted_rows(problem, all)), prior_log_odds(jsdiv::prior_log_odds(problem, rows)) {
    for (const RowIndex row : rows) {
      target.signs.push_back(problem.labels[row] == 1 ? 1.0 : -1.0);
      target.weights.push_back(problem.weight(row));
    }
  }

  std::vector<RowIndex> rows;
  double prior_log_odds;
  Target target;
};

std::vector<double> start(const AdditiveModel& model, const TrainingSet& training) {
  std::vector<double> coefficients(model.size(), 0.0);
  coefficients[0] = training.prior_log_odds;
  return coefficients;
}

class PairsModel final : public Model {
 public:
  PairsModel(AdditiveModel model, std::vector<double> coefficients, double prior, Config config)
      : model_(std::move(model)),
        coefficients_(std::move(coefficients)),
        prior_log_odds_(prior),
        config_(std::move(config)) {
    config_.set("pairs_used", static_cast<std::int64_t>(model_.pairs().size()));
  }

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    constexpr std::size_t block_rows = 4096;
    for (std::size_t begin = 0; begin < rows.size(); begin += block_rows) {
      const Rows block = rows.subspan(begin, std::min(block_rows, rows.size() - begin));
      model_.apply(pairs::places_of(model_.hats(), features, block), coefficients_,
                   out.subspan(begin, block.size()));
    }
  }
  double prior_log_odds() const override { return prior_log_odds_; }
  const Config& config() const override { return config_; }

 private:
  AdditiveModel model_;
  std::vector<double> coefficients_;
  double prior_log_odds_;
  Config config_;
};

class PairsFold final : public FoldScorer {
 public:
  PairsFold(const Problem& problem, Screenings& screenings, Rows train, Rows held_out, Loss loss)
      : problem_(problem),
        screenings_(screenings),
        held_out_(held_out),
        loss_(loss),
        training_(problem, train) {}

  std::vector<double> losses(const Config& config) override {
    last_config_ = config;
    last_model_.emplace(screenings_.design(problem_, training_.rows, config));
    const AdditiveModel& model = *last_model_;
    const std::vector<Places> train = pairs::places_of(model.hats(), problem_.features, training_.rows);
    const std::vector<Places> held_out = pairs::places_of(model.hats(), problem_.features, held_out_);
    std::vector<double> coefficients = start(model, training_);
    std::vector<double> scores(held_out_.size());
    std::vector<double> losses;
    const std::vector<double> path = c_path();
    while (losses.size() < path.size()) {
      pairs::fit_ridge(model, train, training_.target, path[losses.size()], tolerance, coefficients);
      model.apply(held_out, coefficients, scores);
      losses.push_back(held_out_loss(problem_, held_out_, scores, training_.prior_log_odds, loss_));
      const auto best = static_cast<std::size_t>(std::ranges::min_element(losses) - losses.begin());
      if (best == losses.size() - 1) last_best_ = best, last_coefficients_ = coefficients;
      if (losses.size() - 1 - best >= rising_steps_to_stop) losses.resize(path.size(), losses.back());
    }
    return losses;
  }

  std::unique_ptr<Model> last_model(std::size_t step) override {
    if (step != last_best_) return nullptr;
    Config config = last_config_;
    config.set("C", c_path()[step]);
    return std::make_unique<PairsModel>(*last_model_, last_coefficients_, training_.prior_log_odds,
                                        std::move(config));
  }

 private:
  const Problem& problem_;
  Screenings& screenings_;
  Rows held_out_;
  Loss loss_;
  TrainingSet training_;
  Config last_config_;  ///< of the last call of losses(), with the next
  std::optional<AdditiveModel> last_model_;
  std::size_t last_best_ = 0;  ///< path value with the lowest loss, and its coefficients
  std::vector<double> last_coefficients_;
};

class PairsTrainer final : public Trainer {
 public:
  using Trainer::Trainer;

  std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit&) const override {
    const double c = config.real("C", 1e-12, 1e12);
    const TrainingSet training(problem(), rows);
    AdditiveModel model = screenings_.design(problem(), training.rows, config);
    const std::vector<Places> places = pairs::places_of(model.hats(), problem().features, training.rows);
    std::vector<double> coefficients = start(model, training);
    pairs::fit_ridge(model, places, training.target, c, tolerance, coefficients);
    return std::make_unique<PairsModel>(std::move(model), std::move(coefficients), training.prior_log_odds,
                                        config);
  }

  std::unique_ptr<FoldScorer> fold(Rows train, Rows held_out, const Fit& fit) const override {
    return std::make_unique<PairsFold>(problem(), screenings_, train, held_out, fit.loss);
  }

 private:
  mutable Screenings screenings_;
};

class PairsFamily final : public Family {
 public:
  std::string_view name() const override { return "pairs"; }

  SearchSpace search_space(const SpaceContext&) const override {
    return {.parameters = {Parameter::integer("knots", 3, 20), Parameter::integer("pairs", 0, 40)},
            .path_name = "C",
            .path_values = c_path()};
  }

  Config defaults(const SpaceContext&) const override { return with_knots(8); }

  /// Few knots for what is smooth, more for what is not.
  std::vector<Config> shortlist(const SpaceContext&) const override {
    return {with_knots(5), with_knots(12)};
  }

  std::vector<std::string> outcome_names() const override { return {"pairs_used"}; }
  bool stochastic() const override { return false; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return true; }

  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<PairsTrainer>(problem);
  }

 private:
  static Config with_knots(std::int64_t knots) {
    Config config;
    config.set("knots", knots);
    config.set("pairs", std::int64_t{24});
    config.set("C", 1.0);
    return config;
  }
};

}  // namespace

const Family& pairs_family() {
  static const PairsFamily family;
  return family;
}

}  // namespace jsdiv
