#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace jsdiv {

/// How an estimator did in one regime of the paper's experiments.
struct MeasuredError {
  double error_x100 = 0;   ///< mean absolute error
  double oracle_x100 = 0;  ///< the same of the plug-in that knows the densities, on all rows
  double seconds = 0;      ///< of one estimate, mean
};

/// From experiments/guide.csv, which `make paper` writes and whose first line names the source; none if the
/// estimator was not measured there. Regimes: dependence, dimension, imbalance, small.
std::optional<MeasuredError> measured_error(std::string_view regime, std::string_view estimator);

}  // namespace jsdiv
