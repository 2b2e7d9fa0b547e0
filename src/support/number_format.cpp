#include "support/number_format.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string_view>

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
