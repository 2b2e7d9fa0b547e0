#include "load/part_columns.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/message.hpp"
#include "core/sha256.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {

PartColumn join_parts(std::vector<PartColumn> parts) {
  PartColumn joined;
  std::size_t rows = 0;
  for (const PartColumn& part : parts) {
    rows += part.values.size();
    joined.levels.insert(joined.levels.end(), part.levels.begin(), part.levels.end());
  }
  std::ranges::sort(joined.levels);
  joined.levels.erase(std::unique(joined.levels.begin(), joined.levels.end()), joined.levels.end());
  joined.values.reserve(rows);
  for (PartColumn& part : parts) {
    const PartColumn taken = std::exchange(part, {});
    std::vector<double> code_of;
    for (const std::string& level : taken.levels) {
      code_of.push_back(
          static_cast<double>(std::ranges::lower_bound(joined.levels, level) - joined.levels.begin()));
    }
    for (const double value : taken.values) {
      const bool is_code = !code_of.empty() && !std::isnan(value);
      joined.values.push_back(is_code ? code_of[static_cast<std::size_t>(value)] : value);
    }
  }
  return joined;
}

void check_part_names(const std::string& first_path, std::span<const std::string> first_names,
                      const std::string& path, std::span<const std::string> names) {
  const auto [first, other] = std::ranges::mismatch(first_names, names);
  if (first == first_names.end() && other == names.end()) return;
  const auto shown = [](const auto& at, const auto& all) {
    return at == all.end() ? std::string("none") : quoted(*at);
  };
  throw InvalidInput(path + ": belongs to the same table as " + first_path +
                     ", but has different columns: column " + std::to_string(other - names.begin() + 1) +
                     " is " + shown(other, names) + " here and " + shown(first, first_names) + " there" +
                     "; write all parts with the same columns");
}

std::string joined_sha256(std::span<const std::string> digests) {
  Sha256 hash;
  for (const std::string& digest : digests) hash.update(digest.data(), digest.size());
  return hash.finish();
}

}  // namespace jsdiv
