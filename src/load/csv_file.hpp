#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/table.hpp"
#include "load/cell.hpp"
#include "load/csv_chunk.hpp"
#include "load/csv_text.hpp"
#include "load/input.hpp"

namespace jsdiv {

/// What one pass over the file gave. A cell that does not fit the way its column is read is NaN, and its
/// class is among the column's.
struct CsvColumns {
  std::size_t rows = 0;
  std::size_t blank_lines = 0;
  std::vector<std::vector<double>> values;       ///< [column]; empty where skipped
  std::vector<std::vector<std::string>> levels;  ///< [column]; of categories only
  std::vector<CellClasses> classes;              ///< [column]; not looked at in columns read as categories
};

/// A CSV file whose header has been read. Not movable: cells are views into it.
class CsvFile {
 public:
  /// `chunk_bytes` is how much one job reads at a time; 0 chooses it by the number of columns.
  explicit CsvFile(InputFile file, std::size_t chunk_bytes = 0);
  CsvFile(const CsvFile&) = delete;
  CsvFile& operator=(const CsvFile&) = delete;

  const InputFile& file() const { return file_; }
  const std::string& path() const { return file_.path(); }
  char delimiter() const { return tokenizer_.delimiter(); }
  const std::vector<std::string>& names() const { return names_; }
  /// Positions of columns whose header cell was empty; they were given names.
  const std::vector<std::size_t>& unnamed_columns() const { return unnamed_columns_; }

  /// How many records the text holds, as its first ones suggest.
  std::size_t estimated_rows() const;

  /// Whether anything but blank lines follows the header.
  bool has_rows() const;

  /// The classes of cells in the first records, for each column.
  std::vector<CellClasses> sample_classes() const;

  /// Reads the columns as told, in parallel; `beside` is run as one more job. Throws InvalidInput for text
  /// that is not a table.
  CsvColumns read(std::span<const ReadAs> columns, const std::function<void()>& beside = {});

  /// The first cell of a column whose class is among `classes`; its value, and "row 17 (line 18)".
  struct FoundCell {
    std::string where;
    std::string value;
  };
  std::optional<FoundCell> find_cell(std::size_t column, CellClasses classes) const;

  /// "row 17 (line 18)" for the row of that index (which counts from 0).
  std::string where_row(std::size_t row) const;

 private:
  void read_header();
  std::string where_record(std::size_t record) const;
  [[noreturn]] void throw_encoding_fault(const EncodingFault& fault) const;
  [[noreturn]] void throw_fault(CsvFault fault, std::size_t record) const;

  InputFile file_;
  std::size_t data_begin_ = 0;  ///< where the first record after the header begins
  CsvTokenizer tokenizer_;
  std::size_t chunk_bytes_;
  bool has_stray_quotes_ = false;
  std::vector<std::string> names_;
  std::vector<std::size_t> unnamed_columns_;
};

}  // namespace jsdiv
