#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "load/cell.hpp"
#include "load/csv_text.hpp"
#include "load/dictionary.hpp"

namespace jsdiv {

/// How the cells of a column are turned into values.
enum class ReadAs : std::uint8_t { skip, number, boolean, datetime, category };

/// What a chunk's records gave besides the values themselves.
struct ChunkResult {
  std::size_t rows = 0;
  std::size_t blank_lines = 0;
  std::vector<CellClasses> classes;  ///< [column] seen, but for columns read as categories
  std::vector<std::unique_ptr<Dictionary>>
      levels;                       ///< [column] that the codes refer to, missing tokens included
  CsvFault fault = CsvFault::none;  ///< what stopped the reading, if anything
  std::size_t fault_record = 0;
};

/// Reads the records of a chunk, row i of column j into out[j][i]. Unless the chunks are `exact`, a stray
/// quote is a fault, because the chunk after it may begin at the wrong place.
ChunkResult read_chunk(const CsvTokenizer& tokenizer, const CsvChunk& chunk, std::span<const ReadAs> columns,
                       std::span<double* const> out, bool exact);

}  // namespace jsdiv
