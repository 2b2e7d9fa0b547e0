#pragma once

#include "jsdiv/simulate.hpp"

namespace jsdiv {

/// visit(name, field, help) for every option of a scenario, as in protocol/option_fields.hpp.
template <typename Options, typename Visitor>
void visit_simulate_fields(Options& options, Visitor&& visit) {
  visit("n", options.n, "rows of P");
  visit("n-q", options.n_q, "rows of Q (default: the scenario's)");
  visit("seed", options.seed, "seed");
  visit("rho", options.rho, "correlation");
  visit("gap", options.gap, "distance of the means");
  visit("ratio", options.ratio, "|Q| / |P|");
  visit("df", options.df, "degrees of freedom");
  visit("d", options.d, "columns");
  visit("fit-rows", options.fit_rows, "rows of P that Q is fitted to");
}

}  // namespace jsdiv
