#include "calibrate/calibrator.hpp"

#include <cmath>
#include <string>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

void check(std::span<const double> scores, std::span<const std::uint8_t> labels,
           std::span<const double> weights) {
  JSDIV_ASSERT(scores.size() == labels.size());
  JSDIV_ASSERT(weights.empty() || weights.size() == scores.size());
  double class_weight[2] = {0, 0};
  for (std::size_t i = 0; i < scores.size(); ++i) {
    JSDIV_ASSERT(std::isfinite(scores[i]));
    const double weight = weights.empty() ? 1.0 : weights[i];
    JSDIV_ASSERT(std::isfinite(weight) && weight >= 0);
    class_weight[labels[i] != 0] += weight;
  }
  for (const int label : {1, 0}) {
    if (class_weight[label] > 0) continue;
    throw InvalidInput(std::string("no row of ") + (label == 1 ? "P" : "Q") +
                       " is left for calibration; use more rows for validation or switch calibration off");
  }
}

}  // namespace

std::string_view to_string(Calibration method) {
  switch (method) {
    case Calibration::none:
      return "none";
    case Calibration::sigmoid:
      return "sigmoid";
    case Calibration::isotonic:
      return "isotonic";
  }
  JSDIV_ASSERT(false);
}

Calibrator Calibrator::fit(Calibration method, std::span<const double> scores,
                           std::span<const std::uint8_t> labels, std::span<const double> weights) {
  Calibrator calibrator;
  calibrator.method_ = method;
  if (method == Calibration::none) return calibrator;
  check(scores, labels, weights);
  if (method == Calibration::sigmoid) {
    calibrator.sigmoid_ = fit_sigmoid(scores, labels, weights);
  } else {
    calibrator.isotonic_ = fit_isotonic(scores, labels, weights);
  }
  return calibrator;
}

double Calibrator::operator()(double score) const {
  switch (method_) {
    case Calibration::none:
      return sigmoid(score);
    case Calibration::sigmoid:
      return sigmoid_(score);
    case Calibration::isotonic:
      return isotonic_(score);
  }
  JSDIV_ASSERT(false);
}

}  // namespace jsdiv
