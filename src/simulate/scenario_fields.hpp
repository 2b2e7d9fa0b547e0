#pragma once

#include "jsdiv/options.hpp"
#include "jsdiv/simulate.hpp"

namespace jsdiv {

/// visit(name, field, help) for every option of a scenario, as in protocol/option_fields.hpp.
template <typename Options, typename Visitor>
void visit_simulate_fields(Options& options, Visitor&& visit) {
  visit("n", options.n, "rows of P (default: 6000; split: every row assigned to P; random: drawn)");
  visit("n-q", options.n_q, "rows of Q (default: set by the scenario)");
  visit("seed", options.seed, "seed");
  visit("rho", options.rho, "correlation");
  visit("gap", options.gap, "distance between the means");
  visit("ratio", options.ratio, "|Q| / |P|");
  visit("df", options.df, "degrees of freedom");
  visit("d", options.d, "columns");
  visit("fit-rows", options.fit_rows, "rows of P that Q is fitted to");
  visit("jsd", options.jsd, "target JSD, below 1 (default: drawn)");
  visit("log-ratio", options.log_ratio, OptionNote("kind of log-ratio (default: drawn)", "KIND"));
  visit("kinds", options.kinds,
        OptionNote("kinds of pairs to draw: calibration or left-out (default: calibration)", "KINDS"));
}

}  // namespace jsdiv
