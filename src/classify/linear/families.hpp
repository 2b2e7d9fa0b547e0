#pragma once

#include "jsdiv/family.hpp"

namespace jsdiv {

/// Logistic regression on the features as they are.
const Family& logreg_family();

/// Logistic regression on a polynomial expansion of the features.
const Family& lr_pol_family();

}  // namespace jsdiv
