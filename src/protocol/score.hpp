#pragma once

#include <memory>
#include <vector>

#include "calibrate/calibrator.hpp"
#include "jsdiv/estimate.hpp"
#include "jsdiv/family.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// D(x) for each row of the sample's third table, from the one family that the options name, trained on all
/// rows of P and Q. Tuned and calibrated as in Algorithm 1, but by cross-validation, since no row is set
/// aside.
Scores run_score(const Sample& sample, const EstimateOptions& options);

/// A family's model of the training rows with a calibrator from scores that each of these rows got from
/// models that had not seen it.
class CalibratedModel {
 public:
  CalibratedModel(const Family& family, const Problem& problem, const Trainer& trainer,
                  std::span<const std::uint32_t> groups, const Config& config, const PaperOptions& options,
                  const RandomStream& random);

  /// Calibrated, corrected for the prior where the options say so, clipped.
  std::vector<double> posteriors(MatrixView features, Rows rows) const;
  std::vector<Warning> notes() const { return model_->notes(); }

 private:
  const Family& family_;
  PaperOptions options_;
  std::unique_ptr<Model> model_;
  Calibrator calibrator_;
  double r_;
};

}  // namespace jsdiv
