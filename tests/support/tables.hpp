#pragma once

#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"
#include "support/support.hpp"

namespace jsdiv {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

inline Column joined(std::string name, std::vector<double> p, const std::vector<double>& q,
                     ColumnType type = ColumnType::number, std::vector<std::string> levels = {}) {
  p.insert(p.end(), q.begin(), q.end());
  return {std::move(name), type, std::move(p), std::move(levels)};
}

inline Sample sample_of(std::size_t rows_p, std::size_t rows_q, std::vector<Column> columns) {
  Sample sample;
  sample.table_rows = {rows_p, rows_q};
  sample.columns = std::move(columns);
  return sample;
}

/// A sample of one column x.
inline Sample pair_of(const std::vector<double>& p, const std::vector<double>& q) {
  return sample_of(p.size(), q.size(), {joined("x", p, q)});
}

template <typename Draw>
std::vector<double> drawn(std::size_t n, std::uint64_t seed, Draw draw) {
  RandomStream random(seed);
  std::vector<double> values(n);
  for (double& value : values) value = draw(random);
  return values;
}

inline std::vector<double> normal_values(std::size_t n, std::uint64_t seed) {
  return drawn(n, seed, [](RandomStream& random) { return random.normal(); });
}

inline double rounded(double x, double step) {
  return std::round(x / step) * step;
}

inline std::vector<double> standardised(std::vector<double> values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  for (double& value : values) value = (value - mean) / std::sqrt(squares / n);
  return values;
}

inline std::vector<double> as_float32(std::vector<double> values) {
  for (double& value : values) value = static_cast<float>(value);
  return values;
}

inline std::string listed(const std::vector<SupportFinding>& findings) {
  std::string text;
  for (const SupportFinding& finding : findings) text += finding.kind + ": " + finding.message + "\n";
  return text;
}

inline const SupportFinding* found(const std::vector<SupportFinding>& findings, const std::string& kind,
                                   const std::string& column = "x") {
  for (const SupportFinding& finding : findings) {
    if (finding.kind == kind && finding.column == column) return &finding;
  }
  return nullptr;
}

}  // namespace jsdiv
