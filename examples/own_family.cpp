// Your own family in C++: the line between the means of the two tables.
//
// A Family is prepared once for a problem, the Trainer it returns fits a Model on some of the rows
// (once for each fold and half), and the Model gives log-odds for any row. Everything here is in the
// installed headers.
#include <cmath>
#include <cstdio>
#include <jsdiv/jsdiv.hpp>
#include <memory>

namespace {

using jsdiv::MatrixView;
using jsdiv::Rows;

/// log-odds = slope · (distance along the line between the means, in standard deviations).
class MeansModel final : public jsdiv::Model {
 public:
  MeansModel(std::vector<double> direction, double middle, double slope, double prior, jsdiv::Config config)
      : direction_(std::move(direction)),
        middle_(middle),
        slope_(slope),
        prior_(prior),
        config_(std::move(config)) {}

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out[i] = prior_ + slope_ * (project(features, rows[i]) - middle_);
    }
  }
  double prior_log_odds() const override { return prior_; }
  const jsdiv::Config& config() const override { return config_; }

 private:
  double project(MatrixView features, jsdiv::RowIndex row) const {
    double sum = 0;
    for (std::size_t j = 0; j < direction_.size(); ++j) sum += direction_[j] * features.at(row, j);
    return sum;
  }

  std::vector<double> direction_;
  double middle_;
  double slope_;
  double prior_;
  jsdiv::Config config_;
};

class MeansTrainer final : public jsdiv::Trainer {
 public:
  using Trainer::Trainer;

  std::unique_ptr<jsdiv::Model> fit(Rows rows, const jsdiv::Config& config,
                                    const jsdiv::Fit&) const override {
    const MatrixView features = problem().features;
    const double prior = jsdiv::prior_log_odds(problem(), rows);  // throws if a table has no row here
    std::vector<double> direction(features.cols);
    for (std::size_t j = 0; j < features.cols; ++j) {
      double sum[2] = {0, 0};
      double weight[2] = {0, 0};
      for (const jsdiv::RowIndex row : rows) {
        const auto table = problem().labels[row];
        sum[table] += problem().weight(row) * features.at(row, j);
        weight[table] += problem().weight(row);
      }
      direction[j] = sum[1] / weight[1] - sum[0] / weight[0];
    }
    const auto along = [&](jsdiv::RowIndex row) {
      double sum = 0;
      for (std::size_t j = 0; j < features.cols; ++j) sum += direction[j] * features.at(row, j);
      return sum;
    };
    double mean = 0;
    double square = 0;
    for (const jsdiv::RowIndex row : rows) mean += along(row) / static_cast<double>(rows.size());
    for (const jsdiv::RowIndex row : rows)
      square += std::pow(along(row) - mean, 2) / static_cast<double>(rows.size());
    const double slope = square > 0 ? config.real("steepness", 0, 100) / std::sqrt(square) : 0;
    return std::make_unique<MeansModel>(std::move(direction), mean, slope, prior, config);
  }
};

class MeansFamily final : public jsdiv::Family {
 public:
  std::string_view name() const override { return "means"; }
  jsdiv::SearchSpace search_space(const jsdiv::SpaceContext&) const override { return {}; }
  jsdiv::Config defaults(const jsdiv::SpaceContext&) const override {
    jsdiv::Config config;
    config.set("steepness", 1.0);
    return config;
  }
  bool stochastic() const override { return false; }
  bool needs_calibration() const override { return true; }
  bool calibrates_on_log_odds() const override { return true; }
  std::unique_ptr<jsdiv::Trainer> prepare(const jsdiv::Problem& problem) const override {
    return std::make_unique<MeansTrainer>(problem);
  }
};

}  // namespace

int main() {
  const jsdiv::Simulation pair = jsdiv::simulate("imbalance", {.n = 600, .gap = 1.0});
  jsdiv::EstimateOptions options;
  options.own_families = {std::make_shared<MeansFamily>()};
  options.families = {"means", "logreg"};
  try {
    const jsdiv::Result result = jsdiv::estimate(pair.p, pair.q, options);
    for (const jsdiv::FamilyResult& family : result.families) {
      std::printf("%-8s %.3f\n", family.name.c_str(), family.jsd);
    }
    std::printf("JSD %.3f, truth %.3f\n", result.jsd, pair.truth.jsd);
    options.families = {"maens"};
    jsdiv::estimate(pair.p, pair.q, options);
  } catch (const jsdiv::InvalidInput& error) {
    std::printf("%s\n", error.what());  // the misspelt name
    return error.subject().option == "families" ? 0 : 1;
  }
  return 1;
}
