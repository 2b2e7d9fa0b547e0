#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Estimates the divergence between the distributions of two tables. Throws InvalidInput if they cannot be
/// compared.
Result estimate(Table p, Table q, const EstimateOptions& options = {});

/// The same from files (CSV, TSV, also .gz and .zst; Parquet and Arrow), folders or patterns of part files,
/// or
/// "-", standard input.
Result estimate(const std::string& path_p, const std::string& path_q, const EstimateOptions& options = {});

/// Measures the posteriors of your own classifier: D(x) for each row of P, then for each row of Q.
Result estimate_posteriors(const std::string& path_p, const std::string& path_q,
                           std::span<const double> posteriors, const EstimateOptions& options = {});

Result estimate_posteriors(Table p, Table q, std::span<const double> posteriors,
                           const EstimateOptions& options = {});

struct Scores {
  std::vector<double> posteriors;
  std::vector<Warning> warnings;
};

/// D(x) at equal priors for each row of a third table, from one family trained on all rows of P and Q.
Scores score(const std::string& path_p, const std::string& path_q, const std::string& path_x,
             const EstimateOptions& options = {});
Scores score(Table p, Table q, Table x, const EstimateOptions& options = {});

/// One family with one configuration, trained on all rows of P and Q, to score further tables.
/// Features are encoded as the protocol does. Thread-safe.
class Classifier {
 public:
  /// `config` may be what an estimate with the same options recorded as the family's hyperparameters. The
  /// posteriors are calibrated by cross-validation, which takes five more fits; without calibration they are
  /// the model's own at equal priors, as in the stack of protocol auto.
  Classifier(Table p, Table q, std::string_view family, const Hyperparameters& config,
             const EstimateOptions& options = {}, bool calibrated = true);

  /// D(x) at equal priors for each row. Levels that P and Q do not have count as unseen. Throws InvalidInput
  /// if a column is missing or has another type.
  std::vector<double> posteriors(Table x) const;

 private:
  struct Trained;
  std::shared_ptr<const Trained> trained_;
};

}  // namespace jsdiv
