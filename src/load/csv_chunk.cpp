#include "load/csv_chunk.hpp"

#include <fast_float/fast_float.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include "core/assert.hpp"
#include "load/decimal.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

class ChunkReader {
 public:
  ChunkReader(const CsvTokenizer& tokenizer, std::span<const ReadAs> columns, std::span<double* const> out,
              bool exact)
      : tokenizer_(tokenizer), columns_(columns), out_(out), exact_(exact), run_length_(columns.size(), 0) {
    result_.classes.assign(columns.size(), 0);
    result_.levels.resize(columns.size());
    for (std::size_t j = columns.size(); j-- > 0;) {
      if (columns[j] == ReadAs::category) result_.levels[j] = std::make_unique<Dictionary>();
      if (columns[j] == ReadAs::number)
        run_length_[j] = 1 + (j + 1 < columns.size() ? run_length_[j + 1] : 0);
    }
  }

  ChunkResult read(const CsvChunk& chunk) {
    const std::size_t size = tokenizer_.text().size();
    std::size_t position = chunk.first_record;
    while (position <= chunk.end && position < size) {
      if (tokenizer_.at_line_end(position)) {
        ++result_.blank_lines;
        position = tokenizer_.skip_line_end(position);
        continue;
      }
      const std::size_t record = position;
      CsvFault fault = CsvFault::none;
      if (result_.rows == chunk.record_limit) {
        JSDIV_ASSERT(!exact_);
        fault = CsvFault::stray_quote;
      } else {
        position = read_record(position, fault);
      }
      if (fault != CsvFault::none) {
        result_.fault = fault;
        result_.fault_record = record;
        break;
      }
      ++result_.rows;
    }
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      const auto is_number = [](double value) { return !std::isnan(value); };
      if (columns_[j] == ReadAs::number && std::any_of(out_[j], out_[j] + result_.rows, is_number)) {
        result_.classes[j] |= bits(CellClass::number);
      }
    }
    return std::move(result_);
  }

 private:
  /// Reads one record into the next row; returns where the record after it begins.
  std::size_t read_record(std::size_t position, CsvFault& fault) {
    const std::string_view text = tokenizer_.text();
    const char* const data = text.data();
    const char* const data_end = data + text.size();
    for (std::size_t j = 0; j < columns_.size(); ++j) {
      std::size_t fast_cells = 0;
      if (columns_[j] == ReadAs::number) {
        const DecimalRun run = read_decimals_(data + position, data_end, tokenizer_.delimiter(),
                                              out_.data() + j, result_.rows, run_length_[j]);
        const bool last_is_whole = run.cells < run_length_[j] || tokenizer_.ends_cell(*run.position);
        if (last_is_whole) {
          fast_cells = run.cells;
          position = static_cast<std::size_t>(run.position - data);
        }
      }
      if (columns_[j] == ReadAs::number && fast_cells == run_length_[j]) {
        j += fast_cells - 1;
      } else {
        j += fast_cells;
        position = read_cell(j, position, fault);
        if (fault != CsvFault::none) return position;
      }
      const bool at_end = position == text.size() || tokenizer_.at_line_end(position);
      if (at_end != (j + 1 == columns_.size())) {
        fault = CsvFault::ragged;
        return position;
      }
      if (!at_end) ++position;
    }
    return position < text.size() ? tokenizer_.skip_line_end(position) : position;
  }

  std::size_t read_cell(std::size_t column, std::size_t position, CsvFault& fault) {
    double& value = out_value(column);
    const std::string_view text = tokenizer_.text();
    if (columns_[column] == ReadAs::number) {
      const char* const end = text.data() + text.size();
      const auto parsed = fast_float::from_chars(text.data() + position, end, value);
      if (parsed.ec == std::errc() && std::isfinite(value) &&
          (parsed.ptr == end || tokenizer_.ends_cell(*parsed.ptr))) {
        return static_cast<std::size_t>(parsed.ptr - text.data());
      }
    }
    CsvCell cell;
    position = tokenizer_.read_cell(position, cell, fault);
    if (exact_ && fault == CsvFault::stray_quote) fault = CsvFault::none;
    if (fault != CsvFault::none || columns_[column] == ReadAs::skip) return position;

    const std::string_view content = cell_value(cell, buffer_);
    if (columns_[column] == ReadAs::category) {
      Dictionary& levels = *result_.levels[column];
      value = cell.has_doubled_quotes ? levels.intern_copy(content) : levels.intern(content);
      return position;
    }
    const CellClass kind = classify(content);
    result_.classes[column] |= bits(kind);
    value = missing;
    if (columns_[column] == ReadAs::number && only(bits(kind), finite_classes))
      value = *parse_number(content);
    if (columns_[column] == ReadAs::boolean && kind == CellClass::boolean)
      value = *parse_boolean(content) ? 1 : 0;
    if (columns_[column] == ReadAs::datetime && only(bits(kind), datetime_classes))
      value = *parse_datetime(content);
    return position;
  }

  /// Where the cell of the present row goes; a place of no meaning for a column that is skipped.
  double& out_value(std::size_t column) {
    return columns_[column] == ReadAs::skip ? skipped_value_ : out_[column][result_.rows];
  }

  const CsvTokenizer& tokenizer_;
  std::span<const ReadAs> columns_;
  std::span<double* const> out_;
  bool exact_;
  std::vector<std::size_t> run_length_;  ///< columns of numbers in a row from each column on
  ReadDecimals read_decimals_ = read_decimals_function();
  std::string buffer_;
  double skipped_value_ = missing;
  ChunkResult result_;
};

}  // namespace

ChunkResult read_chunk(const CsvTokenizer& tokenizer, const CsvChunk& chunk, std::span<const ReadAs> columns,
                       std::span<double* const> out, bool exact) {
  return ChunkReader(tokenizer, columns, out, exact).read(chunk);
}

}  // namespace jsdiv
