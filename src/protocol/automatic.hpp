#pragma once

#include <string>
#include <vector>

#include "encode/features.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"
#include "uncertainty/learning_curve.hpp"

namespace jsdiv {

/// What the cross-fit says about each row on one rung of the ladder, for those who go on from there.
struct ScoredReading {
  std::string rung;
  Sample sample;  ///< the tables in the order of the arithmetic
  FeatureOptions features;
  std::vector<double> log_odds;  ///< [rows] of the first table, at equal priors; held-out
  LearningCurve curve;
  std::vector<FamilyResult> families;
};

/// The recommended estimator on the pooled rows of P and Q: fills in every number of the result. `q_first`
/// says which table comes first in the arithmetic; it must follow from the tables' content alone, so that
/// exchanging P and Q gives the same bits. Every rung is added to `readings`, if that is not null.
void run_auto(Sample sample, bool q_first, const EstimateOptions& options, Result& result,
              std::vector<ScoredReading>* readings = nullptr);

}  // namespace jsdiv
