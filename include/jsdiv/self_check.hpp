#pragma once

#include <string>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The estimate, and then the same estimator on the same rows where the answer is known: they are divided
/// anew between P and Q by known posteriors, once for each refit. Result::self_check says what came of it.
/// Throws InvalidInput under weights and the paper's protocol, and where the rows cannot be divided so.
Result self_check(Table p, Table q, const SelfCheckOptions& options = {});
Result self_check(const std::string& path_p, const std::string& path_q, const SelfCheckOptions& options = {});

}  // namespace jsdiv
