#include "classify/pfn/pfn.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "classify/pfn/experts.hpp"
#include "classify/pfn/pfn_network.hpp"
#include "classify/pfn/views.hpp"
#include "classify/subsample.hpp"
#include "core/stop.hpp"

namespace jsdiv {
namespace {

/// The network was trained on contexts of up to this many rows, and the experts take the cube of it. More are
/// divided into several contexts, whose answers are averaged.
constexpr std::size_t most_context_rows = 440;
constexpr std::size_t most_contexts = 3;
/// It was trained on up to 60 columns, some of them encoded as several features. More are divided likewise.
constexpr std::size_t most_features = 100;
/// Rows scored at a time.
constexpr std::size_t tile = 256;

bool varies(std::span<const float> column, Rows rows) {
  return std::ranges::any_of(rows, [&](RowIndex row) { return column[row] != column[rows[0]]; });
}

std::size_t parts_of(std::size_t count, std::size_t most) {
  return (count + most - 1) / most;
}

/// The columns that vary, in parts of about equal size.
std::vector<std::vector<std::size_t>> column_parts(MatrixView features, Rows rows, RandomStream random) {
  std::vector<std::size_t> columns;
  for (std::size_t j = 0; j < features.cols; ++j) {
    if (varies(features.column(j), rows)) columns.push_back(j);
  }
  std::vector<std::vector<std::size_t>> parts(parts_of(columns.size(), most_features));
  if (parts.size() > 1) random.shuffle(std::span(columns));
  for (std::size_t k = 0; k < columns.size(); ++k) parts[k % parts.size()].push_back(columns[k]);
  return parts;
}

/// The rows in contexts of about equal size, each with both classes in proportion. A class of fewer rows than
/// contexts is in all of them.
std::vector<std::vector<RowIndex>> row_parts(const Problem& problem, std::vector<RowIndex> rows,
                                             RandomStream random) {
  std::vector<std::vector<RowIndex>> parts(parts_of(rows.size(), most_context_rows));
  if (parts.size() == 1) return {std::move(rows)};
  random.shuffle(std::span(rows));
  for (const int label : {0, 1}) {
    std::vector<RowIndex> own;
    std::ranges::copy_if(rows, std::back_inserter(own),
                         [&](RowIndex row) { return problem.labels[row] == label; });
    for (std::size_t k = 0; k < std::max(own.size(), parts.size()); ++k) {
      parts[k % parts.size()].push_back(own[k % own.size()]);
    }
  }
  return parts;
}

/// The network's view of some rows and columns.
class Part {
 public:
  Part(const Problem& problem, Rows rows, std::span<const std::size_t> columns)
      : Part(problem.features, rows, columns, labels_of(problem, rows), weights_of(problem, rows)) {}

  Eigen::VectorXd log_odds(MatrixView features, Rows rows) const {
    return pfn::Network::embedded().log_odds(summary_, experts_(views_.apply(features, rows)));
  }

 private:
  Part(MatrixView features, Rows rows, std::span<const std::size_t> columns, const Eigen::VectorXd& labels,
       const Eigen::VectorXd& weights)
      : views_(features, rows, columns),
        experts_(views_.apply(features, rows), labels, weights),
        summary_(
            pfn::Network::embedded().summarise(experts_.of_context(), labels, weights, views_.columns())) {}

  static Eigen::VectorXd labels_of(const Problem& problem, Rows rows) {
    Eigen::VectorXd labels(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      labels[static_cast<Eigen::Index>(i)] = problem.labels[rows[i]] == 1 ? 1 : -1;
    }
    return labels;
  }
  static Eigen::VectorXd weights_of(const Problem& problem, Rows rows) {
    Eigen::VectorXd weights(static_cast<Eigen::Index>(rows.size()));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      weights[static_cast<Eigen::Index>(i)] = problem.weight(rows[i]);
    }
    return weights / weights.mean();
  }

  pfn::ColumnViews views_;
  pfn::Experts experts_;
  Eigen::RowVectorXf summary_;
};

class PfnModel final : public Model {
 public:
  PfnModel(const Problem& problem, Rows rows, const Fit& fit) {
    jsdiv::prior_log_odds(problem, rows);  // both classes must be there
    const std::vector<RowIndex> weighted = weighted_rows(problem, rows);
    auto chosen = stratified_subsample(weighted, problem.labels, most_contexts * most_context_rows,
                                       fit.random.child("subsample"));
    if (chosen.size() < weighted.size()) {
      notes_.push_back({"pfn_rows", "pfn: uses a random " + std::to_string(chosen.size()) + " of " +
                                        std::to_string(weighted.size()) +
                                        " rows; it is designed for small tables"});
    }
    const auto contexts = row_parts(problem, std::move(chosen), fit.random.child("contexts"));
    for (std::size_t k = 0; k < contexts.size(); ++k) {
      for (const auto& columns :
           column_parts(problem.features, contexts[k], fit.random.child("columns").child(k))) {
        throw_if_interrupted();
        parts_.emplace_back(problem, contexts[k], columns);
      }
    }
  }

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    std::ranges::fill(out, 0.0);
    for (std::size_t begin = 0; begin < rows.size(); begin += tile) {
      const Rows here = rows.subspan(begin, std::min(tile, rows.size() - begin));
      for (const Part& part : parts_) {
        throw_if_interrupted();
        const Eigen::VectorXd odds = part.log_odds(features, here) / static_cast<double>(parts_.size());
        for (std::size_t i = 0; i < here.size(); ++i) out[begin + i] += odds[static_cast<Eigen::Index>(i)];
      }
    }
  }
  /// The network was trained to answer at equal priors, whatever the sizes of the tables.
  double prior_log_odds() const override { return 0; }
  const Config& config() const override { return config_; }
  std::vector<Warning> notes() const override { return notes_; }

 private:
  std::vector<Part> parts_;
  Config config_;
  std::vector<Warning> notes_;
};

class PfnTrainer final : public Trainer {
 public:
  using Trainer::Trainer;

  std::unique_ptr<Model> fit(Rows rows, const Config&, const Fit& fit) const override {
    return std::make_unique<PfnModel>(problem(), rows, fit);
  }
};

class PfnFamily final : public Family {
 public:
  std::string_view name() const override { return "pfn"; }
  SearchSpace search_space(const SpaceContext&) const override { return {}; }
  Config defaults(const SpaceContext&) const override { return {}; }
  /// Larger tables are divided into contexts at random.
  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return false; }
  bool calibrates_on_log_odds() const override { return false; }
  std::unique_ptr<Trainer> prepare(const Problem& problem) const override {
    return std::make_unique<PfnTrainer>(problem);
  }
};

}  // namespace

const Family& pfn_family() {
  static const PfnFamily family;
  return family;
}

}  // namespace jsdiv
