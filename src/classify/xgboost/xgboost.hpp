#pragma once

#include "jsdiv/family.hpp"

namespace jsdiv {

/// Boosted trees by the XGBoost library (Chen & Guestrin, KDD 2016), histogram method, one thread for each
/// fit.
const Family& xgboost_family();

}  // namespace jsdiv
