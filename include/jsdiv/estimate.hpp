#pragma once

#include <span>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The divergence between the distributions behind two tables. Throws InvalidInput where they cannot be
/// compared.
Result estimate(Table p, Table q, const EstimateOptions& options = {});

/// The same from files (CSV, TSV, also .gz and .zst; Parquet where it was built in).
Result estimate(const std::string& path_p, const std::string& path_q, const EstimateOptions& options = {});

/// Measures posteriors of a classifier of the caller's own: D(x) for each row of P, then for each row of Q.
Result estimate_posteriors(const std::string& path_p, const std::string& path_q,
                           std::span<const double> posteriors, const EstimateOptions& options = {});

struct Scores {
  std::vector<double> posteriors;
  std::vector<Warning> warnings;
};

/// D(x) at equal priors for each row of a third table, from one family trained on all rows of P and Q.
Scores score(const std::string& path_p, const std::string& path_q, const std::string& path_x,
             const EstimateOptions& options = {});

}  // namespace jsdiv
