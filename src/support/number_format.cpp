#include "support/number_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>
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
  const int exponent = std::atoi(written.data() + e + 1);
  return {digits, std::max(0, digits - 1 - exponent)};
}

bool FormatLimit::is_beyond(double value) const {
  if (!std::isfinite(value)) return false;
  if (single) return rounded_to_single(value) != value;
  const NumberFormat format = number_format(value);
  return format.digits > most.digits && format.decimals > most.decimals;
}

std::optional<FormatLimit> find_format_limit(const ValueCounts& counts, Side side, double log_significance) {
  constexpr double nearly_all = 0.999;
  constexpr int most_digits_of_rounded = 12;  // doubles as computed have 15 to 17
  std::array<double, 18> with_digits{};
  std::array<double, 350> with_decimals{};
  double singles = 0;
  for (const ValueCount& value : counts.values) {
    if (value.rows[side] == 0 || !std::isfinite(value.value)) continue;
    singles += rounded_to_single(value.value) == value.value ? value.rows[side] : 0;
    const NumberFormat format = number_format(value.value);
    with_digits[static_cast<std::size_t>(format.digits)] += value.rows[side];
    with_decimals[std::min(static_cast<std::size_t>(format.decimals), with_decimals.size() - 1)] +=
        value.rows[side];
  }
  const double enough = nearly_all * static_cast<double>(counts.present[side]);
  const auto limit_of = [&](std::span<const double> rows) {
    int limit = 0;
    for (double within = rows[0]; within < enough && limit + 1 < static_cast<int>(rows.size());) {
      within += rows[static_cast<std::size_t>(++limit)];
    }
    return limit;
  };
  FormatLimit limit{{limit_of(with_digits), limit_of(with_decimals)}};
  limit.single = limit.most.digits > most_digits_of_rounded && singles >= enough;
  if (limit.most.digits == 0) return std::nullopt;
  if (limit.most.digits > most_digits_of_rounded && !limit.single) return std::nullopt;
  std::array<double, 2> beyond{};
  for (const ValueCount& value : counts.values) {
    if (!limit.is_beyond(value.value)) continue;
    for (const Side table : {side_p, side_q}) beyond[table] += value.rows[table];
  }
  const double all = beyond[side_p] + beyond[side_q];
  const bool by_chance =
      log_upper_tail(all, beyond[other(side)], counts.prior(other(side))) >= log_significance;
  return by_chance ? std::nullopt : std::optional(limit);
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
