#include "load/arrow_parts.hpp"

#include <utility>

#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "load/part_columns.hpp"

namespace jsdiv {
namespace {

bool is_measure(ColumnType type) {
  return type == ColumnType::number || type == ColumnType::integer;
}

/// The type that a column has in all parts that hold a value of it.
void check_part_type(const std::string& first_path, ColumnType first, const std::string& path,
                     const Column& column) {
  if (column.type == first || (is_measure(column.type) && is_measure(first))) return;
  throw InvalidInput(path + ": column " + quoted(column.name) + " has the type " +
                         std::string(to_string(column.type)) + ", but in " + first_path + " it is " +
                         std::string(to_string(first)) + "; write all parts with the same types",
                     {.option = "", .column = column.name});
}

}  // namespace

ArrowParts::ArrowParts(InputFile file)
    : path_(file.path()), single_(std::make_unique<ArrowFile>(std::move(file))), names_(single_->names()) {
}

ArrowParts::ArrowParts(std::string name, std::vector<std::string> parts, UnpackLimit limit)
    : path_(std::move(name)), limit_(limit), parts_(std::move(parts)), names_(open_part(0)->names()) {
  for (std::size_t k = 1; k < parts_.size(); ++k)
    check_part_names(parts_[0], names_, parts_[k], open_part(k)->names());
}

std::unique_ptr<ArrowFile> ArrowParts::open_part(std::size_t part) const {
  InputFile file = InputFile::open(parts_[part], limit_);
  if (!is_arrow(file)) {
    throw InvalidInput(parts_[part] + ": belongs to the same table as " + parts_[0] +
                       ", but is not a Parquet or Arrow file; write all parts in the same format");
  }
  return std::make_unique<ArrowFile>(std::move(file));
}

Table ArrowParts::read(std::span<const std::size_t> columns) {
  if (single_) {
    Table table = single_->read(columns);
    if (table.rows == 0) throw InvalidInput(path_ + ": no data rows; the table needs rows");
    return table;
  }
  Table all;
  all.source = path_;
  std::vector<std::vector<PartColumn>> pieces(columns.size());
  std::vector<std::string> digests;
  empty_parts_.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::unique_ptr<ArrowFile> part = open_part(k);
    check_part_names(parts_[0], names_, parts_[k], part->names());
    Table read = part->read(columns);
    part->file().check_unchanged();
    digests.push_back(read.sha256);
    all.rows += read.rows;
    if (read.rows == 0) empty_parts_.push_back(parts_[k]);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      Column& column = read.columns[j];
      if (k == 0) {
        all.columns.push_back({column.name, column.type, {}, {}});
      } else {
        check_part_type(parts_[0], all.columns[j].type, parts_[k], column);
      }
      pieces[j].push_back({std::move(column.values), std::move(column.levels)});
    }
  }
  if (all.rows == 0) throw InvalidInput(path_ + ": none of the parts has data rows; the table needs rows");
  for (std::size_t j = 0; j < columns.size(); ++j) {
    PartColumn joined = join_parts(std::exchange(pieces[j], {}));
    all.columns[j].values = std::move(joined.values);
    all.columns[j].levels = std::move(joined.levels);
  }
  all.sha256 = joined_sha256(digests);
  return all;
}

void ArrowParts::check_unchanged() const {
  if (single_) single_->file().check_unchanged();
}

}  // namespace jsdiv
