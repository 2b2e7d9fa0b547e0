#pragma once

#include <cstddef>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"
#include "load/input.hpp"

namespace jsdiv {

/// read_tables for files that are open. `chunk_bytes` is how much one job reads at a time (0: chosen by the
/// number of columns); it never changes the result, which is what tests and the fuzzer vary it for.
std::vector<Table> read_inputs(std::vector<InputFile> files, const LoadOptions& options,
                               std::vector<Warning>& warnings, std::size_t chunk_bytes);

}  // namespace jsdiv
