#pragma once

#include "jsdiv/simulate.hpp"

namespace jsdiv {

/// visit(name, field, help) for every option of a scenario, as in protocol/option_fields.hpp.
template <typename Options, typename Visitor>
void visit_simulate_fields(Options& options, Visitor&& visit) {
  visit("n", options.n, "rows of P (default: 6000; split: every row that falls to P; random: a draw)");
  visit("n-q", options.n_q, "rows of Q (default: the scenario's)");
  visit("seed", options.seed, "seed");
  visit("rho", options.rho, "correlation");
  visit("gap", options.gap, "distance of the means");
  visit("ratio", options.ratio, "|Q| / |P|");
  visit("df", options.df, "degrees of freedom");
  visit("d", options.d, "columns");
  visit("fit-rows", options.fit_rows, "rows of P that Q is fitted to");
  visit("jsd", options.jsd, "the JSD to reach, below 1 (default: a draw)");
  visit("log-ratio", options.log_ratio, "kind of log-ratio (default: a draw)");
  visit("kinds", options.kinds,
        "calibration or left-out: which kinds of pairs are drawn (default: calibration)");
}

}  // namespace jsdiv
