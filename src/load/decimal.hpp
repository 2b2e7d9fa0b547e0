#pragma once

#include <cstddef>

namespace jsdiv {

/// Reads runs of plain decimals (-12.345), which is where the time of reading a numeric table goes: sixteen
/// digits at a time where the processor allows it, without a branch for each digit. Correctly rounded, like
/// fast_float, which reads what this declines.
///
/// Reads up to `count` cells from `text` on, cell i into out[i][row]. Each must be a plain decimal that the
/// delimiter ends; the last of the run may be ended by anything. Stops before the first cell that is not like
/// that, and always some bytes before `end`.
struct DecimalRun {
  const char* position = nullptr;  ///< what ends the last cell, or the start of the cell that stopped the run
  std::size_t cells = 0;
};
using ReadDecimals = DecimalRun (*)(const char* text, const char* end, char delimiter, double* const* out,
                                    std::size_t row, std::size_t count);

DecimalRun read_decimals_portable(const char* text, const char* end, char delimiter, double* const* out,
                                  std::size_t row, std::size_t count);

/// The fastest version that this processor runs.
ReadDecimals read_decimals_function();

}  // namespace jsdiv
