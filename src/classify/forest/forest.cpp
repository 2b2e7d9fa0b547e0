#include "classify/forest/forest.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "classify/forest/binned_columns.hpp"
#include "classify/forest/tree.hpp"
#include "classify/subsample.hpp"
#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"

namespace jsdiv {
namespace {

using forest::BinnedColumns;
using forest::ClassWeighting;
using forest::ForestParameters;
using forest::RowSampler;
using forest::TrainingSet;
using forest::Tree;

constexpr std::size_t trees_per_job = 8;
constexpr std::size_t rows_per_job = 256;

const std::vector<std::string> feature_rules = {"sqrt", "log2"};
const std::vector<std::string> class_weightings = {"none", "balanced", "balanced_subsample"};
constexpr std::int64_t most_trees = 100'000;

std::size_t features_per_split(const std::string& rule, std::size_t features) {
  const double all = static_cast<double>(features);
  return std::max<std::size_t>(1, static_cast<std::size_t>(rule == "sqrt" ? std::sqrt(all) : std::log2(all)));
}

ClassWeighting class_weighting(const std::string& name) {
  if (name == "balanced") return ClassWeighting::balanced;
  if (name == "balanced_subsample") return ClassWeighting::balanced_subsample;
  JSDIV_ASSERT(name == "none");
  return ClassWeighting::none;
}

ForestParameters parameters_of(const Config& config, std::size_t features) {
  JSDIV_ASSERT(features > 0);
  const auto count = [&](std::string_view name,
                         std::int64_t most = std::numeric_limits<std::int32_t>::max()) {
    return static_cast<std::uint32_t>(config.integer(name, 1, most));
  };
  return {.trees = count("trees", most_trees),
          .max_depth = count("max_depth"),
          .min_samples_leaf = count("min_samples_leaf"),
          .min_samples_split = count("min_samples_split"),
          .max_features = features_per_split(config.choice("max_features", feature_rules), features),
          .max_samples = config.real("max_samples", 1e-6, 1),
          .class_weighting = class_weighting(config.choice("class_weight", class_weightings))};
}

/// Probabilities (up to a factor) with which the bootstrap draws `rows`: their weights, and under `balanced`
/// each class as often as the other. `prior` is log(weight of P / weight of Q).
RowSampler row_sampler(const Problem& problem, Rows rows, ClassWeighting weighting, double prior) {
  const bool balance = weighting == ClassWeighting::balanced && prior != 0;
  if (problem.weights.empty() && !balance) return RowSampler(rows.size());
  const double factor_q = balance ? std::exp(prior) : 1.0;
  std::vector<double> weights(rows.size());
  std::transform(rows.begin(), rows.end(), weights.begin(), [&](RowIndex row) {
    return problem.weight(row) * (problem.labels[row] == 1 ? 1.0 : factor_q);
  });
  return RowSampler(weights);
}

TrainingSet training_set(const Problem& problem, const BinnedColumns& binned, Rows rows, RowSampler sampler,
                         double max_samples) {
  const auto draws = static_cast<std::size_t>(max_samples * static_cast<double>(rows.size()));
  TrainingSet set{.rows = rows.size(),
                  .bins = std::vector<forest::Bin>(rows.size() * binned.columns()),
                  .columns = {},
                  .labels = std::vector<std::uint8_t>(rows.size()),
                  .sampler = std::move(sampler),
                  .draws = std::max<std::size_t>(1, draws)};
  for (std::size_t feature = 0; feature < binned.columns(); ++feature) {
    const std::span<const forest::Bin> column = binned.column(feature);
    forest::Bin* out = set.bins.data() + feature * rows.size();
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = column[rows[i]];
    set.columns.push_back(&binned.bins(feature));
  }
  for (std::size_t i = 0; i < rows.size(); ++i) set.labels[i] = problem.labels[rows[i]];
  return set;
}

std::vector<Tree> grow_forest(const TrainingSet& set, const ForestParameters& parameters,
                              const RandomStream& stream) {
  const std::size_t jobs = (parameters.trees + trees_per_job - 1) / trees_per_job;
  std::vector<std::vector<Tree>> grown(jobs);
  parallel_for(jobs, [&](std::size_t job) {
    const std::size_t first = job * trees_per_job;
    grown[job] =
        forest::grow_trees(set, parameters, stream, first, std::min(trees_per_job, parameters.trees - first));
  });
  std::vector<Tree> trees;
  trees.reserve(parameters.trees);
  for (std::vector<Tree>& part : grown) std::move(part.begin(), part.end(), std::back_inserter(trees));
  return trees;
}

class ForestModel final : public Model {
 public:
  ForestModel(std::vector<Tree> trees, std::size_t features, double prior, Config config)
      : trees_(std::move(trees)), features_(features), prior_log_odds_(prior), config_(std::move(config)) {}

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    JSDIV_ASSERT(features.cols == features_ && out.size() == rows.size());
    const std::size_t jobs = (rows.size() + rows_per_job - 1) / rows_per_job;
    parallel_for(jobs, [&](std::size_t job) {
      const std::size_t first = job * rows_per_job;
      const std::size_t size = std::min(rows_per_job, rows.size() - first);
      score_block(features, rows.subspan(first, size), out.subspan(first, size));
    });
  }

  double prior_log_odds() const override { return prior_log_odds_; }
  const Config& config() const override { return config_; }

 private:
  void score_block(MatrixView features, Rows rows, std::span<double> out) const {
    std::vector<float> values(rows.size() * features_);
    for (std::size_t feature = 0; feature < features_; ++feature) {
      const std::span<const float> column = features.column(feature);
      for (std::size_t i = 0; i < rows.size(); ++i) values[i * features_ + feature] = column[rows[i]];
    }
    std::fill(out.begin(), out.end(), 0.0);
    for (const Tree& tree : trees_)
      forest::add_shares(tree, values.data(), features_, rows.size(), out.data());
    for (double& sum : out) sum = bounded_logit(sum / static_cast<double>(trees_.size()));
  }

  std::vector<Tree> trees_;
  std::size_t features_;
  double prior_log_odds_;
  Config config_;
};

class ForestTrainer final : public Trainer {
 public:
  explicit ForestTrainer(const Problem& problem)
      : Trainer(problem), binned_(problem.features, problem.training_rows) {}

  std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit& fit) const override {
    const ForestParameters parameters = parameters_of(config, binned_.columns());
    const double prior = jsdiv::prior_log_odds(problem(), rows);
    const std::vector<RowIndex> kept = weighted_rows(problem(), rows);
    const TrainingSet set =
        training_set(problem(), binned_, kept,
                     row_sampler(problem(), kept, parameters.class_weighting, prior), parameters.max_samples);
    const bool balanced = parameters.class_weighting != ClassWeighting::none;
    return std::make_unique<ForestModel>(grow_forest(set, parameters, fit.random), binned_.columns(),
                                         balanced ? 0.0 : prior, config);
  }

 private:
  BinnedColumns binned_;
};

class RandomForestFamily final : public Family {
 public:
  std::string_view name() const override { return "rf"; }

  SearchSpace search_space(const SpaceContext& context) const override {
    const std::vector<Config::Value> weightings =
        context.reweighting ? std::vector<Config::Value>{"balanced", "balanced_subsample", "none"}
                            : std::vector<Config::Value>{"none"};
    return {.parameters = {Parameter::integer("trees", 100, 500), Parameter::integer("max_depth", 3, 10),
                           Parameter::integer("min_samples_leaf", 10, 100),
                           Parameter::integer("min_samples_split", 2, 20),
                           Parameter::choice("max_features", {"sqrt", "log2"}),
                           Parameter::real("max_samples", 0.5, 1),
                           Parameter::choice("class_weight", weightings)}};
  }

  Config defaults(const SpaceContext&) const override {
    Config config;
    config.set("trees", std::int64_t{300});
    config.set("max_depth", std::int64_t{10});
    config.set("min_samples_leaf", std::int64_t{10});
    config.set("min_samples_split", std::int64_t{2});
    config.set("max_features", "sqrt");
    config.set("max_samples", 1.0);
    config.set("class_weight", "none");
    return config;
  }

  bool uses_exact_values() const override { return true; }
  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return false; }

  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<ForestTrainer>(problem);
  }
};

}  // namespace

const Family& random_forest_family() {
  static const RandomForestFamily family;
  return family;
}

}  // namespace jsdiv
