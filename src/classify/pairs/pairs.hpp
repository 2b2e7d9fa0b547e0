#pragma once

#include "jsdiv/family.hpp"

namespace jsdiv {

/// Logistic regression on piecewise linear functions of every feature and of those pairs of features whose
/// joint distributions differ: sees any dependence of two columns, however bent, among many columns.
const Family& pairs_family();

}  // namespace jsdiv
