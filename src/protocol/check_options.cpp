#include "protocol/check_options.hpp"

#include "jsdiv/error.hpp"

namespace jsdiv {

void check_options(const EstimateOptions& options) {
  if (options.seeds && *options.seeds < 1) throw InvalidInput("--seeds must be at least 1");
  if (!(options.level > 0 && options.level < 1))
    throw InvalidInput("--level must lie between 0 and 1, for example 0.95");
  if (!(options.paper.epsilon > 0 && options.paper.epsilon < 0.5)) {
    throw InvalidInput("--epsilon must lie between 0 and 0.5, for example 1e-6");
  }
  if (!(options.paper.threshold >= 0)) throw InvalidInput("--threshold must not be negative");
  if (options.time_budget && !(*options.time_budget > 0)) {
    throw InvalidInput("--time-budget must be a positive number of seconds");
  }
  if (options.paper.iterations < 0)
    throw InvalidInput("--iterations must not be negative; 0 means no search");
}

}  // namespace jsdiv
