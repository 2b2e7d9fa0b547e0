#pragma once

#include <string>
#include <vector>

namespace jsdiv {

/// Stands for standard input where a path is expected.
inline constexpr const char* standard_input = "-";

/// The files that make up the table that a user names: a file; a folder of part files, in the order of their
/// names, without those that begin with a dot or an underscore, as the engines that write such folders have
/// it; a pattern such as p/part-*.csv; or several of these, separated by commas. What exists under the name
/// itself is taken as it is. Throws InvalidInput where there is no file.
std::vector<std::string> table_paths(const std::string& name);

}  // namespace jsdiv
