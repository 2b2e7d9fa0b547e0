#pragma once

#include <cstddef>

namespace jsdiv::linear {

/// What a labelled row contributes to the logistic loss at log-odds eta, for sign s in {-1, 1} and weight v:
///     loss v·log(1 + exp(-s·eta)),  residual -v·s·sigmoid(-s·eta),  curvature v·sigmoid(eta)·sigmoid(-eta).
/// Everything is computed from |eta| and the margin s·eta, so that swapping the labels and the sign of eta
/// negates the residual exactly and leaves the rest as it is.
///
/// `eta` [count] is replaced by the residuals; `curvature` [count] is written; the sum of the losses is
/// returned.
double logistic_terms(std::size_t count, double* eta, const double* sign, const double* weight,
                      double* curvature);

}  // namespace jsdiv::linear
