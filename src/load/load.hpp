#pragma once

#include <span>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The stage that turns files into one Sample:
///
///     paths --read_tables--> aligned Tables --pool_tables--> Sample
///     Tables made in memory --align_tables--> aligned Tables
///
/// Aligned tables have the same features in the same order, with the same types and, for categories, the same
/// levels. The group and the weight column, where asked for, follow the features.
///
/// The first two tables are P and Q. Columns are matched by name; what only one of them has is left out with
/// the warning `unmatched_columns`. Further tables must have every feature of P and Q; they may lack the
/// group and the weight. Features keep the order they have in the files, or the order of their names if P and
/// Q disagree, so that exchanging P and Q changes nothing else.
///
/// Types, from the cells of all tables: only true/false, yes/no or t/f: boolean. Only numbers: integer if all
/// are whole and at most 2^53 in size, else number. Only ISO 8601 dates or date-times: datetime. Anything
/// else: category. A column that is all numbers (or all dates) in one table and not in another is an error.
/// Columns without any value in P and Q are left out with the warning `all_missing`.

/// Among the warnings of these functions: whether it only records how a table was read, and is no reason to
/// doubt the result.
bool is_note(const Warning& warning);

/// Reads tables from CSV, TSV (either also .gz or .zst), Parquet or Arrow files and aligns them. Each path is
/// one that table_paths knows.
std::vector<Table> read_tables(std::span<const std::string> paths, const LoadOptions& options,
                               std::vector<Warning>& warnings);

/// Aligns tables made in memory. Sets their `sha256` to the content's hash where it is empty.
void align_tables(std::vector<Table>& tables, const LoadOptions& options, std::vector<Warning>& warnings);

/// Joins aligned tables, column by column, so that no more than one column exists twice at a time. Rows of a
/// further table without the group or the weight column form one group named "" and count 1. The weights of
/// each table are scaled to a mean of 1.
Sample pool_tables(std::vector<Table>&& tables, const LoadOptions& options, std::vector<Warning>& warnings);

}  // namespace jsdiv
