#pragma once

#include <span>
#include <string>
#include <vector>

namespace jsdiv {

/// What one part of a table holds of a column; `levels`, sorted, only of categories.
struct PartColumn {
  std::vector<double> values;
  std::vector<std::string> levels;
};

/// The rows of all parts, one after the other, with the union of their levels.
PartColumn join_parts(std::vector<PartColumn> parts);

/// Throws InvalidInput unless the part has the columns of the first one, in the same order.
void check_part_names(const std::string& first_path, std::span<const std::string> first_names,
                      const std::string& path, std::span<const std::string> names);

/// SHA-256 of the digests of the parts.
std::string joined_sha256(std::span<const std::string> digests);

}  // namespace jsdiv
