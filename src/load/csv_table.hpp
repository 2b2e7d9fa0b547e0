#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "load/csv_file.hpp"

namespace jsdiv {

/// A table in CSV: one file, or part files with the same header, whose rows follow each other. A file that is
/// alone stays open; parts are opened one after the other whenever they are read, so that there may be any
/// number of them and no more than one is unpacked.
class CsvTable {
 public:
  explicit CsvTable(InputFile file, std::size_t chunk_bytes = 0);
  /// `name` is what the user calls the table.
  CsvTable(std::string name, std::vector<std::string> parts, UnpackLimit limit);

  const std::string& path() const { return path_; }
  char delimiter() const { return delimiter_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Positions of columns whose header cell was empty; they were given names.
  const std::vector<std::size_t>& unnamed_columns() const { return unnamed_columns_; }
  /// The classes of cells in the first records (of each part), for each column.
  const std::vector<CellClasses>& sample_classes() const { return sampled_; }
  std::size_t estimated_rows() const { return estimated_rows_; }
  /// Names of parts without rows, known once the table has been read.
  const std::vector<std::string>& empty_parts() const { return empty_parts_; }

  /// Reads the columns as told. `sha256`, if not null, becomes that of the bytes: of the file, or of the
  /// parts' own digests, in their order.
  CsvColumns read(std::span<const ReadAs> columns, std::string* sha256 = nullptr);

  /// The first cell of a column whose class is among `classes`.
  std::optional<CsvFile::FoundCell> find_cell(std::size_t column, CellClasses classes) const;
  /// "row 17 (line 18)" for the row of that index; the row and line of a part are its own.
  std::string where_row(std::size_t row) const;
  /// Throws InvalidInput if a file was written to while it was read.
  void check_unchanged() const;

 private:
  void take_header(const CsvFile& file);
  std::unique_ptr<CsvFile> open_part(std::size_t part) const;
  CsvColumns read_parts(std::span<const ReadAs> columns, std::string* sha256);

  std::string path_;
  UnpackLimit limit_ = UnpackLimit::standard();
  std::unique_ptr<CsvFile> single_;
  std::vector<std::string> parts_;      ///< empty for a file that is alone
  std::vector<std::size_t> part_rows_;  ///< known once the table has been read
  std::vector<std::string> empty_parts_;
  std::size_t estimated_rows_ = 0;
  char delimiter_ = ',';
  std::vector<std::string> names_;
  std::vector<std::size_t> unnamed_columns_;
  std::vector<CellClasses> sampled_;
};

}  // namespace jsdiv
