#include "load/csv_table.hpp"

#include <utility>

#include "core/message.hpp"
#include "core/sha256.hpp"
#include "jsdiv/error.hpp"
#include "load/arrow_file.hpp"
#include "load/part_columns.hpp"

namespace jsdiv {
namespace {

/// Bytes of a file that are hashed before they are let go.
constexpr std::size_t hash_step = std::size_t{16} << 20;

std::string sha256_of(const InputFile& file) {
  Sha256 hash;
  const std::string_view bytes = file.raw();
  for (std::size_t begin = 0; begin < bytes.size(); begin += hash_step) {
    const std::string_view step = bytes.substr(begin, hash_step);
    hash.update(step.data(), step.size());
    file.release(step);
  }
  return hash.finish();
}

}  // namespace

CsvTable::CsvTable(InputFile file, std::size_t chunk_bytes)
    : path_(file.path()), single_(std::make_unique<CsvFile>(std::move(file), chunk_bytes)) {
  take_header(*single_);
}

CsvTable::CsvTable(std::string name, std::vector<std::string> parts, UnpackLimit limit)
    : path_(std::move(name)), limit_(limit), parts_(std::move(parts)) {
  take_header(*open_part(0));
  for (std::size_t k = 1; k < parts_.size(); ++k) {
    const std::unique_ptr<CsvFile> part = open_part(k);
    check_part_names(parts_[0], names_, parts_[k], part->names());
    const std::vector<CellClasses> classes = part->sample_classes();
    for (std::size_t j = 0; j < classes.size(); ++j) sampled_[j] |= classes[j];
    estimated_rows_ += part->estimated_rows();
  }
}

void CsvTable::take_header(const CsvFile& file) {
  delimiter_ = file.delimiter();
  names_ = file.names();
  unnamed_columns_ = file.unnamed_columns();
  sampled_ = file.sample_classes();
  estimated_rows_ = file.estimated_rows();
}

std::unique_ptr<CsvFile> CsvTable::open_part(std::size_t part) const {
  InputFile file = InputFile::open(parts_[part], limit_);
  if (is_arrow(file)) {
    throw InvalidInput(parts_[part] + ": belongs to the same table as " + parts_[0] +
                       ", but is not CSV; write all parts in the same format");
  }
  return std::make_unique<CsvFile>(std::move(file));
}

CsvColumns CsvTable::read(std::span<const ReadAs> columns, std::string* sha256) {
  if (!single_) return read_parts(columns, sha256);
  if (sha256 == nullptr) return single_->read(columns);
  return single_->read(columns, [&] { *sha256 = sha256_of(single_->file()); });
}

CsvColumns CsvTable::read_parts(std::span<const ReadAs> columns, std::string* sha256) {
  CsvColumns all;
  all.classes.assign(names_.size(), 0);
  std::vector<std::vector<PartColumn>> pieces(names_.size());
  std::vector<std::string> digests(parts_.size());
  std::vector<std::size_t> part_rows;
  empty_parts_.clear();
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    const std::unique_ptr<CsvFile> part = open_part(k);
    check_part_names(parts_[0], names_, parts_[k], part->names());
    const auto digest = [&] { digests[k] = sha256_of(part->file()); };
    if (part->has_rows()) {
      CsvColumns read = sha256 == nullptr ? part->read(columns) : part->read(columns, digest);
      part_rows.push_back(read.rows);
      all.rows += read.rows;
      all.blank_lines += read.blank_lines;
      for (std::size_t j = 0; j < columns.size(); ++j) {
        all.classes[j] |= read.classes[j];
        if (columns[j] != ReadAs::skip)
          pieces[j].push_back({std::move(read.values[j]), std::move(read.levels[j])});
      }
    } else {
      if (sha256 != nullptr) digest();
      part_rows.push_back(0);
      empty_parts_.push_back(parts_[k]);
    }
    part->file().check_unchanged();
  }
  if (!part_rows_.empty() && part_rows != part_rows_) {
    throw InvalidInput(path_ +
                       ": a part changed while it was being read; run again when nothing is writing to it");
  }
  part_rows_ = std::move(part_rows);
  if (all.rows == 0) throw InvalidInput(path_ + ": none of the parts has data rows; the table needs rows");
  all.values.resize(columns.size());
  all.levels.resize(columns.size());
  for (std::size_t j = 0; j < columns.size(); ++j) {
    PartColumn joined = join_parts(std::exchange(pieces[j], {}));
    all.values[j] = std::move(joined.values);
    all.levels[j] = std::move(joined.levels);
  }
  if (sha256 != nullptr) *sha256 = joined_sha256(digests);
  return all;
}

std::optional<CsvFile::FoundCell> CsvTable::find_cell(std::size_t column, CellClasses classes) const {
  if (single_) return single_->find_cell(column, classes);
  for (std::size_t k = 0; k < parts_.size(); ++k) {
    if (auto found = open_part(k)->find_cell(column, classes)) {
      found->where = parts_[k] + ", " + found->where;
      return found;
    }
  }
  return std::nullopt;
}

std::string CsvTable::where_row(std::size_t row) const {
  if (single_) return single_->where_row(row);
  std::size_t part = 0;
  for (; row >= part_rows_[part]; ++part) row -= part_rows_[part];
  return parts_[part] + ", " + open_part(part)->where_row(row);
}

void CsvTable::check_unchanged() const {
  if (single_) single_->file().check_unchanged();
}

}  // namespace jsdiv
