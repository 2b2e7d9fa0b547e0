#include "classify/kernel/kernel.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>

#include "classify/kernel/fourier_features.hpp"
#include "classify/linear/held_out_path.hpp"
#include "classify/subsample.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

using kernel::FourierFeatures;

/// The features of a fit are held in memory as float32: this many rows with the components of the default
/// take 40 MB, and further rows barely move a model of so few parameters.
constexpr std::size_t most_training_rows = 50000;
/// Held-out rows with more values are made anew for each step of a path: that costs a tenth of a step, and
/// they are not held beside those of the fit.
constexpr std::size_t most_kept_values = std::size_t{1} << 21;
constexpr int path_steps_per_decade = 1;
constexpr int rising_steps_to_stop = 1;

/// C multiplies a loss whose features have k(x, x) = 1, whatever the number of components.
std::vector<double> c_path() {
  std::vector<double> values;
  for (int step = 0; step <= 7 * path_steps_per_decade; ++step) {
    values.push_back(std::pow(10.0, -3 + static_cast<double>(step) / path_steps_per_decade));
  }
  return values;
}

/// A configuration without C.
struct Setting {
  explicit Setting(const Config& config)
      : bandwidth(config.real("bandwidth", 1e-3, 1e3)), components(config.integer("components", 2, 10000)) {
    if (components % 2 != 0) {
      throw InvalidInput("the hyperparameter 'components' is " + std::to_string(components) +
                         "; give an even number");
    }
    config.choice("class_weight", std::array{std::string("none")});
  }

  double bandwidth;
  std::int64_t components;
};

/// The rows that a fit uses, with their labels and weights.
struct TrainingSet {
  TrainingSet(const Problem& problem, Rows all, const RandomStream& random) {
    rows = weighted_rows(problem, all);
    prior_log_odds = jsdiv::prior_log_odds(problem, rows);
    if (rows.size() > most_training_rows) {
      notes.push_back({"kernel_subsampled", "kernel: trained on a random " +
                                                std::to_string(most_training_rows) + " of " +
                                                std::to_string(rows.size()) + " rows"});
      rows = stratified_subsample(rows, problem.labels, most_training_rows, random);
      prior_log_odds = jsdiv::prior_log_odds(problem, rows);
    }
    for (const RowIndex row : rows) {
      labels.push_back(problem.labels[row]);
      weights.push_back(problem.weight(row));
    }
  }

  linear::Target target() const { return {labels, weights}; }

  std::vector<RowIndex> rows;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  double prior_log_odds = 0;
  std::vector<Warning> notes;
};

TrainingSet training_set(const Problem& problem, Rows rows, const Fit& fit) {
  return {problem, rows, fit.random.child("subsample")};
}

FourierFeatures features_of(const Problem& problem, const TrainingSet& training, const Setting& setting,
                            const Fit& fit) {
  return {problem.features,  training.rows,
          training.weights,  static_cast<std::size_t>(setting.components),
          setting.bandwidth, fit.random.child("frequencies")};
}

class KernelModel final : public Model {
 public:
  KernelModel(FourierFeatures features, linear::Coefficients coefficients, const TrainingSet& training,
              Config config)
      : features_(std::move(features)),
        prior_log_odds_(training.prior_log_odds),
        config_(std::move(config)),
        notes_(training.notes),
        theta_{coefficients.intercept} {
    theta_.insert(theta_.end(), coefficients.weights.begin(), coefficients.weights.end());
  }

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    constexpr std::size_t block_rows = 4096;
    for (std::size_t begin = 0; begin < rows.size(); begin += block_rows) {
      const Rows block = rows.subspan(begin, std::min(block_rows, rows.size() - begin));
      const Matrix values = features_(features, block);
      const linear::DenseDesign design(values.view(), linear::Standardisation::identity(values.cols()));
      const auto copy = [&](std::size_t first, std::span<double> scores) {
        std::copy(scores.begin(), scores.end(), out.begin() + static_cast<std::ptrdiff_t>(begin + first));
      };
      design.sweep(design.usable(), theta_, linear::Precision::full, copy, {});
    }
  }

  double prior_log_odds() const override { return prior_log_odds_; }
  const Config& config() const override { return config_; }
  std::vector<Warning> notes() const override { return notes_; }

 private:
  FourierFeatures features_;
  double prior_log_odds_;
  Config config_;
  std::vector<Warning> notes_;
  std::vector<double> theta_;  ///< intercept, then a coefficient for each feature as it is
};

class KernelFold final : public FoldScorer {
 public:
  KernelFold(const Problem& problem, Rows train, Rows held_out, const Fit& fit)
      : problem_(problem), held_out_(held_out), fit_(fit), training_(training_set(problem, train, fit)) {}

  std::vector<double> losses(const Config& config) override {
    last_config_ = config;
    last_features_.emplace(features_of(problem_, training_, Setting(config), fit_));
    const FourierFeatures& features = *last_features_;
    const Matrix train_values = features(problem_.features, training_.rows);
    const linear::DenseDesign train(train_values.view());
    const auto loss = [&](std::span<const double> scores) {
      return held_out_loss(problem_, held_out_, scores, training_.prior_log_odds, fit_.loss);
    };
    const auto losses_on = [&](const linear::Design& held_out) {
      last_path_ = held_out_path(train, training_.target(), held_out, linear::Penalty::l2, c_path(),
                                 rising_steps_to_stop, loss);
      return last_path_.losses;
    };
    if (held_out_.size() * train_values.cols() > most_kept_values) {
      const auto make = [&](std::size_t first, std::size_t count) {
        return features(problem_.features, held_out_.subspan(first, count));
      };
      return losses_on(linear::MadeDesign(held_out_.size(), make, train.standardisation()));
    }
    const Matrix held_out_values = features(problem_.features, held_out_);
    return losses_on(linear::DenseDesign(held_out_values.view(), train.standardisation()));
  }

  std::unique_ptr<Model> last_model(std::size_t step) override {
    if (step != last_path_.best) return nullptr;
    Config config = last_config_;
    config.set("C", c_path()[step]);
    return std::make_unique<KernelModel>(*last_features_, last_path_.best_coefficients, training_,
                                         std::move(config));
  }

 private:
  const Problem& problem_;
  Rows held_out_;
  Fit fit_;
  TrainingSet training_;
  Config last_config_;  ///< of the last call of losses(), with the next
  std::optional<FourierFeatures> last_features_;
  linear::HeldOutPath last_path_;
};

class KernelTrainer final : public Trainer {
 public:
  using Trainer::Trainer;

  std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit& fit) const override {
    const double c = config.real("C", 1e-12, 1e12);
    const TrainingSet training = training_set(problem(), rows, fit);
    FourierFeatures features = features_of(problem(), training, Setting(config), fit);
    const Matrix values = features(problem().features, training.rows);
    const linear::DenseDesign design(values.view());
    // The draw of the frequencies moves the predictions far more than a tighter tolerance would.
    linear::Coefficients coefficients =
        linear::fit_at(design, training.target(), linear::Penalty::l2, c, linear::search_tolerance);
    return std::make_unique<KernelModel>(std::move(features), std::move(coefficients), training, config);
  }

  std::unique_ptr<FoldScorer> fold(Rows train, Rows held_out, const Fit& fit) const override {
    return std::make_unique<KernelFold>(problem(), train, held_out, fit);
  }
};

class KernelFamily final : public Family {
 public:
  std::string_view name() const override { return "kernel"; }

  SearchSpace search_space(const SpaceContext&) const override {
    return {
        .parameters = {Parameter::log_real("bandwidth", 0.15, 5)}, .path_name = "C", .path_values = c_path()};
  }

  Config defaults(const SpaceContext&) const override { return with_bandwidth(1); }

  /// A smooth boundary, best for Gaussians, and one with detail, best for rings and chequers.
  std::vector<Config> shortlist(const SpaceContext&) const override {
    return {with_bandwidth(2), with_bandwidth(0.35)};
  }

  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return true; }

  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<KernelTrainer>(problem);
  }

 private:
  /// `bandwidth` is in units of √d, d the columns that vary: standardised rows are about √(2d) apart.
  static Config with_bandwidth(double bandwidth) {
    Config config;
    config.set("bandwidth", bandwidth);
    config.set("components", std::int64_t{200});
    config.set("C", 1.0);
    config.set("class_weight", "none");
    return config;
  }
};

}  // namespace

const Family& kernel_family() {
  static const KernelFamily family;
  return family;
}

}  // namespace jsdiv
