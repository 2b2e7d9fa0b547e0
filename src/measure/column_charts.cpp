#include "measure/column_charts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "core/format.hpp"
#include "core/parallel.hpp"
#include "load/cell.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t most_bins = 20;
/// A category of fewer rows, both tables together, could name a person.
constexpr std::size_t fewest_rows_of_a_level = 5;
constexpr std::size_t longest_label = 120;
/// The range of a column comes from this many rows of each table.
constexpr std::size_t rows_for_the_range = 4096;
constexpr double tail = 0.01;
constexpr double day = 86400;

/// Which bin each row falls into, and what the bins are called.
struct Bins {
  std::vector<std::string> labels;
  std::vector<std::string> edges;
  std::vector<double> edge_values;          ///< of numbers
  std::vector<std::uint32_t> bin_of_level;  ///< of categories

  std::size_t count() const { return edges.empty() ? labels.size() : edges.size() + 1; }
  std::size_t operator()(double value) const {
    if (!bin_of_level.empty()) return bin_of_level[static_cast<std::size_t>(value)];
    return static_cast<std::size_t>(std::ranges::upper_bound(edge_values, value) - edge_values.begin());
  }
};

/// Cut between characters of UTF-8.
std::string shortened(const std::string& text) {
  if (text.size() <= longest_label) return text;
  std::size_t end = longest_label;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return text.substr(0, end) + "…";
}

Bins category_bins(const Sample& sample, const Column& column) {
  std::vector<std::size_t> rows(column.levels.size());
  const std::size_t counted = sample.rows_p() + sample.rows_q();
  for (std::size_t i = 0; i < counted; ++i) {
    if (!std::isnan(column.values[i])) ++rows[static_cast<std::size_t>(column.values[i])];
  }
  std::vector<std::uint32_t> order(rows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::greater{}, [&](std::uint32_t level) { return rows[level]; });
  std::size_t shown = 0;
  while (shown < std::min(order.size(), most_bins) && rows[order[shown]] >= fewest_rows_of_a_level) ++shown;

  Bins bins;
  bins.bin_of_level.assign(rows.size(), static_cast<std::uint32_t>(shown));
  for (std::size_t i = 0; i < shown; ++i) {
    bins.bin_of_level[order[i]] = static_cast<std::uint32_t>(i);
    bins.labels.push_back(shortened(column.levels[order[i]]));
  }
  if (const std::size_t others = order.size() - shown; others > 0) {
    bins.labels.push_back(others == 1 ? "1 other level" : format("%zu other levels", others));
  }
  return bins;
}

/// A hundredth of the rows of each table lies below, and a hundredth above.
std::optional<std::pair<double, double>> bulk_of(const Sample& sample, const Column& column) {
  std::optional<std::pair<double, double>> range;
  std::size_t begin = 0;
  for (const std::size_t rows : {sample.rows_p(), sample.rows_q()}) {
    std::vector<double> values;
    const std::size_t step = std::max<std::size_t>(1, rows / rows_for_the_range);
    for (std::size_t i = begin; i < begin + rows; i += step) {
      if (std::isfinite(column.values[i])) values.push_back(column.values[i]);
    }
    begin += rows;
    if (values.empty()) continue;
    std::ranges::sort(values);
    const auto skipped = static_cast<std::size_t>(tail * static_cast<double>(values.size()));
    const double low = values[skipped];
    const double high = values[values.size() - 1 - skipped];
    range =
        range ? std::pair(std::min(range->first, low), std::max(range->second, high)) : std::pair(low, high);
  }
  return range;
}

/// The smallest of 1, 2, 5, 10, 20, … (or of the steps of a clock) that cuts `length` into few enough bins.
double round_step(double length, ColumnType type) {
  const double needed = length / static_cast<double>(most_bins - 2);
  if (type == ColumnType::datetime && needed < day) {
    for (const double step : {1.0, 2.0, 5.0, 10.0, 15.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0,
                              3600.0, 7200.0, 10800.0, 21600.0, 43200.0, day}) {
      if (step >= needed) return step;
    }
  }
  const double unit = type == ColumnType::datetime ? day : 1;
  const double power = std::pow(10, std::floor(std::log10(needed / unit)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0}) {
    const double step = unit * factor * power;
    if (step >= needed * (1 - 1e-9)) return type == ColumnType::integer ? std::max(1.0, step) : step;
  }
  return unit * 10 * power;
}

std::string edge_text(double value, double step, ColumnType type) {
  if (type == ColumnType::datetime) return format_datetime(value);
  const double size = std::max(std::abs(value), step);
  if (size >= 1e7 || step < 1e-4) {
    const int digits = static_cast<int>(std::ceil(std::log10(size / step))) + 1;
    return format("%.*g", std::clamp(digits, 2, 15), value);
  }
  return format("%.*f", std::max(0, static_cast<int>(std::ceil(-std::log10(step) - 1e-9))), value + 0.0);
}

/// Every whole number is a bin of its own.
void name_whole_numbers(Bins& bins, const Column& column) {
  const auto whole = [](double value) { return format("%.0f", value + 0.0); };
  bins.labels.push_back("below " + whole(bins.edge_values.front()));
  for (const double value : bins.edge_values) bins.labels.push_back(whole(value));
  const double last = bins.edge_values.back();
  if (std::ranges::any_of(column.values, [&](double value) { return value > last; }))
    bins.labels.back() += " and above";
  bins.edges.clear();
}

Bins number_bins(const Sample& sample, const Column& column) {
  Bins bins;
  const auto range = bulk_of(sample, column);
  if (!range) return bins;
  const auto [low, high] = *range;
  const double length = high - low;
  if (!(length > 0) || !std::isfinite(length) || length < 1e-12 * std::max(std::abs(low), std::abs(high))) {
    // One value, that of nearly all rows.
    const std::string value =
        column.type == ColumnType::datetime ? format_datetime(low) : format("%.6g", low);
    bins.edge_values = {low, std::nextafter(high, HUGE_VAL)};
    bins.labels = {"below " + value, value, "above " + value};
    return bins;
  }
  const double step = round_step(length, column.type);
  for (double k = std::ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; ++k) {
    bins.edge_values.push_back(k * step);
    bins.edges.push_back(edge_text(k * step, step, column.type));
  }
  if (bins.edges.empty()) {  // both ends between two round numbers
    bins.edge_values.push_back(std::ceil(low / step) * step);
    bins.edges.push_back(edge_text(bins.edge_values[0], step, column.type));
  }
  if (column.type == ColumnType::integer && step == 1) name_whole_numbers(bins, column);
  return bins;
}

Bins boolean_bins() {
  Bins bins;
  bins.edge_values = {0.5};
  bins.labels = {"false", "true"};
  return bins;
}

/// Ends below and above the named numbers are shown only where there are rows.
void leave_out_empty_ends(ColumnChart& chart) {
  const auto is_empty = [&](std::size_t bin) { return chart.p[bin] == 0 && chart.q[bin] == 0; };
  if (chart.labels.size() > 1 && chart.labels.back().starts_with("above ") && is_empty(chart.p.size() - 1)) {
    chart.labels.pop_back();
    chart.p.pop_back();
    chart.q.pop_back();
  }
  if (chart.labels.size() > 1 && chart.labels.front().starts_with("below ") && is_empty(0)) {
    chart.labels.erase(chart.labels.begin());
    chart.p.erase(chart.p.begin());
    chart.q.erase(chart.q.begin());
  }
}

ColumnChart chart_of(const Sample& sample, const Column& column) {
  const Bins bins = column.type == ColumnType::category  ? category_bins(sample, column)
                    : column.type == ColumnType::boolean ? boolean_bins()
                                                         : number_bins(sample, column);
  ColumnChart chart{.name = column.name, .type = column.type, .labels = bins.labels, .edges = bins.edges};
  std::array<std::vector<double>, 2> shares{std::vector<double>(bins.count()),
                                            std::vector<double>(bins.count())};
  std::array<double, 2> missing{};
  std::size_t row = 0;
  for (std::size_t table = 0; table < 2; ++table) {
    double total = 0;
    for (const std::size_t end = row + sample.table_rows[table]; row < end; ++row) {
      const double weight = sample.weights.empty() ? 1 : sample.weights[row];
      total += weight;
      if (std::isnan(column.values[row]) || bins.count() == 0) {
        missing[table] += weight;
      } else {
        shares[table][bins(column.values[row])] += weight;
      }
    }
    if (!(total > 0)) continue;
    missing[table] /= total;
    for (double& share : shares[table]) share /= total;
  }
  chart.p = std::move(shares[0]);
  chart.q = std::move(shares[1]);
  chart.missing_p = missing[0];
  chart.missing_q = missing[1];
  if (column.type != ColumnType::category) leave_out_empty_ends(chart);
  return chart;
}

/// Twice the total variation of the bins.
double difference(const ColumnChart& chart) {
  double sum = std::abs(chart.missing_p - chart.missing_q);
  for (std::size_t i = 0; i < chart.p.size(); ++i) sum += std::abs(chart.p[i] - chart.q[i]);
  return sum;
}

}  // namespace

std::vector<ColumnChart> column_charts(const Sample& sample, std::size_t most_columns) {
  const std::size_t columns = sample.columns.size();
  std::vector<ColumnChart> charts(columns);
  parallel_for(columns, [&](std::size_t j) { charts[j] = chart_of(sample, sample.columns[j]); });
  if (columns <= most_columns) return charts;
  std::vector<std::size_t> order(columns);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater{}, [&](std::size_t j) { return difference(charts[j]); });
  order.resize(most_columns);
  std::ranges::sort(order);
  std::vector<ColumnChart> kept;
  kept.reserve(order.size());
  for (const std::size_t j : order) kept.push_back(std::move(charts[j]));
  return kept;
}

}  // namespace jsdiv
