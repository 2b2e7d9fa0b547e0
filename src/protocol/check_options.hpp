#pragma once

#include "jsdiv/options.hpp"

namespace jsdiv {

/// Throws InvalidInput that names the first option whose value is out of its range.
void check_options(const EstimateOptions& options);
void check_options(const SelfCheckOptions& options);

}  // namespace jsdiv
