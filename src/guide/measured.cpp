#include "guide/measured.hpp"

#include <algorithm>
#include <sstream>

#include "core/assert.hpp"
#include "core/embedded_files.hpp"

namespace jsdiv {
namespace {

std::string_view guide_table() {
  const auto files = embedded_files();
  const auto found = std::ranges::find(files, "experiments/guide.csv", &EmbeddedFile::name);
  JSDIV_ASSERT(found != files.end());
  return found->content;
}

}  // namespace

std::optional<MeasuredError> measured_error(std::string_view regime, std::string_view estimator) {
  std::istringstream lines{std::string(guide_table())};
  const std::string key = std::string(regime) + "," + std::string(estimator) + ",";
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(key)) continue;
    std::istringstream numbers(line.substr(key.size()));
    MeasuredError measured;
    char comma = 0;
    numbers >> measured.error_x100 >> comma >> measured.oracle_x100 >> comma >> measured.seconds;
    JSDIV_ASSERT(!numbers.fail() && comma == ',');
    return measured;
  }
  return std::nullopt;
}

}  // namespace jsdiv
