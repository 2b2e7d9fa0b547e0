#include "classify/linear/families.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <memory>
#include <string>
#include <tuple>

#include "classify/linear/held_out_path.hpp"
#include "classify/linear/path.hpp"
#include "classify/linear/polynomial.hpp"
#include "core/assert.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

using namespace linear;

constexpr double max_expanded_features = 5000;
constexpr int max_degree = 3;
constexpr int path_steps_per_decade = 4;
constexpr int rising_steps_to_stop = path_steps_per_decade;

std::vector<double> c_path() {
  std::vector<double> values;
  for (int step = 0; step <= 6 * path_steps_per_decade; ++step) {
    values.push_back(std::pow(10.0, -4 + static_cast<double>(step) / path_steps_per_decade));
  }
  return values;
}

const std::string& one_of(const Config& config, std::string_view name, const std::string& first,
                          const std::string& second) {
  return config.choice(name, std::array{first, second});
}

/// A configuration without C, in the form that decides the fit: settings that mean the same compare equal.
struct Setting {
  Penalty penalty = Penalty::l2;
  bool balanced = false;
  int degree = 1;
  bool interaction_only = false;

  auto key() const { return std::tuple(penalty, balanced, degree, interaction_only); }
};

Setting setting_of(const Config& config, bool polynomial, std::size_t columns) {
  Setting setting;
  setting.penalty = one_of(config, "penalty", "l1", "l2") == "l1" ? Penalty::l1 : Penalty::l2;
  setting.balanced = one_of(config, "class_weight", "none", "balanced") == "balanced";
  if (!polynomial) return setting;
  setting.degree = static_cast<int>(config.integer("degree", 1, max_degree));
  setting.interaction_only = one_of(config, "interaction_only", "false", "true") == "true";
  if (setting.interaction_only)
    setting.degree = std::min(setting.degree, std::max(1, static_cast<int>(columns)));
  if (setting.degree == 1) setting.interaction_only = false;
  return setting;
}

/// The rows of a fit that count, with labels and weights.
struct TrainingSet {
  std::vector<RowIndex> rows;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  double class_weight[2] = {0, 0};

  TrainingSet(const Problem& problem, Rows all) {
    for (const RowIndex row : all) {
      if (problem.weight(row) == 0) continue;
      rows.push_back(row);
      labels.push_back(problem.labels[row]);
      weights.push_back(problem.weight(row));
      class_weight[labels.back()] += weights.back();
    }
  }

  /// Both classes carry the same weight already: "balanced" changes nothing.
  bool is_balanced() const { return class_weight[0] == class_weight[1]; }

  /// scikit-learn's class_weight="balanced": total weight / (2 · weight of the class).
  std::vector<double> fit_weights(bool balanced) const {
    std::vector<double> scaled = weights;
    if (!balanced) return scaled;
    const double total = class_weight[0] + class_weight[1];
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] *= total / (2 * class_weight[labels[i]]);
    return scaled;
  }
};

std::vector<Monomial> monomials_of(const Setting& setting, std::size_t columns) {
  return polynomial_features(columns, setting.degree, setting.interaction_only);
}

class LinearModel final : public Model {
 public:
  LinearModel(std::vector<Monomial> monomials, Coefficients coefficients, double prior, Config config)
      : monomials_(std::move(monomials)),
        coefficients_(std::move(coefficients)),
        prior_(prior),
        config_(std::move(config)) {}

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    if (rows.empty()) return;
    std::vector<double> theta = {coefficients_.intercept};
    std::vector<Monomial> used;
    for (std::size_t j = 0; j < monomials_.size(); ++j) {
      if (coefficients_.weights[j] == 0) continue;
      theta.push_back(coefficients_.weights[j]);
      used.push_back(monomials_[j]);
    }
    const PolynomialDesign design = PolynomialDesign::raw(features, rows, std::move(used));
    const auto copy = [&](std::size_t first, std::span<double> values) {
      std::copy(values.begin(), values.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
    };
    design.sweep(design.usable(), theta, Precision::full, copy, {});
  }

  double prior_log_odds() const override { return prior_; }
  const Config& config() const override { return config_; }

 private:
  std::vector<Monomial> monomials_;
  Coefficients coefficients_;
  double prior_;
  Config config_;
};

class LinearFold final : public FoldScorer {
 public:
  LinearFold(const Problem& problem, bool polynomial, Rows train, Rows held_out, Loss loss)
      : problem_(problem),
        polynomial_(polynomial),
        prior_(prior_log_odds(problem, train)),
        training_(problem, train),
        held_out_(held_out),
        loss_(loss) {}

  std::vector<double> losses(const Config& config) override {
    Setting setting = setting_of(config, polynomial_, problem_.features.cols);
    const double prior = setting.balanced ? 0.0 : prior_;
    if (training_.is_balanced()) setting.balanced = false;
    const auto known = known_.find(setting.key());
    if (known != known_.end()) return known->second;
    return known_[setting.key()] = path_losses(setting, prior);
  }

 private:
  using Key = decltype(Setting{}.key());

  struct Designs {
    PolynomialDesign train;
    PolynomialDesign held_out;
  };

  /// Kept for the next trial if small; beside a fit to many rows, making them anew costs nothing.
  std::shared_ptr<const Designs> designs(const Setting& setting) {
    constexpr std::size_t most_kept_cells = 1U << 20U;
    const std::size_t columns = problem_.features.cols;
    const auto key = std::pair(setting.degree, setting.interaction_only);
    const auto known = designs_.find(key);
    if (known != designs_.end()) return known->second;
    PolynomialDesign train(problem_.features, training_.rows, monomials_of(setting, columns));
    PolynomialDesign held_out(problem_.features, held_out_, train);
    auto made = std::make_shared<const Designs>(Designs{std::move(train), std::move(held_out)});
    if (training_.rows.size() * columns <= most_kept_cells) designs_[key] = made;
    return made;
  }

  std::vector<double> path_losses(const Setting& setting, double prior) {
    const auto design = designs(setting);
    const std::vector<double> weights = training_.fit_weights(setting.balanced);
    const auto loss = [&](std::span<const double> scores) {
      return held_out_loss(problem_, held_out_, scores, prior, loss_);
    };
    return held_out_path(design->train, {training_.labels, weights}, design->held_out, setting.penalty,
                         c_path(), rising_steps_to_stop, loss)
        .losses;
  }

  const Problem& problem_;
  bool polynomial_;
  double prior_;
  TrainingSet training_;
  Rows held_out_;
  Loss loss_;
  std::map<std::pair<int, bool>, std::shared_ptr<const Designs>> designs_;
  std::map<Key, std::vector<double>> known_;
};

class LinearTrainer final : public Trainer {
 public:
  LinearTrainer(const Problem& problem, bool polynomial) : Trainer(problem), polynomial_(polynomial) {}

  std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit&) const override {
    const double prior = prior_log_odds(problem(), rows);
    const std::size_t columns = problem().features.cols;
    const Setting setting = setting_of(config, polynomial_, columns);
    const double c = config.real("C", 1e-12, 1e12);
    const TrainingSet training(problem(), rows);
    std::vector<Monomial> monomials = monomials_of(setting, columns);
    const PolynomialDesign design(problem().features, training.rows, monomials);
    const std::vector<double> weights = training.fit_weights(setting.balanced);
    Coefficients coefficients = fit_at(design, {training.labels, weights}, setting.penalty, c, fit_tolerance);
    return std::make_unique<LinearModel>(std::move(monomials), std::move(coefficients),
                                         setting.balanced ? 0.0 : prior, config);
  }

  std::unique_ptr<FoldScorer> fold(Rows train, Rows held_out, const Fit& fit) const override {
    return std::make_unique<LinearFold>(problem(), polynomial_, train, held_out, fit.loss);
  }

 private:
  bool polynomial_;
};

class LinearFamily final : public Family {
 public:
  explicit LinearFamily(bool polynomial) : polynomial_(polynomial) {}

  std::string_view name() const override { return polynomial_ ? "lr-pol" : "logreg"; }

  SearchSpace search_space(const SpaceContext& context) const override {
    SearchSpace space;
    if (polynomial_) {
      space.parameters.push_back(Parameter::choice("degree", degrees(context)));
      space.parameters.push_back(Parameter::choice("interaction_only", {"false", "true"}));
    }
    space.parameters.push_back(Parameter::choice("penalty", {"l1", "l2"}));
    space.parameters.push_back(context.reweighting ? Parameter::choice("class_weight", {"none", "balanced"})
                                                   : Parameter::choice("class_weight", {"none"}));
    space.path_name = std::string("C");
    space.path_values = c_path();
    return space;
  }

  Config defaults(const SpaceContext& context) const override {
    Config config;
    config.set("C", 1.0);
    config.set("penalty", "l2");
    config.set("class_weight", "none");
    if (polynomial_) {
      const auto allowed = degrees(context);
      config.set("degree", allowed.size() > 1 ? allowed[1] : allowed[0]);
      config.set("interaction_only", "false");
    }
    return config;
  }

  /// Squares and products are what most tables differ by beyond their means; cubes where they are few. Where
  /// even the products are many, the plain features.
  std::vector<Config> shortlist(const SpaceContext& context) const override {
    if (!polynomial_) return {defaults(context)};
    constexpr std::array<double, 3> most_features = {max_expanded_features, 600, 300};
    std::vector<Config> configs;
    for (std::int64_t degree = max_degree; degree >= 1; --degree) {
      const double count = polynomial_feature_count(context.features, static_cast<int>(degree));
      if (count > most_features[static_cast<std::size_t>(degree - 1)] || (degree == 1 && !configs.empty()))
        continue;
      configs.push_back(defaults(context));
      configs.back().set("degree", degree);
    }
    return configs.empty() ? std::vector<Config>{defaults(context)} : configs;
  }

  bool stochastic() const override { return false; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return true; }

  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<LinearTrainer>(problem, polynomial_);
  }

 private:
  /// As in the published tool, the limit counts the expansion without interaction_only.
  static std::vector<Config::Value> degrees(const SpaceContext& context) {
    std::vector<Config::Value> allowed;
    for (int degree = 1; degree <= max_degree; ++degree) {
      if (polynomial_feature_count(context.features, degree) <= max_expanded_features) {
        allowed.emplace_back(std::int64_t{degree});
      }
    }
    if (allowed.empty()) allowed.emplace_back(std::int64_t{1});
    return allowed;
  }

  bool polynomial_;
};

}  // namespace

const Family& logreg_family() {
  static const LinearFamily family(false);
  return family;
}

const Family& lr_pol_family() {
  static const LinearFamily family(true);
  return family;
}

}  // namespace jsdiv
