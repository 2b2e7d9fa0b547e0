#pragma once

#include <string>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The estimate, followed by the same estimator on re-splits of the same rows into P and Q by known
/// posteriors, one for each refit. The outcome is in Result::self_check. Throws InvalidInput with weights,
/// with the paper's protocol, and if the rows cannot be re-split.
Result self_check(Table p, Table q, const SelfCheckOptions& options = {});
Result self_check(const std::string& path_p, const std::string& path_q, const SelfCheckOptions& options = {});

}  // namespace jsdiv
