#include "classify/mlp/mlp.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "classify/mlp/training.hpp"
#include "classify/subsample.hpp"
#include "core/assert.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

using mlp::Columns;
using mlp::Evaluator;
using mlp::Layout;
using mlp::State;

/// Brings each column to mean 0 and standard deviation 1 over the training rows (a constant column to 0): the
/// initialisation expects inputs of that size, and float32 sums cannot hold a column of 1e30 beside one of 1.
class InputScale {
 public:
  InputScale(MatrixView features, Rows rows) : mean_(features.cols), inverse_deviation_(features.cols) {
    for (std::size_t j = 0; j < features.cols; ++j) {
      const std::span<const float> column = features.column(j);
      double sum = 0;
      for (const RowIndex row : rows) sum += column[row];
      mean_[j] = sum / static_cast<double>(rows.size());
      double squares = 0;
      for (const RowIndex row : rows) squares += (column[row] - mean_[j]) * (column[row] - mean_[j]);
      const double deviation = std::sqrt(squares / static_cast<double>(rows.size()));
      // Rounding leaves a constant column a deviation of this size.
      inverse_deviation_[j] = deviation > 1e-7 * std::abs(mean_[j]) ? 1 / deviation : 0;
    }
  }

  /// out [rows.size(), features]. A row that lies this far outside the training rows could overflow the
  /// network.
  void apply(MatrixView features, Rows rows, Columns<float>& out) const {
    constexpr double limit = 1e6;
    out.resize(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(features.cols));
    for (std::size_t j = 0; j < features.cols; ++j) {
      const std::span<const float> column = features.column(j);
      float* to = out.col(static_cast<Eigen::Index>(j)).data();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        to[i] = static_cast<float>(
            std::clamp((column[rows[i]] - mean_[j]) * inverse_deviation_[j], -limit, limit));
      }
    }
  }

 private:
  std::vector<double> mean_;
  std::vector<double> inverse_deviation_;
};

class MlpModel final : public Model {
 public:
  MlpModel(InputScale scale, Evaluator<float> evaluator, double prior_log_odds, Config config)
      : scale_(std::move(scale)),
        evaluator_(std::move(evaluator)),
        prior_log_odds_(prior_log_odds),
        config_(std::move(config)) {}

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    JSDIV_ASSERT(out.size() == rows.size());
    constexpr std::size_t block_rows = 1024;
    Columns<float> block;
    for (std::size_t begin = 0; begin < rows.size(); begin += block_rows) {
      const Rows part = rows.subspan(begin, std::min(block_rows, rows.size() - begin));
      scale_.apply(features, part, block);
      evaluator_.run(block, out.subspan(begin, part.size()));
    }
  }
  double prior_log_odds() const override { return prior_log_odds_; }
  const Config& config() const override { return config_; }

 private:
  InputScale scale_;
  Evaluator<float> evaluator_;
  double prior_log_odds_;
  Config config_;
};

struct Parts {
  std::vector<RowIndex> training;
  std::vector<RowIndex> validation;
};

/// Holds out a fifth of each class, at least one row of it, for early stopping: the same rows whichever class
/// is P. A class of one row stays in both parts.
Parts hold_out(const Problem& problem, Rows rows, RandomStream random) {
  std::vector<RowIndex> order(rows.begin(), rows.end());
  random.shuffle(std::span<RowIndex>(order));
  std::array<std::size_t, 2> of_class{};
  for (const RowIndex row : rows) ++of_class[problem.labels[row]];
  std::array<std::size_t, 2> held{};
  Parts parts;
  for (const RowIndex row : order) {
    const std::uint8_t label = problem.labels[row];
    const bool hold = held[label] < std::max<std::size_t>(1, of_class[label] / 5);
    if (hold) {
      parts.validation.push_back(row);
      ++held[label];
    }
    if (!hold || of_class[label] == 1) parts.training.push_back(row);
  }
  return parts;
}

mlp::TrainingSet training_set(const Problem& problem, Rows rows, const InputScale& scale) {
  mlp::TrainingSet set;
  scale.apply(problem.features, rows, set.features);
  double total = 0;
  for (const RowIndex row : rows) total += problem.weight(row);
  const double weight_scale = static_cast<double>(rows.size()) / total;
  for (const RowIndex row : rows) {
    set.labels.push_back(problem.labels[row]);
    set.weights.push_back(static_cast<float>(problem.weight(row) * weight_scale));
  }
  return set;
}

bool has_both_classes(const Problem& problem, Rows rows) {
  double weight[2] = {0, 0};
  for (const RowIndex row : rows) weight[problem.labels[row]] += problem.weight(row);
  return weight[0] > 0 && weight[1] > 0;
}

class MlpTrainer final : public Trainer {
 public:
  using Trainer::Trainer;

  std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit& fit) const override {
    // Batch norm counts every row alike, so that a row without weight must not take part.
    Parts parts{weighted_rows(problem(), rows), weighted_rows(problem(), fit.validation)};
    prior_log_odds(problem(), parts.training);
    if (parts.validation.empty()) parts = hold_out(problem(), parts.training, fit.random.child("hold-out"));

    const double prior = prior_log_odds(problem(), parts.training);
    const InputScale scale(problem().features, parts.training);
    const Layout layout(static_cast<Eigen::Index>(problem().features.cols));
    Columns<float> validation_features;
    scale.apply(problem().features, parts.validation, validation_features);
    const Loss loss = has_both_classes(problem(), parts.validation) ? fit.loss : Loss::plain;
    std::vector<double> scores(parts.validation.size());
    const auto validate = [&](const State<float>& state) {
      Evaluator<float>(layout, state).run(validation_features, scores);
      return held_out_loss(problem(), parts.validation, scores, prior, loss);
    };
    const auto result = mlp::train(layout, training_set(problem(), parts.training, scale), schedule(config),
                                   fit.random.child("training"), validate);
    Config completed = config;
    completed.set("epochs", static_cast<std::int64_t>(result.epochs));
    completed.set("best_epoch", static_cast<std::int64_t>(result.best_epoch));
    return std::make_unique<MlpModel>(scale, Evaluator<float>(layout, result.state), prior,
                                      std::move(completed));
  }

 private:
  static mlp::Schedule schedule(const Config& config) {
    constexpr std::int64_t most = 1'000'000'000;
    const auto count = [&](std::string_view name, std::int64_t least) {
      return static_cast<std::size_t>(config.integer(name, least, most));
    };
    return {.batch_size = count("batch_size", 0),
            .fewest_batches = count("fewest_batches", 1),
            .learning_rate = config.real("learning_rate", 1e-12, 10),
            .final_learning_rate = config.real("final_learning_rate", 0, 10),
            .max_epochs = count("max_epochs", 1),
            .patience = count("patience", 1),
            .patience_rows = count("patience_rows", 0),
            .averaging = config.real("averaging", 0, 1),
            .dropout_bits = dropout_bits(config.real("dropout"))};
  }

  static int dropout_bits(double dropout) {
    constexpr int most_bits = 4;
    if (dropout == 0) return 0;
    for (int bits = 1; bits <= most_bits; ++bits) {
      if (dropout == std::ldexp(1.0, -bits)) return bits;
    }
    throw InvalidInput("mlp: 'dropout' is " + std::to_string(dropout) + "; choose 0, 1/16, 1/8, 1/4 or 1/2");
  }
};

class MlpFamily final : public Family {
 public:
  std::string_view name() const override { return "mlp"; }
  SearchSpace search_space(const SpaceContext&) const override { return {}; }

  Config defaults(const SpaceContext&) const override {
    const mlp::Schedule schedule;
    Config config;
    config.set("batch_size", static_cast<std::int64_t>(schedule.batch_size));
    config.set("fewest_batches", static_cast<std::int64_t>(schedule.fewest_batches));
    config.set("learning_rate", schedule.learning_rate);
    config.set("final_learning_rate", schedule.final_learning_rate);
    config.set("max_epochs", static_cast<std::int64_t>(schedule.max_epochs));
    config.set("patience", static_cast<std::int64_t>(schedule.patience));
    config.set("patience_rows", static_cast<std::int64_t>(schedule.patience_rows));
    config.set("averaging", schedule.averaging);
    config.set("dropout", std::ldexp(1.0, -schedule.dropout_bits));
    return config;
  }

  /// Early stopping and the stack hold back what dropout would; without it the network learns far more from
  /// the same rows.
  std::vector<Config> shortlist(const SpaceContext& context) const override {
    Config config = defaults(context);
    config.set("batch_size", std::int64_t{256});
    config.set("fewest_batches", std::int64_t{4});
    config.set("max_epochs", std::int64_t{40});
    config.set("patience", std::int64_t{5});
    config.set("patience_rows", std::int64_t{0});
    config.set("learning_rate", 3e-3);
    config.set("dropout", 0.0);
    return {config};
  }

  std::vector<std::string> outcome_names() const override { return {"epochs", "best_epoch"}; }
  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return false; }
  bool calibrates_on_log_odds() const override { return false; }

  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<MlpTrainer>(problem);
  }
};

}  // namespace

const Family& mlp_family() {
  static const MlpFamily family;
  return family;
}

}  // namespace jsdiv
