#pragma once

#include "classify/classifier.hpp"
#include "classify/linear/path.hpp"

namespace jsdiv {

/// Logistic regression on the features as they are.
const Family& logreg_family();

/// Logistic regression on a polynomial expansion of the features.
const Family& lr_pol_family();

/// What a model of one of these two families has learnt; features in the order of scikit-learn's
/// PolynomialFeatures.
const linear::Coefficients& linear_coefficients(const Model& model);

}  // namespace jsdiv
