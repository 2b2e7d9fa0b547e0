#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "load/arrow_file.hpp"

namespace jsdiv {

/// A table in Parquet or Arrow files: one file, or part files with the same columns, whose rows follow each
/// other. A file that is alone stays open, parts are opened when they are read.
class ArrowParts {
 public:
  explicit ArrowParts(InputFile file);
  /// `name` is what the user calls the table.
  ArrowParts(std::string name, std::vector<std::string> parts, UnpackLimit limit);

  const std::string& path() const { return path_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Names of parts without rows, known once the table has been read.
  const std::vector<std::string>& empty_parts() const { return empty_parts_; }

  /// See ArrowFile::read.
  Table read(std::span<const std::size_t> columns);
  /// Throws InvalidInput if a file was written to while it was read.
  void check_unchanged() const;

 private:
  std::unique_ptr<ArrowFile> open_part(std::size_t part) const;

  std::string path_;
  UnpackLimit limit_ = UnpackLimit::standard();
  std::unique_ptr<ArrowFile> single_;
  std::vector<std::string> parts_;
  std::vector<std::string> empty_parts_;
  std::vector<std::string> names_;
};

}  // namespace jsdiv
