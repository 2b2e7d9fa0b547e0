#include "classify/gaussian/gaussian_family.hpp"
#include "classify/loss_by_class.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "classify/gaussian/discriminant.hpp"
#include "classify/gaussian/normal_scores.hpp"
#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/stop.hpp"

namespace jsdiv {
namespace {

/// Held-out rows beyond this many no longer change the choice.
constexpr std::size_t enough_held_out_rows = 4000;
constexpr std::size_t folds = 5;
/// Log-odds are finite and stay within what a double can exponentiate.
constexpr double largest_log_odds = 700;
/// Values are standardised; beyond this they would lose everything else in the sums.
constexpr double largest_value = 1e6;

/// For classes too small to choose anything by.
constexpr Shrinkage strongest_shrinkage = {.pooling = 1, .diagonal = 1};

struct Feature {
  std::size_t column = 0;
  double centre = 0;
  double scale = 1;
};

/// What the rows look like to a discriminant: standardised features, or their normal scores.
class Features {
 public:
  Features(const Problem& problem, Rows rows) {
    for (std::size_t j = 0; j < problem.features.cols; ++j) {
      const auto column = problem.features.column(j);
      std::set<float> values;
      for (const RowIndex row : rows) {
        values.insert(column[row]);
        if (values.size() > 2) break;
      }
      if (values.size() == 2) binary_.push_back({.column = j, .centre = *values.begin(), .scale = 1});
      if (values.size() > 2) continuous_.push_back(standardised(column, rows, j));
    }
  }

  void learn_scores(const Problem& problem, Rows rows) {
    for (const Feature& feature : continuous_) {
      const auto column = problem.features.column(feature.column);
      std::vector<float> values;
      values.reserve(rows.size());
      for (const RowIndex row : rows) values.push_back(column[row]);
      scores_.emplace_back(std::move(values));
    }
  }

  std::span<const Feature> continuous() const { return continuous_; }
  std::span<const Feature> binary() const { return binary_; }

  /// [rows, continuous features]
  Eigen::MatrixXd values(MatrixView features, Rows rows, bool as_scores) const {
    Eigen::MatrixXd x(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(continuous_.size()));
    for (std::size_t j = 0; j < continuous_.size(); ++j) {
      const Feature& feature = continuous_[j];
      const auto column = features.column(feature.column);
      double* out = x.col(static_cast<Eigen::Index>(j)).data();
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const float value = column[rows[i]];
        out[i] = as_scores
                     ? scores_[j](value)
                     : std::clamp((value - feature.centre) / feature.scale, -largest_value, largest_value);
      }
    }
    return x;
  }

 private:
  static Feature standardised(std::span<const float> column, Rows rows, std::size_t j) {
    double sum = 0;
    for (const RowIndex row : rows) sum += column[row];
    const double mean = sum / static_cast<double>(rows.size());
    double squares = 0;
    for (const RowIndex row : rows) squares += (column[row] - mean) * (column[row] - mean);
    return {.column = j, .centre = mean, .scale = std::sqrt(squares / static_cast<double>(rows.size()))};
  }

  std::vector<Feature> continuous_;
  std::vector<Feature> binary_;  ///< `centre` is the smaller of the two values
  std::vector<NormalScores> scores_;
};

/// Independent log-odds of the features with two values.
class BinaryOdds {
 public:
  BinaryOdds(const Problem& problem, Rows rows, const Features& features) : features_(features.binary()) {
    constexpr double half_a_row = 0.5;
    for (const Feature& feature : features_) {
      const auto column = problem.features.column(feature.column);
      double total[2] = {0, 0};
      double high[2] = {0, 0};
      for (const RowIndex row : rows) {
        const std::uint8_t label = problem.labels[row];
        total[label] += problem.weight(row);
        if (column[row] > feature.centre) high[label] += problem.weight(row);
      }
      const auto log_share = [&](std::uint8_t label, double part) {
        return std::log((part + half_a_row) / (total[label] + 2 * half_a_row));
      };
      when_high_.push_back(log_share(1, high[1]) - log_share(0, high[0]));
      when_low_.push_back(log_share(1, total[1] - high[1]) - log_share(0, total[0] - high[0]));
    }
  }

  double operator()(MatrixView features, RowIndex row) const {
    double sum = 0;
    for (std::size_t j = 0; j < features_.size(); ++j) {
      sum += features.at(row, features_[j].column) > static_cast<float>(features_[j].centre) ? when_high_[j]
                                                                                             : when_low_[j];
    }
    return sum;
  }

 private:
  std::span<const Feature> features_;
  std::vector<double> when_high_;
  std::vector<double> when_low_;
};

struct Choice {
  bool as_scores = false;
  Shrinkage shrinkage;
  double damping = 0;  ///< factor of the binary features' odds
  bool any_gaussian = true;
};

class GaussianModel final : public Model {
 public:
  GaussianModel(Features features, const Problem& problem, Rows rows, const Choice& choice,
                const std::array<Moments, 2>& moments)
      : features_(std::move(features)), binary_(problem, rows, features_), choice_(choice) {
    if (choice.any_gaussian) discriminant_.emplace(moments, choice.shrinkage);
    config_.set("transform", std::string(choice.as_scores ? "normal scores" : "none"));
    config_.set("pooling", choice.shrinkage.pooling);
    config_.set("diagonal", choice.shrinkage.diagonal);
    config_.set("binary_damping", choice.damping);
  }

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    constexpr std::size_t tile = 1024;
    for (std::size_t begin = 0; begin < rows.size(); begin += tile) {
      const Rows part = rows.subspan(begin, std::min(tile, rows.size() - begin));
      Eigen::VectorXd gaussian = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(part.size()));
      if (discriminant_) gaussian = (*discriminant_)(features_.values(features, part, choice_.as_scores));
      for (std::size_t i = 0; i < part.size(); ++i) {
        const double odds = choice_.damping != 0 ? choice_.damping * binary_(features, part[i]) : 0.0;
        out[begin + i] =
            std::clamp(gaussian[static_cast<Eigen::Index>(i)] + odds, -largest_log_odds, largest_log_odds);
      }
    }
  }
  /// The discriminant compares densities: it stands at equal priors whatever the sizes of the classes.
  double prior_log_odds() const override { return 0; }
  const Config& config() const override { return config_; }

 private:
  Features features_;
  BinaryOdds binary_;
  Choice choice_;
  std::optional<Discriminant> discriminant_;
  Config config_;
};

/// The fold of each row, by random keys within each class: the same whichever class is called P.
std::vector<std::size_t> assign_folds(const Problem& problem, Rows rows, const RandomStream& random) {
  std::vector<std::uint64_t> keys(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) keys[i] = random.child(rows[i]).next_u64();
  std::vector<std::size_t> order(rows.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t i) { return keys[i]; });
  std::vector<std::size_t> fold(rows.size());
  std::size_t seen[2] = {0, 0};
  for (const std::size_t i : order) fold[i] = seen[problem.labels[rows[i]]]++ % folds;
  return fold;
}

/// One held-out part and the rest, for one of the two maps.
struct HeldOut {
  Eigen::MatrixXd x;
  std::vector<RowIndex> rows;
  std::array<Moments, 2> training;
};

class GaussianTrainer final : public Trainer {
 public:
  using Trainer::Trainer;

  std::unique_ptr<Model> fit(Rows rows, const Config&, const Fit& fit) const override {
    jsdiv::prior_log_odds(problem(), rows);  // both classes must be there
    Features features(problem(), rows);
    features.learn_scores(problem(), rows);
    const auto fold = assign_folds(problem(), rows, fit.random);
    Choice choice;
    choice.any_gaussian = !features.continuous().empty();
    double best = std::numeric_limits<double>::infinity();
    std::vector<std::vector<double>> best_scores;
    if (choice.any_gaussian) {
      for (const bool as_scores : {false, true}) {
        const auto parts = held_out_parts(features, rows, fold, as_scores);
        if (parts.empty()) {
          choice.shrinkage = strongest_shrinkage;
          break;
        }
        for (const Shrinkage& shrinkage : shrinkage_grid(features.continuous().size())) {
          throw_if_interrupted();
          auto scores = held_out_scores(parts, shrinkage);
          const double loss = mean_loss(parts, scores);
          if (loss < best) {
            best = loss;
            choice.as_scores = as_scores;
            choice.shrinkage = shrinkage;
            best_scores = std::move(scores);
          }
        }
      }
    }
    const bool can_choose = !choice.any_gaussian || !best_scores.empty();
    if (!features.binary().empty() && can_choose)
      choice.damping = choose_damping(features, rows, fold, best, best_scores);
    const auto moments = choice.any_gaussian ? class_moments(features, rows, choice.as_scores)
                                             : std::array<Moments, 2>{Moments(), Moments()};
    return std::make_unique<GaussianModel>(std::move(features), problem(), rows, choice, moments);
  }

 private:
  static std::vector<Shrinkage> shrinkage_grid(std::size_t features) {
    if (features > full_covariance_limit)
      return {{.pooling = 0, .diagonal = 1}, {.pooling = 1, .diagonal = 1}};
    std::vector<Shrinkage> grid;
    for (const double pooling : {0.0, 0.1, 0.4, 1.0}) {
      for (const double diagonal : {0.0, 0.03, 0.3, 1.0})
        grid.push_back({.pooling = pooling, .diagonal = diagonal});
    }
    return grid;
  }

  std::array<std::vector<RowIndex>, 2> by_class(Rows rows) const {
    std::array<std::vector<RowIndex>, 2> result;
    for (const RowIndex row : rows) result[problem().labels[row]].push_back(row);
    return result;
  }

  std::array<Moments, 2> class_moments(const Features& features, Rows rows, bool as_scores) const {
    std::array<Moments, 2> moments = {Moments(), Moments()};
    const auto classes = by_class(rows);
    for (std::size_t c = 0; c < 2; ++c) {
      moments[c] =
          moments_of(features.values(problem().features, classes[c], as_scores), weights_of(classes[c]));
    }
    return moments;
  }

  /// The same from the values of the rows, x [rows, continuous features].
  std::array<Moments, 2> class_moments(const Eigen::MatrixXd& x, Rows rows) const {
    std::array<std::vector<Eigen::Index>, 2> places;
    for (std::size_t i = 0; i < rows.size(); ++i)
      places[problem().labels[rows[i]]].push_back(static_cast<Eigen::Index>(i));
    std::array<Moments, 2> moments = {Moments(), Moments()};
    const auto classes = by_class(rows);
    for (std::size_t c = 0; c < 2; ++c)
      moments[c] = moments_of(x(places[c], Eigen::all), weights_of(classes[c]));
    return moments;
  }

  Eigen::VectorXd weights_of(Rows rows) const {
    Eigen::VectorXd weights(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i)
      weights[static_cast<Eigen::Index>(i)] = problem().weight(rows[i]);
    return weights;
  }

  /// As many folds as it takes to have enough held-out rows; none where a class is too small to be split.
  std::vector<HeldOut> held_out_parts(const Features& features, Rows rows, std::span<const std::size_t> fold,
                                      bool as_scores) const {
    std::vector<HeldOut> parts(folds);
    std::vector<std::array<Moments, 2>> moments(folds);
    for (std::size_t i = 0; i < rows.size(); ++i) parts[fold[i]].rows.push_back(rows[i]);
    std::size_t used = 0;
    std::size_t held_out_rows = 0;
    for (std::size_t k = 0; k < folds; ++k) {
      const bool is_used = held_out_rows < enough_held_out_rows;
      Eigen::MatrixXd x = features.values(problem().features, parts[k].rows, as_scores);
      moments[k] = class_moments(x, parts[k].rows);
      if (!is_used) continue;
      parts[k].x = std::move(x);
      held_out_rows += parts[k].rows.size();
      ++used;
    }
    for (std::size_t out = 0; out < used; ++out) {
      HeldOut& part = parts[out];
      for (std::size_t c = 0; c < 2; ++c) {
        part.training[c] = Moments(static_cast<Eigen::Index>(features.continuous().size()));
        for (std::size_t k = 0; k < folds; ++k) {
          if (k != out) part.training[c] += moments[k][c];
        }
      }
    }
    parts.resize(used);
    const bool too_few_rows = std::ranges::any_of(parts, [](const HeldOut& part) {
      return part.rows.empty() || part.training[0].weight <= 0 || part.training[1].weight <= 0;
    });
    if (too_few_rows) parts.clear();
    return parts;
  }

  static std::vector<std::vector<double>> held_out_scores(std::span<const HeldOut> parts,
                                                          const Shrinkage& shrinkage) {
    std::vector<std::vector<double>> scores;
    for (const HeldOut& part : parts) {
      const Eigen::VectorXd values = Discriminant(part.training, shrinkage)(part.x);
      scores.emplace_back(values.begin(), values.end());
    }
    return scores;
  }

  double mean_loss(std::span<const HeldOut> parts, std::span<const std::vector<double>> scores) const {
    LossByClass losses;
    for (std::size_t k = 0; k < parts.size(); ++k) add_losses(parts[k].rows, scores[k], losses);
    return losses.balanced();
  }

  void add_losses(Rows rows, std::span<const double> scores, LossByClass& losses) const {
    for (std::size_t i = 0; i < rows.size(); ++i)
      losses.add(problem().labels[rows[i]], scores[i], problem().weight(rows[i]));
  }

  /// The factor of the binary odds that lowers the held-out loss of the Gaussian part most.
  double choose_damping(const Features& features, Rows rows, std::span<const std::size_t> fold,
                        double gaussian_loss, std::span<const std::vector<double>> gaussian_scores) const {
    const std::size_t used = gaussian_scores.empty() ? 1 : gaussian_scores.size();
    std::vector<std::vector<RowIndex>> held_out(used);
    std::vector<std::vector<double>> odds(used);
    for (std::size_t k = 0; k < used; ++k) {
      std::vector<RowIndex> training;
      for (std::size_t i = 0; i < rows.size(); ++i)
        (fold[i] == k ? held_out[k] : training).push_back(rows[i]);
      const BinaryOdds binary(problem(), training, features);
      for (const RowIndex row : held_out[k]) odds[k].push_back(binary(problem().features, row));
    }
    double best = std::isfinite(gaussian_loss) ? gaussian_loss : std::numbers::ln2;
    double chosen = 0;
    for (const double damping : {0.25, 0.5, 0.75, 1.0}) {
      LossByClass losses;
      for (std::size_t k = 0; k < used; ++k) {
        std::vector<double> scores(odds[k].size());
        for (std::size_t i = 0; i < scores.size(); ++i) {
          scores[i] = damping * odds[k][i] + (gaussian_scores.empty() ? 0 : gaussian_scores[k][i]);
        }
        add_losses(held_out[k], scores, losses);
      }
      const double loss = losses.balanced();
      if (loss < best) best = loss, chosen = damping;
    }
    return chosen;
  }
};

class GaussianFamily final : public Family {
 public:
  std::string_view name() const override { return "gaussian"; }
  SearchSpace search_space(const SpaceContext&) const override { return {}; }
  Config defaults(const SpaceContext&) const override { return {}; }
  /// The folds that choose the shrinkage are drawn.
  std::vector<std::string> outcome_names() const override {
    return {"transform", "pooling", "diagonal", "binary_damping"};
  }
  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return true; }
  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<GaussianTrainer>(problem);
  }
};

}  // namespace

const Family& gaussian_family() {
  static const GaussianFamily family;
  return family;
}

}  // namespace jsdiv
