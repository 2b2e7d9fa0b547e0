#pragma once

#include "jsdiv/compare.hpp"     // IWYU pragma: export
#include "jsdiv/error.hpp"       // IWYU pragma: export
#include "jsdiv/estimate.hpp"    // IWYU pragma: export
#include "jsdiv/explain.hpp"     // IWYU pragma: export
#include "jsdiv/family.hpp"      // IWYU pragma: export
#include "jsdiv/marginal.hpp"    // IWYU pragma: export
#include "jsdiv/options.hpp"     // IWYU pragma: export
#include "jsdiv/result.hpp"      // IWYU pragma: export
#include "jsdiv/self_check.hpp"  // IWYU pragma: export
#include "jsdiv/simulate.hpp"    // IWYU pragma: export
#include "jsdiv/table.hpp"       // IWYU pragma: export
