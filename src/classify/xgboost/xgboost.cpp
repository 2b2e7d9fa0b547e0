#include "classify/xgboost/xgboost.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>

#include "classify/subsample.hpp"
#include "classify/xgboost/booster.hpp"
#include "classify/xgboost/rounds_path.hpp"
#include "core/assert.hpp"
#include "core/stop.hpp"

namespace jsdiv {
namespace {

using gradient_boosting::Booster;
using gradient_boosting::DataMatrix;
using gradient_boosting::max_rounds;
using gradient_boosting::min_rounds;
using gradient_boosting::rounds_step;
using gradient_boosting::RoundsPath;

/// Chance of the difference between two configurations on one fold, in standard deviations of a row's loss
/// difference.
constexpr double margin_per_root_row = 0.3;
/// A search ranks configurations just as well with a quarter of the bins (the losses at ρ = 0.9, d = 10 and d
/// = 50 with 64 bins are within 0.001 of those with 256), and finding splits costs time for each bin.
constexpr std::int64_t min_search_bins = 64;
/// A fold with more is binned anew for each trial, which costs far less than the trial: five folds are not
/// held at a time.
constexpr std::size_t most_kept_values = std::size_t{1} << 20;

/// Training rows in the library's form. `base_margin` is where boosting starts: the log-odds of the prior, so
/// that a small eta need not spend its rounds on the class ratio and swapping the tables mirrors the model.
/// (The library's own start, 0.5, is the same for tables of equal weight.)
class TrainingMatrix {
 public:
  TrainingMatrix(const Problem& problem, Rows all, std::int64_t bins) : bins_(bins) {
    const std::vector<RowIndex> rows = weighted_rows(problem, all);
    prior_log_odds_ = jsdiv::prior_log_odds(problem, rows);
    matrix_ = std::make_unique<DataMatrix>(problem.features, rows, weights_of(problem, rows), bins);
    buffer_.resize(rows.size());
    std::ranges::transform(rows, buffer_.begin(),
                           [&](RowIndex row) { return static_cast<float>(problem.labels[row]); });
    matrix_->set_info("label", buffer_);
  }

  void set_base_margin(double base_margin) {
    std::fill(buffer_.begin(), buffer_.end(), static_cast<float>(base_margin));
    matrix_->set_info("base_margin", buffer_);
  }

  double prior_log_odds() const { return prior_log_odds_; }
  std::int64_t bins() const { return bins_; }
  const DataMatrix& matrix() const { return *matrix_; }

 private:
  static std::vector<float> weights_of(const Problem& problem, Rows rows) {
    if (problem.weights.empty()) return {};
    // The regularisation of the trees is on the scale of the summed weights: keep their mean at 1.
    double total = 0;
    for (const RowIndex row : rows) total += problem.weight(row);
    const double scale = static_cast<double>(rows.size()) / total;
    std::vector<float> weights(rows.size());
    std::ranges::transform(rows, weights.begin(), [&](RowIndex row) {
      return std::max(static_cast<float>(problem.weight(row) * scale), std::numeric_limits<float>::min());
    });
    return weights;
  }

  std::int64_t bins_;
  double prior_log_odds_ = 0;
  std::unique_ptr<DataMatrix> matrix_;
  std::vector<float> buffer_;
};

/// log(weight of P / weight of Q) that the loss sees: scale_pos_weight multiplies the weight of P.
double effective_prior(const TrainingMatrix& training, const Config& config) {
  return training.prior_log_odds() + std::log(config.real("scale_pos_weight", 1e-6, 1e6));
}

/// The library rounds the number of sampled columns down: of two columns, every share below 1 would leave
/// one, and no tree could see both. Rounds to the nearest number instead.
double sampled_column_share(double share, std::size_t features) {
  const auto count = static_cast<double>(features);
  return std::clamp(std::round(share * count), 1.0, count) / count;
}

void configure(Booster& booster, const Config& config, std::size_t features, std::uint32_t seed) {
  booster.set("objective", "binary:logistic");
  booster.set("base_score", 0.5);  // margin 0: our base margin is added by us
  booster.set("tree_method", "hist");
  booster.set("nthread", std::int64_t{1});
  booster.set("verbosity", std::int64_t{0});
  booster.set("disable_default_eval_metric", std::int64_t{1});
  booster.set("seed", std::int64_t{seed >> 1});
  booster.set("max_depth", config.integer("max_depth", 1, 64));
  booster.set("min_child_weight", config.integer("min_child_weight", 0, 1'000'000'000));
  booster.set("max_bin", config.integer("max_bin", 2, 65536));
  booster.set("eta", config.real("eta", 1e-6, 1));
  booster.set("subsample", config.real("subsample", 1e-3, 1));
  booster.set("alpha", config.real("alpha", 0, 1e6));
  booster.set("lambda", config.real("lambda", 0, 1e6));
  booster.set("scale_pos_weight", config.real("scale_pos_weight"));
  booster.set("colsample_bytree", sampled_column_share(config.real("colsample_bytree", 1e-3, 1), features));
}

/// What a search has seen of an ensemble: the sums of the trees for rows that outlive it.
struct SeenMargins {
  const float* features = nullptr;
  Rows rows;
  int rounds = 0;
  std::vector<float> margins;  ///< [rows]

  bool are_of(MatrixView all, Rows some) const {
    return all.data == features && some.data() == rows.data() && some.size() == margins.size();
  }
};

class XgboostModel final : public Model {
 public:
  XgboostModel(std::shared_ptr<const Booster> booster, int rounds, double prior_log_odds, Config config,
               SeenMargins seen = {})
      : booster_(std::move(booster)),
        rounds_(rounds),
        prior_log_odds_(prior_log_odds),
        config_(std::move(config)),
        seen_(std::move(seen)) {}

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    if (!seen_.margins.empty() && seen_.are_of(features, rows)) {
      std::ranges::copy(seen_.margins, out.begin());
    } else {
      booster_->margins(features, rows, rounds_, out);
    }
    for (double& value : out) value += prior_log_odds_;
  }
  double prior_log_odds() const override { return prior_log_odds_; }
  const Config& config() const override { return config_; }

 private:
  std::shared_ptr<const Booster> booster_;
  int rounds_;
  double prior_log_odds_;
  Config config_;
  SeenMargins seen_;
};

class XgboostFold final : public FoldScorer {
 public:
  XgboostFold(const Problem& problem, Rows train, Rows held_out, const Fit& fit)
      : problem_(problem),
        train_(train),
        held_out_(held_out),
        loss_(fit.loss),
        seed_(RandomStream(fit.random).next_u32()),
        scores_(held_out.size()) {}

  std::vector<double> losses(const Config& config) override {
    prepare(config.integer("max_bin", 2, 65536));
    TrainingMatrix& training = *training_;
    last_prior_ = effective_prior(training, config);
    training.set_base_margin(last_prior_);
    last_ = std::make_shared<Booster>(training.matrix());
    last_config_ = config;
    last_rounds_ = 0;
    seen_ = {problem_.features.data, held_out_, 0, {}};
    double lowest = std::numeric_limits<double>::infinity();
    configure(*last_, config, problem_.features.cols, seed_);
    last_->set("max_bin", training.bins());

    RoundsPath path(lowest_loss_, margin_per_root_row / std::sqrt(static_cast<double>(held_out_.size())));
    bool growing = true;
    while (growing) {
      for (int step = 0; step < rounds_step; ++step) {
        throw_if_interrupted();
        last_->boost(last_rounds_++, training.matrix());
      }
      const double loss = score();
      if (last_rounds_ >= min_rounds && loss < lowest) {
        lowest = loss;
        seen_.rounds = last_rounds_;
        seen_.margins.assign(margins_.begin(), margins_.end());
      }
      growing = path.add(loss);
    }
    std::vector<double> losses = path.losses();
    lowest_loss_ = std::min(lowest_loss_, *std::min_element(losses.begin(), losses.end()));
    if (train_.size() * problem_.features.cols > most_kept_values)
      training_.reset(), held_out_matrix_.reset();
    return losses;
  }

  std::unique_ptr<Model> last_model(std::size_t step) override {
    const int rounds = std::min(min_rounds + static_cast<int>(step) * rounds_step, last_rounds_);
    Config config = last_config_;
    config.set("rounds", std::int64_t{rounds});
    return std::make_unique<XgboostModel>(last_, rounds, last_prior_, std::move(config),
                                          seen_.rounds == rounds ? seen_ : SeenMargins{});
  }

 private:
  void prepare(std::int64_t bins) {
    const std::int64_t fewer = std::min(bins, std::max(min_search_bins, bins / 4));
    if (!training_ || training_->bins() != fewer) training_.emplace(problem_, train_, fewer);
    if (!held_out_matrix_) held_out_matrix_.emplace(problem_.features, held_out_);
  }

  double score() {
    margins_ = last_->cached_margins(*held_out_matrix_);
    std::ranges::transform(margins_, scores_.begin(), [&](float margin) { return margin + last_prior_; });
    return held_out_loss(problem_, held_out_, scores_, last_prior_, loss_);
  }

  const Problem& problem_;
  Rows train_;
  Rows held_out_;
  Loss loss_;
  std::uint32_t seed_;
  std::optional<TrainingMatrix> training_;  ///< with the next
  std::optional<DataMatrix> held_out_matrix_;
  std::vector<double> scores_;
  double lowest_loss_ = std::numeric_limits<double>::infinity();  ///< over the configurations seen so far
  std::shared_ptr<Booster> last_;  ///< of the last call of losses(), with what it was made by
  Config last_config_;
  double last_prior_ = 0;
  int last_rounds_ = 0;
  std::span<const float> margins_;  ///< after the last score(), valid until the next
  SeenMargins seen_;                ///< at the lowest loss of the last call
};

class XgboostTrainer final : public Trainer {
 public:
  using Trainer::Trainer;

  std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit& fit) const override {
    TrainingMatrix training(problem(), rows, config.integer("max_bin", 2, 65536));
    const double prior = effective_prior(training, config);
    training.set_base_margin(prior);
    const auto booster = std::make_shared<Booster>(training.matrix());
    configure(*booster, config, problem().features.cols, RandomStream(fit.random).next_u32());
    const int rounds = static_cast<int>(std::lround(config.real("rounds", 0, 1e6)));
    for (int round = 0; round < rounds; ++round) {
      throw_if_interrupted();
      booster->boost(round, training.matrix());
    }
    return std::make_unique<XgboostModel>(booster, rounds, prior, config);
  }

  std::unique_ptr<FoldScorer> fold(Rows train, Rows held_out, const Fit& fit) const override {
    return std::make_unique<XgboostFold>(problem(), train, held_out, fit);
  }
};

class XgboostFamily final : public Family {
 public:
  std::string_view name() const override { return "xgboost"; }

  SearchSpace search_space(const SpaceContext& context) const override {
    SearchSpace space;
    space.parameters = {
        Parameter::integer("max_depth", 3, 10),        Parameter::log_real("eta", 1e-3, 0.3),
        Parameter::real("subsample", 0.5, 1),          Parameter::real("colsample_bytree", 0.5, 1),
        Parameter::integer("min_child_weight", 1, 20), Parameter::log_real("alpha", 1e-8, 10),
        Parameter::log_real("lambda", 1e-8, 10)};
    if (context.reweighting) space.parameters.push_back(Parameter::real("scale_pos_weight", 0.5, 2.5));
    space.path_name = "rounds";
    for (int rounds = min_rounds; rounds <= max_rounds; rounds += rounds_step)
      space.path_values.push_back(rounds);
    return space;
  }

  // The base estimator of the published tool.
  Config defaults(const SpaceContext&) const override {
    Config config;
    config.set("rounds", std::int64_t{300});
    config.set("max_depth", std::int64_t{6});
    config.set("eta", 0.05);
    config.set("subsample", 0.9);
    config.set("colsample_bytree", 0.9);
    config.set("min_child_weight", std::int64_t{1});
    config.set("alpha", 1e-6);
    config.set("lambda", 1.0);
    config.set("scale_pos_weight", 1.0);
    config.set("max_bin", std::int64_t{256});
    return config;
  }

  /// Shallow trees for smooth ratios, deeper ones for interactions.
  std::vector<Config> shortlist(const SpaceContext& context) const override {
    const auto with = [&](std::int64_t depth, double eta) {
      Config config = defaults(context);
      config.set("max_depth", depth);
      config.set("eta", eta);
      config.set("subsample", 0.8);
      config.set("min_child_weight", std::int64_t{5});
      return config;
    };
    return {with(4, 0.1), with(6, 0.07)};
  }

  bool uses_exact_values() const override { return true; }
  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return false; }

  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<XgboostTrainer>(problem);
  }
};

}  // namespace

const Family& xgboost_family() {
  static const XgboostFamily family;
  return family;
}

}  // namespace jsdiv
