#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "encode/features.hpp"
#include "jsdiv/family.hpp"
#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"
#include "stack/stack.hpp"

namespace jsdiv {

/// The one family that answers in place of the stack, with the configuration that the cross-fit gave most
/// weight.
struct ExplainerFamily {
  const Family* family = nullptr;
  Config config;
  FamilyOptions options;
};

/// The family that proved most by itself on held-out rows, among those that answer a question in
/// microseconds if there is one.
ExplainerFamily choose_explainer(const EstimateOptions& options, std::span<const FamilyResult> families);

/// Features of every row of a sample, and the column that each was made from.
struct ColumnFeatures {
  Matrix values;
  std::vector<std::size_t> column_of;
};

/// The family on one fold: fitted without `held_out`, with the scale of its log-odds learnt on the other
/// folds' held-out rows.
struct ExplainerFold {
  ColumnFeatures features;
  std::vector<RowIndex> train;
  std::vector<RowIndex> held_out;
  std::unique_ptr<const Trainer> trainer;
  std::unique_ptr<const Model> model;
  double cap = 0;  ///< of the log-odds, in size
  Stack calibration;

  /// Log-odds at equal priors of all rows of a matrix with these features.
  std::vector<double> log_odds(MatrixView rows) const;
  std::vector<double> held_out_log_odds() const;

 private:
  std::vector<double> calibrated(MatrixView values, Rows rows) const;
};

struct ExplainerFit {
  std::vector<std::unique_ptr<ExplainerFold>> folds;
  std::vector<double> log_odds;  ///< [rows] held-out
};

struct ExplainerTask {
  const Sample& sample;
  std::span<const ValueCodes> values;  ///< of the sample's columns
  std::span<const std::uint8_t> labels;
  const ExplainerFamily& family;
  FeatureOptions features;
  std::size_t folds;
};

/// Independent draws (rows, or groups of rows) of the table that has fewer of them.
std::size_t smaller_table_draws(const Sample& sample);

/// One cross-fit. `without` is a column that the family must do without.
ExplainerFit fit_explainer(const ExplainerTask& task, const RandomStream& random,
                           std::optional<std::size_t> without = std::nullopt);

}  // namespace jsdiv
