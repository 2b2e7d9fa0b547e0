#include "bench/published.hpp"

#include <algorithm>
#include <sstream>

#include "core/assert.hpp"
#include "core/embedded_files.hpp"

namespace jsdiv::bench {
namespace {

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',') {
      cells.emplace_back();
    } else {
      cells.back() += c;
    }
  }
  return cells;
}

Maybe number(const std::string& cell) {
  return cell.empty() ? Maybe() : std::stod(cell);
}

std::vector<Published> parse() {
  const auto files = embedded_files();
  const auto found = std::ranges::find(files, "experiments/published/results.csv", &EmbeddedFile::name);
  JSDIV_ASSERT(found != files.end());
  std::istringstream lines{std::string(found->content)};
  std::string line;
  std::getline(lines, line);
  std::vector<Published> rows;
  while (std::getline(lines, line)) {
    const auto cells = cells_of(line);
    JSDIV_ASSERT(cells.size() == 11);
    rows.push_back({cells[0], cells[1], cells[2], cells[3], number(cells[4]), number(cells[5]),
                    number(cells[6]), number(cells[7]), number(cells[8]), number(cells[9]),
                    number(cells[10])});
  }
  return rows;
}

/// A time of "gap=0.3" stands for "gap=0.3 ratio=0.1 …".
bool stands_for(const Published& row, std::string_view setting) {
  return row.setting == "all" || row.setting == setting || setting.starts_with(row.setting + " ");
}

}  // namespace

const std::vector<Published>& published_results() {
  static const std::vector<Published> rows = parse();
  return rows;
}

const Published* find_published(std::string_view source, std::string_view experiment,
                                std::string_view setting, std::string_view family) {
  for (const Published& row : published_results()) {
    if (row.source == source && row.experiment == experiment && row.setting == setting &&
        row.family == family && (row.error || row.estimate)) {
      return &row;
    }
  }
  return nullptr;
}

Maybe published_seconds(std::string_view experiment, std::string_view setting, std::string_view family) {
  for (const char* source : {"files", "paper"}) {
    for (const Published& row : published_results()) {
      if (row.source == source && row.experiment == experiment && row.family == family && row.seconds &&
          stands_for(row, setting)) {
        return row.seconds;
      }
    }
  }
  return std::nullopt;
}

std::optional<int> published_iterations(std::string_view family) {
  if (family == "logreg" || family == "xgboost") return 50;
  if (family == "rf") return 30;
  if (family == "lr-pol") return 10;
  return std::nullopt;
}

}  // namespace jsdiv::bench
