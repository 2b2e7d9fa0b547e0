#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "calibrate/calibrator.hpp"
#include "encode/features.hpp"
#include "jsdiv/family.hpp"
#include "jsdiv/matrix.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The steps between an encoded problem and a posterior that the protocols share.

/// What of the features the family sees.
FeatureSet feature_set_of(const Family& family);

/// The features of a sample that a training part teaches, as the families among `families` see them.
class PartFeatures {
 public:
  PartFeatures(const Sample& sample, std::span<const ValueCodes> values, std::span<const std::uint8_t> labels,
               Rows training_rows, std::span<const Family* const> families, const FeatureOptions& options,
               const RandomStream& random);

  MatrixView of(const Family& family) const;
  const Features& features() const { return features_; }

 private:
  /// Where no exact value matters, trees look at the same matrix as the others.
  FeatureSet made_set_of(const Family& family) const;

  Features features_;
  std::map<FeatureSet, Matrix> matrices_;
};

struct ConfigChoice {
  Config config;
  std::optional<SearchCounts> search;
};

/// The configuration to use: the search's choice by 5-fold cross-validation on `rows`, or the family's
/// defaults where there is nothing to search.
ConfigChoice choose_config(const Family& family, const Trainer& trainer, Rows rows,
                           std::span<const std::uint32_t> groups, const PaperOptions& options,
                           const RandomStream& random);

/// The paper's rule: isotonic with more than 1000 calibration rows (both tables counted), else sigmoid.
Calibration calibration_for(const Family& family, std::size_t calibration_rows);

std::vector<double> log_odds_of(const Model& model, const Problem& problem, Rows rows);

/// Log-odds turned into the form that the family is calibrated on; as they are for a family that is not.
std::vector<double> calibration_scores(const Family& family, std::vector<double> log_odds);

/// A calibrator learnt from scores[i] of rows[i].
Calibrator fit_calibrator(Calibration kind, const Problem& problem, std::span<const double> scores,
                          Rows rows);

/// Weight of Q over weight of P among `rows`.
double prior_ratio(const Problem& problem, Rows rows);

bool is_corrected(const PaperOptions& options, double r);

/// Corrects for the prior where the options say so, then clips.
void correct_and_clip(std::span<double> posteriors, const PaperOptions& options, double r);

Hyperparameters hyperparameters_of(const Model& model);

}  // namespace jsdiv
