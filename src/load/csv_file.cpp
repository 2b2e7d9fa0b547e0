#include "load/csv_file.hpp"

#include <algorithm>
#include <limits>
#include <unordered_set>
#include <utility>

#include "core/assert.hpp"
#include "core/message.hpp"
#include "core/parallel.hpp"
#include "core/text_hash.hpp"
#include "jsdiv/error.hpp"
#include "load/dictionary.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t smallest_chunk = std::size_t{1} << 20;
constexpr std::size_t sampled_bytes = std::size_t{1} << 18;

char delimiter_of(const InputFile& file, std::size_t header_begin) {
  if (file.extension() == ".tsv" || file.extension() == ".tab") return '\t';
  return sniff_delimiter(file.text().substr(header_begin));
}

/// Past a byte order mark and lines without a character.
std::size_t header_begin(std::string_view text) {
  std::size_t begin = text.starts_with("\xEF\xBB\xBF") ? 3 : 0;
  while (begin < text.size() && (text[begin] == '\n' || text[begin] == '\r')) ++begin;
  return begin;
}

/// Numbers the levels of one column across all chunks and replaces each chunk's own numbers by the common
/// ones.
void merge_levels(std::span<const Dictionary* const> chunk_levels,
                  std::span<const std::size_t> chunk_first_row, std::vector<double>& values,
                  std::vector<std::string>& levels) {
  Dictionary all;
  for (const Dictionary* chunk : chunk_levels) {
    for (const std::string_view text : chunk->texts()) all.intern(text);
  }
  std::vector<std::uint32_t> order;
  for (std::uint32_t id = 0; id < all.texts().size(); ++id) {
    if (!is_missing(all.texts()[id])) order.push_back(id);
  }
  std::ranges::sort(order, {}, [&](std::uint32_t id) { return all.texts()[id]; });
  std::vector<double> code(all.texts().size(), missing);
  levels.reserve(order.size());
  for (const std::uint32_t id : order) {
    code[id] = static_cast<double>(levels.size());
    levels.emplace_back(all.texts()[id]);
  }
  std::vector<double> chunk_code;
  for (std::size_t k = 0; k < chunk_levels.size(); ++k) {
    chunk_code.clear();
    for (const std::string_view text : chunk_levels[k]->texts()) chunk_code.push_back(code[all.intern(text)]);
    for (std::size_t row = chunk_first_row[k]; row < chunk_first_row[k + 1]; ++row) {
      values[row] = chunk_code[static_cast<std::size_t>(values[row])];
    }
  }
}

}  // namespace

CsvFile::CsvFile(InputFile file, std::size_t chunk_bytes)
    : file_(std::move(file)),
      tokenizer_(file_.text(), delimiter_of(file_, header_begin(file_.text()))),
      chunk_bytes_(chunk_bytes) {
  read_header();
  // Each chunk keeps a few bytes for every column, which must stay small beside the text itself.
  if (chunk_bytes_ == 0) chunk_bytes_ = std::max(smallest_chunk, 256 * names_.size());
}

void CsvFile::read_header() {
  const std::string_view text = tokenizer_.text();
  std::size_t position = header_begin(text);
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw InvalidInput(path() + ": is UTF-16; save it as UTF-8");
  }
  if (position == text.size())
    throw InvalidInput(path() + ": the file is empty; it needs a header line and rows");
  const std::size_t begin = position;
  CsvCell cell;
  std::string buffer;
  for (;;) {
    CsvFault fault = CsvFault::none;
    position = tokenizer_.read_cell(position, cell, fault);
    if (fault == CsvFault::unterminated) {
      throw InvalidInput(path() + ": header: a quoted name is never closed; add the missing quote");
    }
    if (fault == CsvFault::text_after_quote) {
      throw InvalidInput(path() + ": header: text after the closing quote of " + quoted(cell.text) +
                         "; double the quotes inside a quoted name");
    }
    names_.emplace_back(cell_value(cell, buffer));
    if (position == text.size() || tokenizer_.at_line_end(position)) break;
    ++position;
  }
  data_begin_ = position == text.size() ? position : tokenizer_.skip_line_end(position);
  if (const auto fault = find_encoding_fault(text, begin, data_begin_)) throw_encoding_fault(*fault);

  std::unordered_set<std::string_view, TextHash> seen;
  for (std::size_t j = 0; j < names_.size(); ++j) {
    if (names_[j].empty()) {
      names_[j] = "column_" + std::to_string(j + 1);
      unnamed_columns_.push_back(j);
    }
  }
  for (const std::string& name : names_) {
    if (!seen.insert(name).second) {
      throw InvalidInput(path() + ": header: two columns are named " + quoted(name) + "; rename one of them");
    }
  }
}

std::size_t CsvFile::estimated_rows() const {
  const std::string_view records = tokenizer_.text().substr(data_begin_);
  const std::string_view first = records.substr(0, sampled_bytes);
  const auto lines = static_cast<std::size_t>(std::ranges::count(first, '\n'));
  if (first.size() == records.size()) return lines + 1;
  return static_cast<std::size_t>(static_cast<double>(records.size()) * static_cast<double>(lines) /
                                  static_cast<double>(first.size()));
}

bool CsvFile::has_rows() const {
  return tokenizer_.text().find_first_not_of("\r\n", data_begin_) != std::string_view::npos;
}

std::vector<CellClasses> CsvFile::sample_classes() const {
  const std::string_view text = tokenizer_.text();
  std::vector<CellClasses> classes(names_.size(), 0);
  CsvCell cell;
  CsvFault ignored = CsvFault::none;
  std::string buffer;
  std::size_t column = 0;
  std::size_t position = data_begin_;
  while (position < text.size()) {
    if (column == 0 && tokenizer_.at_line_end(position)) {
      position = tokenizer_.skip_line_end(position);
      continue;
    }
    position = tokenizer_.read_cell(position, cell, ignored);
    if (column < names_.size()) classes[column] |= bits(classify(cell_value(cell, buffer)));
    ++column;
    if (position == text.size()) break;
    if (tokenizer_.at_line_end(position)) {
      if (position - data_begin_ > sampled_bytes) break;
      column = 0;
      position = tokenizer_.skip_line_end(position);
    } else {
      ++position;
    }
  }
  return classes;
}

CsvColumns CsvFile::read(std::span<const ReadAs> columns, const std::function<void()>& beside) {
  JSDIV_ASSERT(columns.size() == names_.size());
  if (data_begin_ >= tokenizer_.text().size()) {
    throw InvalidInput(path() + ": no data rows after the header; the table needs rows");
  }
  std::vector<CsvChunk> chunks;
  if (has_stray_quotes_) {
    chunks = exact_chunks(tokenizer_, data_begin_, chunk_bytes_);
  } else {
    CsvPlan plan = parity_chunks(tokenizer_, data_begin_, chunk_bytes_);
    if (plan.encoding_fault) throw_encoding_fault(*plan.encoding_fault);
    chunks = std::move(plan.chunks);
  }
  const std::string_view text = tokenizer_.text();
  file().release(text);
  std::vector<std::size_t> first_row(chunks.size() + 1, 0);
  for (std::size_t k = 0; k < chunks.size(); ++k) first_row[k + 1] = first_row[k] + chunks[k].record_limit;

  CsvColumns read;
  read.values.resize(columns.size());
  read.levels.resize(columns.size());
  read.classes.assign(columns.size(), 0);
  parallel_for(columns.size(), [&](std::size_t j) {
    if (columns[j] != ReadAs::skip) read.values[j].resize(first_row.back());
  });
  std::vector<ChunkResult> results(chunks.size());
  const std::size_t extra_jobs = beside ? 1 : 0;
  parallel_for(chunks.size() + extra_jobs, [&](std::size_t job) {
    if (job < extra_jobs) return beside();
    const std::size_t k = job - extra_jobs;
    std::vector<double*> out(columns.size(), nullptr);
    for (std::size_t j = 0; j < columns.size(); ++j) {
      if (columns[j] != ReadAs::skip) out[j] = read.values[j].data() + first_row[k];
    }
    results[k] = read_chunk(tokenizer_, chunks[k], columns, out, has_stray_quotes_);
    const std::size_t begin = std::min(chunks[k].first_record, chunks[k].end);
    file().release(text.substr(begin, chunks[k].end - begin));
  });

  for (const ChunkResult& result : results) {
    if (result.fault == CsvFault::none) continue;
    if (result.fault != CsvFault::stray_quote) throw_fault(result.fault, result.fault_record);
    has_stray_quotes_ = true;
    return this->read(columns);
  }

  std::vector<std::size_t> kept_first_row(chunks.size() + 1, 0);
  for (std::size_t k = 0; k < chunks.size(); ++k) {
    kept_first_row[k + 1] = kept_first_row[k] + results[k].rows;
    read.blank_lines += results[k].blank_lines;
  }
  read.rows = kept_first_row.back();
  if (read.rows == 0) throw InvalidInput(path() + ": no data rows after the header; the table needs rows");
  parallel_for(columns.size(), [&](std::size_t j) {
    if (columns[j] == ReadAs::skip) return;
    std::vector<double>& values = read.values[j];
    std::vector<const Dictionary*> chunk_levels;
    for (std::size_t k = 0; k < chunks.size(); ++k) {
      if (first_row[k] != kept_first_row[k]) {
        std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(first_row[k]), results[k].rows,
                    values.begin() + static_cast<std::ptrdiff_t>(kept_first_row[k]));
      }
      read.classes[j] |= results[k].classes[j];
      chunk_levels.push_back(results[k].levels[j].get());
    }
    values.resize(read.rows);
    if (columns[j] == ReadAs::category) merge_levels(chunk_levels, kept_first_row, values, read.levels[j]);
  });
  return read;
}

std::optional<CsvFile::FoundCell> CsvFile::find_cell(std::size_t column, CellClasses classes) const {
  const std::string_view text = tokenizer_.text();
  CsvCell cell;
  CsvFault ignored = CsvFault::none;
  std::string buffer;
  for (std::size_t record = data_begin_; record < text.size(); record = tokenizer_.skip_record(record)) {
    std::size_t position = record;
    if (tokenizer_.at_line_end(position)) continue;
    for (std::size_t j = 0; j < column; ++j) position = tokenizer_.read_cell(position, cell, ignored) + 1;
    tokenizer_.read_cell(position, cell, ignored);
    const std::string_view content = cell_value(cell, buffer);
    if ((bits(classify(content)) & classes) != 0)
      return FoundCell{where_record(record), std::string(content)};
  }
  return std::nullopt;
}

std::string CsvFile::where_row(std::size_t row) const {
  std::size_t record = data_begin_;
  for (std::size_t index = 0; record < tokenizer_.text().size(); record = tokenizer_.skip_record(record)) {
    if (!tokenizer_.at_line_end(record) && index++ == row) break;
  }
  return where_record(record);
}

std::string CsvFile::where_record(std::size_t record) const {
  std::size_t row = 1;
  for (std::size_t start = data_begin_; start < record; start = tokenizer_.skip_record(start)) {
    row += !tokenizer_.at_line_end(start);
  }
  return "row " + std::to_string(row) + " (line " + std::to_string(line_number(tokenizer_.text(), record)) +
         ")";
}

void CsvFile::throw_encoding_fault(const EncodingFault& fault) const {
  std::string where = "header";
  if (fault.position >= data_begin_) {
    std::size_t record = data_begin_;
    for (std::size_t next = record; next <= fault.position; next = tokenizer_.skip_record(next))
      record = next;
    where = where_record(record);
  }
  throw InvalidInput(path() + ": " + where + ", byte " + std::to_string(fault.position + 1) +
                     " of the text: " +
                     (fault.nul ? "a NUL byte; this is not a text table (save it as UTF-8 CSV)"
                                : "not valid UTF-8; convert the file, for example with iconv"));
}

void CsvFile::throw_fault(CsvFault fault, std::size_t record) const {
  const std::string_view text = tokenizer_.text();
  std::size_t cells = 0;
  std::size_t faulty_cell = 0;
  CsvCell cell;
  for (std::size_t position = record; position <= text.size();) {
    CsvFault found = CsvFault::none;
    position = tokenizer_.read_cell(position, cell, found);
    ++cells;
    if (found == fault && faulty_cell == 0) faulty_cell = cells;
    if (position >= text.size() || tokenizer_.at_line_end(position)) break;
    ++position;
  }
  std::string message = path() + ": " + where_record(record);
  if (fault == CsvFault::ragged) {
    throw InvalidInput(
        message + ": " + std::to_string(cells) + (cells == 1 ? " cell" : " cells") +
        " where the header has " + std::to_string(names_.size()) +
        "; complete the row, or quote cells that contain the delimiter " +
        (tokenizer_.delimiter() == '\t' ? "tab" : std::string{'\'', tokenizer_.delimiter(), '\''}));
  }
  const std::size_t column = std::min(faulty_cell, names_.size()) - 1;
  message += ", column " + quoted(names_[column]) + ": ";
  throw InvalidInput(message +
                     (fault == CsvFault::unterminated
                          ? "a quoted cell is never closed; add the missing quote"
                          : "text after the closing quote; double the quotes inside a quoted cell"));
}

}  // namespace jsdiv
