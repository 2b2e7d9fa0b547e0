#include "support/number_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "support/chance.hpp"

namespace jsdiv {

NumberFormat number_format(double value) {
  if (value == 0) return {};
  std::array<char, 32> text{};
  const auto end =
      std::to_chars(text.data(), text.data() + text.size(), std::abs(value), std::chars_format::scientific)
          .ptr;
  const std::string_view written(text.data(), static_cast<std::size_t>(end - text.data()));
  const std::size_t e = written.find('e');
  const auto digits = static_cast<int>(e == 1 ? 1 : e - 1);  // without the point
  int exponent = 0;
  for (const char digit : written.substr(e + 2)) exponent = 10 * exponent + (digit - '0');
  if (written[e + 1] == '-') exponent = -exponent;
  return {static_cast<std::int16_t>(digits), static_cast<std::int16_t>(digits - 1 - exponent)};
}

bool FormatLimit::is_beyond(double value) const {
  if (!std::isfinite(value)) return false;
  if (single) return rounded_to_single(value) != value;
  return is_beyond(number_format(value));
}

bool FormatLimit::is_beyond(const ValueCounts& counts, std::size_t i) const {
  const double value = counts.values[i].value;
  if (single || counts.formats.empty() || !std::isfinite(value)) return is_beyond(value);
  return is_beyond(counts.formats[i]);
}

bool FormatLimit::is_beyond(const NumberFormat& format) const {
  return format.digits > most.digits && format.decimals > most.decimals;
}

namespace {

constexpr int most_digits_of_rounded = 12;  // doubles as computed have 15 to 17

/// [values] how each is written.
std::vector<NumberFormat> formats_of(const ValueCounts& counts) {
  if (!counts.formats.empty()) return counts.formats;
  std::vector<NumberFormat> formats(counts.values.size());
  std::ranges::transform(counts.values, formats.begin(), [](const ValueCount& value) {
    return std::isfinite(value.value) ? number_format(value.value) : NumberFormat{};
  });
  return formats;
}

/// The limit that nearly all of the table's values keep.
std::optional<FormatLimit> limit_of_table(const ValueCounts& counts, std::span<const NumberFormat> formats,
                                          Side side, double log_significance) {
  constexpr double nearly_all = 0.999;
  std::array<double, 18> with_digits{};
  std::array<double, 350> with_decimals{};
  double singles = 0;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    const ValueCount& value = counts.values[i];
    if (value.rows[side] == 0 || !std::isfinite(value.value)) continue;
    singles += rounded_to_single(value.value) == value.value ? value.rows[side] : 0;
    with_digits[static_cast<std::size_t>(formats[i].digits)] += value.rows[side];
    const int decimals = std::clamp<int>(formats[i].decimals, 0, static_cast<int>(with_decimals.size()) - 1);
    with_decimals[static_cast<std::size_t>(decimals)] += value.rows[side];
  }
  const double enough = nearly_all * static_cast<double>(counts.present[side]);
  const auto limit_of = [&](std::span<const double> rows) {
    int limit = 0;
    for (double within = rows[0]; within < enough && limit + 1 < static_cast<int>(rows.size());) {
      within += rows[static_cast<std::size_t>(++limit)];
    }
    return limit;
  };
  FormatLimit limit{.most = {limit_of(with_digits), limit_of(with_decimals)}, .table = side};
  limit.single = limit.most.digits > most_digits_of_rounded && singles >= enough;
  if (limit.most.digits == 0) return std::nullopt;
  if (limit.most.digits > most_digits_of_rounded && !limit.single) return std::nullopt;
  std::array<double, 2> beyond{};
  for (std::size_t i = 0; i < counts.values.size(); ++i) {
    if (!limit.is_beyond(counts, i)) continue;
    for (const Side table : {side_p, side_q}) beyond[table] += counts.values[i].rows[table];
  }
  const double all = beyond[side_p] + beyond[side_q];
  const bool by_chance =
      log_upper_tail(all, beyond[other(side)], counts.prior(other(side))) >= log_significance;
  return by_chance ? std::nullopt : std::optional(limit);
}

/// The limit that parts the tables best where neither keeps one. The values are the units of the test, and
/// not the rows: that one value is more frequent in a table is no matter of its format.
std::optional<FormatLimit> limit_of_a_part(const ValueCounts& counts, std::span<const NumberFormat> formats,
                                           double log_significance) {
  constexpr int least_decimals = -6;
  constexpr int most_decimals = 9;
  std::vector<FormatLimit> candidates;
  for (int decimals = least_decimals; decimals <= most_decimals; ++decimals)
    candidates.push_back({.most = {0, decimals}, .kept_by_all = false});
  candidates.push_back(
      {.most = {most_digits_of_rounded, std::numeric_limits<int>::min()}, .kept_by_all = false});
  candidates.push_back({.single = true, .kept_by_all = false});

  const std::vector<LocalPrior> priors = local_priors(counts, true);
  std::optional<FormatLimit> best;
  double least = log_significance - std::log(2.0 * static_cast<double>(candidates.size()));
  for (FormatLimit& candidate : candidates) {
    double rows = 0, in_p = 0;
    double squares = 0;  // of what P holds of each value beyond its share of the rows nearby
    double sum = 0;
    for (std::size_t i = 0; i < formats.size(); ++i) {
      const ValueCount& value = counts.values[i];
      if (!std::isfinite(value.value)) continue;
      // Numbers of few digits are floats of 32 bits by chance.
      if (candidate.single && formats[i].digits <= most_digits_of_rounded) continue;
      if (candidate.single ? candidate.is_beyond(value.value) : candidate.is_beyond(formats[i])) continue;
      const double more = value.rows[side_p] - priors[i].of_p * value.total();
      rows += value.total();
      in_p += value.rows[side_p];
      sum += more;
      squares += more * more;
    }
    if (rows == 0) continue;
    candidate.table = sum > 0 ? side_p : side_q;
    const double expected_in_p = (in_p - sum) / rows;
    const double of_rows = candidate.table == side_p ? log_upper_tail(rows, in_p, expected_in_p)
                                                     : log_upper_tail(rows, rows - in_p, 1 - expected_in_p);
    // Of a sum of terms that are as often negative: P(sum >= z root of squares) <= exp(-z^2 / 2).
    const double of_values = -0.5 * sum * sum / squares;
    const double log_tail = std::max(of_rows, of_values);
    if (log_tail >= least) continue;
    least = log_tail;
    best = candidate;
  }
  return best;
}

}  // namespace

std::vector<FormatLimit> find_format_limits(const ValueCounts& counts, double log_significance) {
  const std::vector<NumberFormat> formats = formats_of(counts);
  std::vector<FormatLimit> limits;
  for (const Side side : {side_p, side_q}) {
    if (const auto limit = limit_of_table(counts, formats, side, log_significance)) limits.push_back(*limit);
  }
  if (!limits.empty()) return limits;
  if (const auto limit = limit_of_a_part(counts, formats, log_significance)) limits.push_back(*limit);
  return limits;
}

double rounded_to_single(double value) {
  constexpr double largest = std::numeric_limits<float>::max();
  return std::abs(value) <= largest ? static_cast<double>(static_cast<float>(value)) : value;
}

double rounded_to_digits(double value, int digits) {
  if (!std::isfinite(value)) return value;
  std::array<char, 48> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size() - 1, value,
                                 std::chars_format::scientific, digits - 1)
                       .ptr;
  double result = 0;
  std::from_chars(text.data(), end, result);
  return result;
}

}  // namespace jsdiv
