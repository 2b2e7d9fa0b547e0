#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/result.hpp"

namespace jsdiv::bench {

/// One published figure, from experiments/published/results.csv. Errors are times 100.
struct Published {
  std::string source;  ///< "paper": a table as printed; "files": means over the published per-seed files
  std::string experiment;
  std::string
      setting;  ///< as our labels; a time may stand for all settings ("all") or for several ("gap=0.3")
  std::string family;
  Maybe estimate, estimate_sd, error, error_sd, reference, oracle_error, seconds;
};

const std::vector<Published>& published_results();

/// The published figure for that place, or nullptr. `experiment` empty: none.
const Published* find_published(std::string_view source, std::string_view experiment,
                                std::string_view setting, std::string_view family);

/// Published seconds of that place: the files' where there are any, else the paper's, which may stand for
/// several settings.
Maybe published_seconds(std::string_view experiment, std::string_view setting, std::string_view family);

/// Iterations of the published tool's search in that family; none where it does not search.
std::optional<int> published_iterations(std::string_view family);

}  // namespace jsdiv::bench
