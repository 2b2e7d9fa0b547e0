#pragma once

#include "jsdiv/family.hpp"

namespace jsdiv {

/// Regularised quadratic discriminant. Features with more than two values are described by one Gaussian a
/// class, as they are or after a map to normal scores; features with two values by independent odds, whose
/// sum is damped. Shrinkage, map and damping are those with the lowest held-out loss inside the training
/// rows, so that there is nothing for a search to choose.
const Family& gaussian_family();

}  // namespace jsdiv
