#pragma once

#include <span>
#include <string>
#include <vector>

#include "jsdiv/table.hpp"
#include "load/input.hpp"

namespace jsdiv {

/// Whether this build has Arrow. Without it the functions below throw InvalidInput.
bool has_parquet();

/// The names of a Parquet file's columns, in order.
std::vector<std::string> parquet_names(const InputFile& file);

/// Reads the columns of these indices. Numbers, decimals, booleans, dates, timestamps and text become columns
/// of our types, dictionaries are read as their values. A cell is missing if it is null or NaN: the words
/// that stand for missing cells in CSV are text here. Throws InvalidInput for a broken file and for columns
/// of other types.
Table read_parquet(const InputFile& file, std::span<const std::size_t> columns);

}  // namespace jsdiv
