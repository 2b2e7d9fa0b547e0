#include "classify/tabpfn/family.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "classify/subsample.hpp"
#include "classify/tabpfn/engine.hpp"
#include "classify/tabpfn/preprocessing.hpp"
#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/rows.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::tabpfn {
namespace {

constexpr double ensemble_temperature = 0.9;
constexpr int most_members = 64;
// Contexts that take more than this together are not kept, but recomputed for each prediction.
constexpr std::size_t kept_context_bytes = std::size_t{1} << 30;

std::string weights_path(const TabPfnOptions& options) {
  if (!options.weights.empty()) return options.weights;
  const char* variable = std::getenv("JSDIV_TABPFN_WEIGHTS");
  return variable != nullptr ? variable : "";
}

bool is_bare(const TabPfnOptions& options) {
  return options.preprocessing == TabPfnPreprocessing::none;
}

int member_count(const TabPfnOptions& options) {
  return options.members.value_or(is_bare(options) ? 1 : TabPfnOptions::default_members);
}

void check_members(const TabPfnOptions& options) {
  const int members = member_count(options);
  if (is_bare(options) && members != 1) {
    throw InvalidInput("tabpfn: without preprocessing there is one member, not " + std::to_string(members) +
                           "; leave out " + mention("tabpfn_members"),
                       {.option = "tabpfn_members"});
  }
  if (!is_bare(options) && (members < 2 || members > most_members || members % 2 != 0)) {
    throw InvalidInput("tabpfn: the number of members must be even and from 2 to " +
                       std::to_string(most_members) + ", not " + std::to_string(members) +
                       ": each has a mirror image");
  }
}

/// The weights in a file, read once for all folds of a run.
std::shared_ptr<const Weights> shared_weights(const std::string& path) {
  struct Known {
    std::string path;
    std::filesystem::file_time_type written;
    std::uintmax_t bytes = 0;
    bool operator==(const Known&) const = default;
  };
  static std::mutex mutex;
  static Known known;
  static std::shared_ptr<const Weights> weights;
  std::error_code missing;  // is reported by the reader
  const Known asked{path, std::filesystem::last_write_time(path, missing),
                    std::filesystem::file_size(path, missing)};
  const std::lock_guard lock(mutex);
  if (weights == nullptr || !(asked == known)) {
    weights = std::make_shared<const Weights>(load_weights(path));
    known = asked;
  }
  return weights;
}

Message missing_weights() {
  return "tabpfn: needs the official v2 weights: download tabpfn-v2-classifier-finetuned-zk73skhh.ckpt from "
         "Prior-Labs/TabPFN-v2-clf on the model hub (Prior Labs License: Apache-2.0 with attribution), "
         "convert it with tools/tabpfn_convert.py, and name the result with " +
         mention("tabpfn_weights") + " or the environment variable JSDIV_TABPFN_WEIGHTS";
}

bool any_column_varies(MatrixView features, Rows rows) {
  for (std::size_t j = 0; j < features.cols; ++j) {
    const auto column = features.column(j);
    if (std::any_of(rows.begin(), rows.end(), [&](RowIndex row) { return column[row] != column[rows[0]]; }))
      return true;
  }
  return false;
}

/// One view of the table, with the rows asked for in a matrix of their own.
struct View {
  std::optional<MemberTransform> transform;  ///< none: the columns as they are

  Matrix apply(MatrixView features, Rows rows) const {
    if (transform) return transform->apply(features, rows);
    Matrix out(rows.size(), features.cols);
    for (std::size_t j = 0; j < features.cols; ++j) {
      for (std::size_t i = 0; i < rows.size(); ++i) out.at(i, j) = features.at(rows[i], j);
    }
    return out;
  }
};

/// A member: a view of the table under one labelling of P and Q.
struct Member {
  std::size_t view;
  bool mirrored;                   ///< P has label 0
  std::optional<Context> context;  ///< absent if it would take too much memory
};

Matrix stacked(const Matrix& top, const Matrix& bottom) {
  Matrix out(top.rows() + bottom.rows(), top.cols());
  for (std::size_t j = 0; j < top.cols(); ++j) {
    const auto to = out.column(j);
    std::copy(top.column(j).begin(), top.column(j).end(), to.begin());
    std::copy(bottom.column(j).begin(), bottom.column(j).end(),
              to.begin() + static_cast<std::ptrdiff_t>(top.rows()));
  }
  return out;
}

class TabPfnModel final : public Model {
 public:
  TabPfnModel(const Problem& problem, std::shared_ptr<const Weights> weights, Rows rows, const Fit& fit)
      : engine_(std::move(weights)) {
    prior_log_odds_ = jsdiv::prior_log_odds(problem, rows);  // for its check that both classes are there
    const std::vector<RowIndex> weighted = weighted_rows(problem, rows);
    const auto chosen =
        stratified_subsample(weighted, problem.labels, most_training_rows, fit.random.child("subsample"));
    for (const RowIndex row : chosen) labels_.push_back(problem.labels[row]);
    const auto of_p = static_cast<double>(std::count(labels_.begin(), labels_.end(), 1));
    prior_log_odds_ = std::log(of_p) - std::log(static_cast<double>(labels_.size()) - of_p);
    take_notes(problem, weighted);

    const TabPfnOptions& options = problem.options.tabpfn;
    ensemble_ = !is_bare(options);
    config_.set("preprocessing", ensemble_ ? "default" : "none");
    config_.set("members", std::int64_t{member_count(options)});
    config_.set("training_rows", static_cast<std::int64_t>(labels_.size()));
    config_.set("weights_sha256", engine_.weights().sha256);
    if (!any_column_varies(problem.features, chosen)) {
      notes_.push_back({"tabpfn_constant",
                        "tabpfn: every column is constant in training, so it can predict only the prior"});
      return;
    }
    make_members(problem.features, chosen, options, fit.random);
  }

  void log_odds(MatrixView features, Rows rows, std::span<double> out) const override {
    JSDIV_ASSERT(out.size() == rows.size());
    if (members_.empty()) {
      std::fill(out.begin(), out.end(), prior_log_odds_);
      return;
    }
    std::vector<double> of_p(rows.size()), of_q(rows.size());
    for (std::size_t first = 0; first < members_.size(); first += ensemble_ ? 2 : 1) {
      const Matrix table = views_[members_[first].view].apply(features, rows);
      const auto odds = member_log_odds(members_[first], table);
      if (!ensemble_) {
        std::copy(odds.begin(), odds.end(), out.begin());
        return;
      }
      const auto mirrored_odds = member_log_odds(members_[first + 1], table);
      // The pair is added up first: exchanging P and Q exchanges its two terms, and the sums with them.
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const double a = odds[i] / ensemble_temperature, b = mirrored_odds[i] / ensemble_temperature;
        of_p[i] += sigmoid(a) + sigmoid(b);
        of_q[i] += sigmoid(-a) + sigmoid(-b);
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) out[i] = std::log(of_p[i]) - std::log(of_q[i]);
  }

  double prior_log_odds() const override { return prior_log_odds_; }
  const Config& config() const override { return config_; }
  std::vector<Warning> notes() const override { return notes_; }

 private:
  void take_notes(const Problem& problem, Rows rows) {
    if (labels_.size() < rows.size()) {
      notes_.push_back({"tabpfn_rows", "tabpfn: trained on a random " + std::to_string(labels_.size()) +
                                           " of " + std::to_string(rows.size()) +
                                           " rows, the most its model was designed for"});
    }
    if (problem.features.cols > most_trained_columns) {
      notes_.push_back({"tabpfn_columns",
                        "tabpfn: " + std::to_string(problem.features.cols) + " columns are more than the " +
                            std::to_string(most_trained_columns) + " its model was designed for"});
    }
    if (!problem.weights.empty()) {
      notes_.push_back(
          {"tabpfn_weights",
           "tabpfn: training ignores the size of positive weights; only the measurement uses it"});
    }
  }

  void make_members(MatrixView features, Rows rows, const TabPfnOptions& options,
                    const RandomStream& random) {
    const auto pairs = static_cast<std::size_t>(member_count(options) / 2);
    if (!ensemble_) views_.emplace_back();
    for (std::size_t pair = 0; ensemble_ && pair < pairs; ++pair) {
      const bool quantiles = pair < (pairs + 1) / 2;
      views_.push_back({MemberTransform(features, rows, quantiles, random.child("columns").child(pair))});
    }
    std::size_t bytes = 0;
    for (std::size_t v = 0; v < views_.size(); ++v) {
      training_.push_back(views_[v].apply(features, rows));
      members_.push_back({.view = v, .mirrored = false, .context = {}});
      if (ensemble_) members_.push_back({.view = v, .mirrored = true, .context = {}});
      bytes += engine_.context_bytes(rows.size(), training_.back().cols()) * (ensemble_ ? 2 : 1);
    }
    if (bytes > kept_context_bytes) return;
    for (Member& member : members_) {
      member.context =
          engine_.fit(training_[member.view].view(), row_range(0, rows.size()), labels_of(member));
    }
  }

  std::vector<std::uint8_t> labels_of(const Member& member) const {
    std::vector<std::uint8_t> labels = labels_;
    for (std::uint8_t& label : labels) label ^= static_cast<std::uint8_t>(member.mirrored);
    return labels;
  }

  std::vector<double> member_log_odds(const Member& member, const Matrix& table) const {
    const std::size_t training_rows = labels_.size();
    std::vector<float> logits;
    if (member.context) {
      logits = engine_.logits(*member.context, table.view(), row_range(0, table.rows()));
    } else {
      const Matrix both = stacked(training_[member.view], table);
      logits = engine_.logits_once(both.view(), row_range(0, training_rows), labels_of(member),
                                   row_range(training_rows, training_rows + table.rows()));
    }
    const std::size_t classes = engine_.weights().shape.classes;
    std::vector<double> odds(table.rows());
    for (std::size_t i = 0; i < odds.size(); ++i) {
      const double difference = static_cast<double>(logits[i * classes + 1]) - logits[i * classes];
      if (!std::isfinite(difference))
        throw InvalidInput("tabpfn: the weights produce numbers that are not finite; convert them again");
      odds[i] = member.mirrored ? -difference : difference;
    }
    return odds;
  }

  Engine engine_;
  bool ensemble_ = false;
  std::vector<std::uint8_t> labels_;
  std::vector<View> views_;
  std::vector<Matrix> training_;  ///< training rows as each view shows them
  std::vector<Member> members_;
  double prior_log_odds_ = 0;
  Config config_;
  std::vector<Warning> notes_;
};

class TabPfnTrainer final : public Trainer {
 public:
  TabPfnTrainer(const Problem& problem, std::shared_ptr<const Weights> weights)
      : Trainer(problem), weights_(std::move(weights)) {}

  std::unique_ptr<Model> fit(Rows rows, const Config&, const Fit& fit) const override {
    return std::make_unique<TabPfnModel>(problem(), weights_, rows, fit);
  }

 private:
  std::shared_ptr<const Weights> weights_;
};

}  // namespace

Message TabPfnFamily::why_unavailable(const FamilyOptions& options) const {
  return weights_path(options.tabpfn).empty() ? missing_weights() : Message();
}

bool TabPfnFamily::gives_raw_output(const FamilyOptions& options) const {
  return is_bare(options.tabpfn);
}

std::string TabPfnFamily::why_too_large(std::size_t rows, std::size_t columns) const {
  if (rows <= most_stacked_rows && rows * columns <= most_stacked_cells) return {};
  return "tabpfn: left out of the stack: " + std::to_string(rows) + " rows of " + std::to_string(columns) +
         " columns would take a long time; list it in the families to run it anyway";
}

std::unique_ptr<Trainer> TabPfnFamily::prepare(const Problem& problem) const {
  const TabPfnOptions& options = problem.options.tabpfn;
  const std::string path = weights_path(options);
  if (path.empty()) throw InvalidInput(missing_weights(), {.option = "tabpfn_weights"});
  check_members(options);
  if (problem.features.cols > most_columns) {
    throw InvalidInput("tabpfn: " + std::to_string(problem.features.cols) + " columns are more than the " +
                           std::to_string(most_columns) + " it takes; choose fewer with " +
                           mention("columns"),
                       {.option = "columns"});
  }
  return std::make_unique<TabPfnTrainer>(problem, shared_weights(path));
}

}  // namespace jsdiv::tabpfn
