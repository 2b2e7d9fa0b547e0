#include "protocol/check_options.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "jsdiv/error.hpp"
#include "protocol/option_fields.hpp"

namespace jsdiv {
namespace {

/// The option that is refused, and what is said of it.
std::pair<std::string, std::string> refused(const EstimateOptions& options) {
  try {
    check_options(options);
  } catch (const InvalidInput& error) {
    return {error.subject().option, error.what()};
  }
  return {};
}

TEST(CheckOptions, TakesTheDefaults) {
  EXPECT_EQ(refused({}).second, "");
}

TEST(CheckOptions, SaysWhatMayBeGiven) {
  EstimateOptions options;
  options.seeds = 0;
  EXPECT_EQ(refused(options).second, "seeds is 0; it must be at least 1");
  options = {};
  options.level = 1;
  EXPECT_EQ(refused(options).second, "level is 1; it must be strictly between 0 and 1");
  options = {};
  options.time_budget = 0;
  EXPECT_EQ(refused(options).second, "time_budget is 0; it must be above 0");
  options = {};
  options.paper.iterations = -1;
  EXPECT_EQ(refused(options).second, "iterations is -1; it must be at least 0");
}

/// Puts a number below the range of one field, found by its name.
struct Spoiler {
  std::string_view wanted;
  bool spoilt = false;

  template <typename T>
  void operator()(std::string_view name, std::optional<T>& field, const OptionNote& note) {
    if (name == wanted) (*this)(name, field.emplace(), note);
  }
  template <typename T>
  void operator()(std::string_view name, T& field, const OptionNote& note) {
    if constexpr (std::is_arithmetic_v<T> && !std::is_same_v<T, bool>) {
      if (name != wanted || std::isinf(note.range.low)) return;
      if (note.range.low == 0 && !note.range.open && std::is_unsigned_v<T>) return;
      field = static_cast<T>(note.range.open ? note.range.low : note.range.low - 1);
      spoilt = true;
    }
  }
};

TEST(CheckOptions, EveryRangeOfTheListIsChecked) {
  std::vector<std::string> names;
  EstimateOptions defaults;
  visit_all_fields(defaults, [&](std::string_view name, auto&, std::string_view help) {
    EXPECT_FALSE(help.empty()) << name;
    names.emplace_back(name);
  });
  int checked = 0;
  for (const std::string& name : names) {
    EstimateOptions options;
    Spoiler spoiler{name};
    visit_all_fields(options, spoiler);
    if (!spoiler.spoilt) continue;
    ++checked;
    EXPECT_EQ(refused(options).first, field_name(name));
  }
  EXPECT_GE(checked, 8);
}

TEST(CheckOptions, NotANumberIsOutOfEveryRange) {
  EstimateOptions options;
  options.level = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refused(options).first, "level");
}

}  // namespace
}  // namespace jsdiv
