#include "guide/measured.hpp"

#include <sstream>

#include "core/assert.hpp"
#include "core/embedded_files.hpp"

namespace jsdiv {

std::optional<MeasuredError> measured_error(std::string_view regime, std::string_view estimator) {
  std::istringstream lines{std::string(embedded_file("experiments/guide.csv"))};
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
