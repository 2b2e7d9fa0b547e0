#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/table.hpp"
#include "load/arrow_interface.hpp"
#include "load/input.hpp"

struct JsdivArrowFile;
struct JsdivArrowFunctions;

namespace jsdiv {

/// Whether the module that reads Arrow and Parquet files is there. Without it ArrowFile throws InvalidInput,
/// which names what to install.
bool has_arrow();

/// Whether the file is for ArrowFile: by its name; where that says nothing, by the mark it begins with.
bool is_arrow(const InputFile& file);

/// A file in the Parquet, Arrow file (also called Feather) or Arrow stream format. Not movable: the module
/// looks at its bytes. Throws InvalidInput for a
/// broken file.
class ArrowFile {
 public:
  explicit ArrowFile(InputFile file);
  ArrowFile(const ArrowFile&) = delete;
  ArrowFile& operator=(const ArrowFile&) = delete;

  const InputFile& file() const { return file_; }
  const std::string& path() const { return file_.path(); }
  const std::vector<std::string>& names() const { return names_; }

  /// Reads the columns of these indices. Numbers, decimals, booleans, dates, timestamps and text become
  /// columns of our types, dictionaries are read as their values. A cell is missing if it is null or NaN: the
  /// words that stand for missing cells in CSV are text here. Throws InvalidInput for columns of other
  /// types.
  Table read(std::span<const std::size_t> columns) const;

 private:
  void check(const char* error) const;
  /// Adds the bytes that were unpacked to `unpacked`.
  Column read_column(std::size_t index, std::size_t& unpacked) const;

  InputFile file_;
  const JsdivArrowFunctions* functions_;
  std::unique_ptr<JsdivArrowFile, void (*)(JsdivArrowFile*)> opened_;
  std::unique_ptr<Released<ArrowSchema>> schema_;
  std::vector<std::string> names_;
};

}  // namespace jsdiv
