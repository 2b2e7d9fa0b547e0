#include "protocol/check_options.hpp"

#include <cmath>
#include <type_traits>

#include "core/byte_count.hpp"
#include "core/format.hpp"
#include "jsdiv/error.hpp"
#include "protocol/option_fields.hpp"

namespace jsdiv {
namespace {

std::string range_text(const OptionRange& range) {
  if (std::isinf(range.high)) return format(range.open ? "above %g" : "at least %g", range.low);
  return format(range.open ? "strictly between %g and %g" : "between %g and %g", range.low, range.high);
}

struct RangeChecker {
  template <typename T>
  void operator()(std::string_view name, const std::optional<T>& value, const OptionNote& note) const {
    if (value) (*this)(name, *value, note);
  }
  template <typename T>
  void operator()(std::string_view name, const T& value, const OptionNote& note) const {
    if constexpr (std::is_arithmetic_v<T>) {
      const auto number = static_cast<double>(value);
      if (note.range.contains(number)) return;
      const std::string field = field_name(name);
      throw InvalidInput(mention(field) + format(" is %g; it must be ", number) + range_text(note.range),
                         {.option = field});
    }
  }
};

}  // namespace

void check_options(const EstimateOptions& options) {
  visit_all_fields(options, RangeChecker{});
  if (!options.load.memory.empty()) parse_bytes(options.load.memory);
  if (!options.load.max_unpacked.empty()) parse_bytes(options.load.max_unpacked, "max_unpacked");
  // Beyond this a double no longer tells the tails from nothing.
  constexpr double largest_level = 1 - 1e-9;
  if (options.level > largest_level) {
    throw InvalidInput(mention("level") + " must be at most 0.999999999, for example 0.95",
                       {.option = "level"});
  }
}

void check_options(const SelfCheckOptions& options) {
  check_options(options.estimate);
  visit_self_check_fields(options, RangeChecker{});
}

}  // namespace jsdiv
