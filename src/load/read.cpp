#include <algorithm>
#include <array>
#include <memory>
#include <unordered_set>
#include <utility>

#include "core/assert.hpp"
#include "core/byte_count.hpp"
#include "core/message.hpp"
#include "core/parallel.hpp"
#include "core/table_bytes.hpp"
#include "jsdiv/error.hpp"
#include "load/arrow_parts.hpp"
#include "load/csv_table.hpp"
#include "load/load.hpp"
#include "load/read.hpp"
#include "load/reconcile.hpp"
#include "load/schema.hpp"
#include "load/table_classes.hpp"
#include "load/table_paths.hpp"

namespace jsdiv {
namespace {

/// One input: a table in CSV, or in Arrow or Parquet, which is typed already.
struct Source {
  std::unique_ptr<CsvTable> csv;
  std::unique_ptr<ArrowParts> arrow;
  Table table;  ///< of an Arrow or Parquet file
  TableHeader header;
  std::string name;  ///< as the user gave it

  const std::vector<std::string>& empty_parts() const {
    return csv ? csv->empty_parts() : arrow->empty_parts();
  }
};

ReadAs read_as(CellClasses classes) {
  if ((classes & ~numeric_classes) == 0) return ReadAs::number;
  if (classes == bits(CellClass::boolean)) return ReadAs::boolean;
  if (only(classes, datetime_classes)) return ReadAs::datetime;
  return ReadAs::category;
}

ReadAs read_as(const TypeDecision& decision) {
  switch (decision.type) {
    case ColumnType::boolean:
      return ReadAs::boolean;
    case ColumnType::datetime:
      return ReadAs::datetime;
    case ColumnType::category:
      return decision.levels_are_numbers ? ReadAs::number : ReadAs::category;
    default:
      return ReadAs::number;
  }
}

ColumnType column_type(ReadAs kind) {
  switch (kind) {
    case ReadAs::boolean:
      return ColumnType::boolean;
    case ReadAs::datetime:
      return ColumnType::datetime;
    case ReadAs::category:
      return ColumnType::category;
    default:
      return ColumnType::number;
  }
}

/// A file in the course of reading: first as its first rows suggest, then again for the columns where the
/// rest of it, or the other tables, say otherwise.
struct CsvProgress {
  std::vector<ReadAs> kinds;  ///< of each column of the file
  CsvColumns columns;
};

/// Takes over the columns that were read once more, in another way.
void replace_columns(CsvProgress& progress, std::span<const ReadAs> changed, CsvColumns again) {
  for (std::size_t source = 0; source < changed.size(); ++source) {
    if (changed[source] == ReadAs::skip) continue;
    progress.kinds[source] = changed[source];
    progress.columns.values[source] = std::move(again.values[source]);
    progress.columns.levels[source] = std::move(again.levels[source]);
  }
}

constexpr CellClasses readable = numeric_classes | datetime_classes | written_classes;

/// Reads columns that began with plain numbers or dates and went on with others, $5 or 31.12.2024, again as
/// text.
void keep_text_of_written_numbers(CsvTable& csv, std::span<const PlannedColumn> plan, std::size_t table,
                                  CsvProgress& progress) {
  std::vector<ReadAs> changed(progress.kinds.size(), ReadAs::skip);
  bool any = false;
  for (const PlannedColumn& column : plan) {
    const std::size_t source = column.sources[table];
    if (source == no_column || column.categorical) continue;
    const bool plain = progress.kinds[source] == ReadAs::number || progress.kinds[source] == ReadAs::datetime;
    const CellClasses classes = progress.columns.classes[source];
    if (!plain || (classes & written_classes) == 0 || (classes & ~readable) != 0) continue;
    changed[source] = ReadAs::category;
    any = true;
  }
  if (any) replace_columns(progress, changed, csv.read(changed));
}

CsvProgress first_read(CsvTable& csv, std::span<const PlannedColumn> plan, std::size_t table,
                       std::string& sha256) {
  const std::vector<CellClasses>& sampled = csv.sample_classes();
  CsvProgress progress;
  progress.kinds.assign(csv.names().size(), ReadAs::skip);
  for (const PlannedColumn& column : plan) {
    if (column.sources[table] == no_column) continue;
    const std::size_t source = column.sources[table];
    progress.kinds[source] = column.numeric ? ReadAs::number : read_as(sampled[source]);
  }
  progress.columns = csv.read(progress.kinds, &sha256);
  keep_text_of_written_numbers(csv, plan, table, progress);
  for (std::size_t j = 0; j < sampled.size(); ++j) {
    if (progress.kinds[j] != ReadAs::category) continue;
    CellClasses& classes = progress.columns.classes[j];
    classes = sampled[j];
    // Whether all cells of a column are numbers or dates, its first rows cannot say.
    if ((sampled[j] & ~readable) != 0) continue;
    for (const std::string& level : progress.columns.levels[j]) classes |= bits(classify(level));
  }
  return progress;
}

void read_again(CsvTable& csv, std::span<const PlannedColumn> plan, std::span<const TypeDecision> decisions,
                std::size_t table, CsvProgress& progress) {
  std::vector<ReadAs> changed(progress.kinds.size(), ReadAs::skip);
  bool any = false;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    const std::size_t source = plan[j].sources[table];
    if (source == no_column) continue;
    const ReadAs needed = read_as(decisions[j]);
    if (needed == progress.kinds[source]) continue;
    progress.kinds[source] = needed;
    // A column without any value is the same however it is read.
    if (progress.columns.classes[source] == 0) continue;
    changed[source] = needed;
    any = true;
  }
  if (any) replace_columns(progress, changed, csv.read(changed));
}

ColumnPart csv_part(const CsvTable& csv, std::size_t source, CsvProgress& progress) {
  ColumnPart part;
  if (source == no_column) return part;
  part.values = &progress.columns.values[source];
  if (progress.kinds[source] == ReadAs::category) part.levels = &progress.columns.levels[source];
  // Where a semicolon separates the cells, the comma is taken: it separates the decimals.
  if (csv.delimiter() == ';') part.decimal_if_open = NumberMark::comma;
  return part;
}

void warn_about_form(const CsvTable& csv, std::span<const PlannedColumn> plan, std::size_t table,
                     std::size_t blank_lines, std::vector<Warning>& warnings) {
  const std::unordered_set<std::size_t> unnamed(csv.unnamed_columns().begin(), csv.unnamed_columns().end());
  std::vector<std::string> names_given;
  for (const PlannedColumn& planned : plan) {
    if (unnamed.contains(planned.sources[table])) names_given.push_back(planned.name);
  }
  if (!names_given.empty()) {
    warnings.push_back(
        {"unnamed_columns", csv.path() + ": columns without a name are called " + quoted_list(names_given) +
                                "; if one of them numbers the rows, leave it out (option ignore)"});
  }
  if (blank_lines > 0) {
    warnings.push_back({"blank_lines", csv.path() + ": " + std::to_string(blank_lines) +
                                           " blank lines are not counted as rows"});
  }
}

Table take_table(const Source& source, std::span<const PlannedColumn> plan, std::size_t table,
                 CsvProgress& progress) {
  Table result;
  result.rows = progress.columns.rows;
  result.source = source.name;
  for (const PlannedColumn& column : plan) {
    const std::size_t place = column.sources[table];
    if (place == no_column) continue;
    result.columns.push_back({column.name, column_type(progress.kinds[place]),
                              std::move(progress.columns.values[place]),
                              std::move(progress.columns.levels[place])});
  }
  return result;
}

Source of_csv(std::unique_ptr<CsvTable> table) {
  Source source;
  source.name = table->path();
  source.header = {table->path(), table->names()};
  source.csv = std::move(table);
  return source;
}

Source of_arrow(std::unique_ptr<ArrowParts> table) {
  Source source;
  source.name = table->path();
  source.header = {table->path(), table->names()};
  source.arrow = std::move(table);
  return source;
}

Source open_source(InputFile file, std::size_t chunk_bytes) {
  if (is_arrow(file)) return of_arrow(std::make_unique<ArrowParts>(std::move(file)));
  return of_csv(std::make_unique<CsvTable>(std::move(file), chunk_bytes));
}

/// By the path that the user gave.
Source open_source(const std::string& name, UnpackLimit limit) {
  std::vector<std::string> paths = table_paths(name);
  if (paths.size() == 1) {
    Source source = open_source(InputFile::open(paths[0], limit), 0);
    source.name = name;
    return source;
  }
  if (std::ranges::count(paths, standard_input) > 0)
    throw InvalidInput(name + ": standard input cannot be part of a table; save it to a file");
  if (is_arrow(InputFile::open(paths[0], limit)))
    return of_arrow(std::make_unique<ArrowParts>(name, std::move(paths), limit));
  return of_csv(std::make_unique<CsvTable>(name, std::move(paths), limit));
}

void check_unchanged(std::span<const Source> sources) {
  for (const Source& source : sources) {
    if (source.csv) source.csv->check_unchanged();
    if (source.arrow) source.arrow->check_unchanged();
  }
}

void warn_of_empty_parts(const Source& source, std::vector<Warning>& warnings) {
  const std::vector<std::string>& empty = source.empty_parts();
  if (empty.empty()) return;
  warnings.push_back(
      {"empty_parts", source.header.label + ": parts without data rows: " + quoted_list(empty)});
}

/// Refuses tables that cannot be held, before they are read. Of Arrow and Parquet the rows are not known yet.
void check_memory(std::span<const Source> sources, std::span<const PlannedColumn> plan,
                  const LoadOptions& options) {
  if (options.memory.empty()) return;
  double cells = 0;
  double rows = 0;
  std::size_t at_once = 0;
  for (std::size_t t = 0; t < sources.size(); ++t) {
    if (!sources[t].csv) continue;
    const auto columns = std::ranges::count_if(
        plan, [&](const PlannedColumn& column) { return column.sources[t] != no_column; });
    rows += static_cast<double>(sources[t].csv->estimated_rows());
    cells += static_cast<double>(sources[t].csv->estimated_rows()) * static_cast<double>(columns);
    at_once = std::min(static_cast<std::size_t>(columns), threads_at_work());
  }
  const double needed = bytes_to_hold(rows, cells, at_once);
  const auto allowed = static_cast<double>(parse_bytes(options.memory));
  if (needed <= allowed) return;
  throw InvalidInput("holding the tables (about " + std::to_string(static_cast<std::size_t>(rows)) +
                         " rows) takes " + format_bytes(needed) + " of memory; allow it with " +
                         mention("memory", bytes_to_allow(1.5 * needed)) + ", or use fewer columns (" +
                         mention("columns") + ")",
                     {.option = "memory"});
}

/// Codes that lost their leading zeros on the way through a spreadsheet are equal all the same. Seen as
/// far as the first rows show it.
void warn_of_leading_zeros(std::span<const Source> sources, std::span<const PlannedColumn> plan,
                           std::span<const TypeDecision> decisions, std::vector<Warning>& warnings) {
  if (sources.size() < 2 || !sources[0].csv || !sources[1].csv) return;
  std::string found;
  for (std::size_t j = 0; j < plan.size(); ++j) {
    if (plan[j].role != Role::feature || plan[j].numeric || decisions[j].type != ColumnType::number) continue;
    std::array<bool, 2> padded{};
    for (const std::size_t t : {0, 1}) {
      padded[t] = (sources[t].csv->sample_classes()[plan[j].sources[t]] & bits(CellClass::padded)) != 0;
    }
    if (padded[0] == padded[1]) continue;
    found += (found.empty() ? "" : ", ") + quoted(plan[j].name) + " (in " +
             sources[padded[0] ? 0 : 1].header.label + ")";
  }
  if (found.empty()) return;
  warnings.push_back({"leading_zeros", "only one table has numbers with leading zeros: " + found +
                                           "; they are compared by their values, so that 01234 equals 1234"});
}

std::vector<Table> read_sources(std::vector<Source>& sources, const LoadOptions& options,
                                std::vector<Warning>& warnings) {
  std::vector<TableHeader> headers;
  headers.reserve(sources.size());
  for (const Source& source : sources) headers.push_back(source.header);
  const std::vector<PlannedColumn> plan = plan_columns(headers, options, warnings);
  check_memory(sources, plan, options);

  std::vector<CsvProgress> progress(sources.size());
  std::vector<std::vector<CellClasses>> classes(sources.size());
  std::vector<std::string> hashes(sources.size());
  for (std::size_t t = 0; t < sources.size(); ++t) {
    if (sources[t].csv) {
      progress[t] = first_read(*sources[t].csv, plan, t, hashes[t]);
      for (const PlannedColumn& column : plan) {
        classes[t].push_back(column.sources[t] == no_column ? 0
                                                            : progress[t].columns.classes[column.sources[t]]);
      }
      warn_about_form(*sources[t].csv, plan, t, progress[t].columns.blank_lines, warnings);
    } else {
      std::vector<std::size_t> needed;
      for (const PlannedColumn& column : plan) {
        if (column.sources[t] != no_column) needed.push_back(column.sources[t]);
      }
      sources[t].table = sources[t].arrow->read(needed);
      sources[t].table.source = sources[t].name;
      classes[t] = table_classes(sources[t].table, plan, t);
    }
    warn_of_empty_parts(sources[t], warnings);
  }
  const auto part_of = [&](std::size_t t, std::size_t j) {
    return sources[t].csv ? csv_part(*sources[t].csv, plan[j].sources[t], progress[t])
                          : table_part(sources[t].table, plan, t, j);
  };
  const auto changed = [&](std::size_t t, std::size_t j) {
    if (sources[t].csv) {
      progress[t].kinds[plan[j].sources[t]] = read_as(classes[t][j]);
    } else {
      set_type(sources[t].table, plan, t, j, classes[t][j]);
    }
  };
  reconcile_columns(plan, headers, classes, part_of, changed, warnings);
  const CellFinder find_cell = [&](std::size_t table, std::size_t planned, CellClasses wanted) -> FoundCell {
    if (!sources[table].csv) return find_table_cell(sources[table].table, plan, table, planned, wanted);
    const std::size_t source = plan[planned].sources[table];
    auto found = sources[table].csv->find_cell(source, wanted);
    // A date or a clock counts as text where the column as a whole could not be read as such.
    if (!found)
      found = sources[table].csv->find_cell(source, static_cast<CellClasses>(wanted | written_classes));
    JSDIV_ASSERT(found.has_value());
    return {found->where, found->value};
  };
  std::vector<TypeDecision> decisions = decide_types(plan, headers, classes, find_cell);
  for (std::size_t j = 0; j < plan.size(); ++j) {
    for (std::size_t t = 0; t < sources.size() && decisions[j].levels_are_numbers; ++t) {
      const std::size_t source = plan[j].sources[t];
      if (!sources[t].csv || source == no_column) continue;
      if (beyond_exact(progress[t].columns.values[source])) decisions[j].levels_are_numbers = false;
    }
  }
  warn_of_leading_zeros(sources, plan, decisions, warnings);

  std::vector<Table> tables(sources.size());
  for (std::size_t t = 0; t < sources.size(); ++t) {
    if (!sources[t].csv) {
      tables[t] = std::move(sources[t].table);
      continue;
    }
    read_again(*sources[t].csv, plan, decisions, t, progress[t]);
    tables[t] = take_table(sources[t], plan, t, progress[t]);
    tables[t].sha256 = hashes[t];
  }
  const RowNamer name_row = [&](std::size_t table, std::size_t row) {
    return sources[table].csv ? sources[table].csv->where_row(row) : "row " + std::to_string(row + 1);
  };
  unify_columns(tables, plan, decisions, name_row, warnings);
  return tables;
}

/// Reads what `open` appends to the sources. What else goes wrong while a file changes is explained by that.
template <typename Open>
std::vector<Table> read_opened(const Open& open, const LoadOptions& options, std::vector<Warning>& warnings) {
  std::vector<Source> sources;
  try {
    open(sources);
    std::vector<Table> tables = read_sources(sources, options, warnings);
    check_unchanged(sources);
    return tables;
  } catch (const Interrupted&) {
    throw;
  } catch (const std::exception&) {
    check_unchanged(sources);
    throw;
  }
}

}  // namespace

std::vector<Table> read_inputs(std::vector<InputFile> files, const LoadOptions& options,
                               std::vector<Warning>& warnings, std::size_t chunk_bytes) {
  const auto open = [&](std::vector<Source>& sources) {
    for (InputFile& file : files) sources.push_back(open_source(std::move(file), chunk_bytes));
  };
  return read_opened(open, options, warnings);
}

std::vector<Table> read_tables(std::span<const std::string> paths, const LoadOptions& options,
                               std::vector<Warning>& warnings) {
  if (std::ranges::count(paths, standard_input) > 1)
    throw InvalidInput(
        "two tables are '-', but standard input can provide only one; use a file for the other");
  const UnpackLimit limit = UnpackLimit::of(options);
  const auto open = [&](std::vector<Source>& sources) {
    for (const std::string& path : paths) sources.push_back(open_source(path, limit));
  };
  return read_opened(open, options, warnings);
}

}  // namespace jsdiv
