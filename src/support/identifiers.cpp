#include "support/identifiers.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/format.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "support/atoms.hpp"
#include "support/chance.hpp"
#include "support/repeated_rows.hpp"

namespace jsdiv {
namespace {

constexpr double nearly_all = 0.9;
/// Fewer rows of a table cannot show that values never meet.
constexpr std::size_t fewest_rows = 20;

/// Different values of the table for each of its rows.
double share_of_distinct(const ValueCounts& counts, Side side) {
  return static_cast<double>(counts.distinct(side)) / static_cast<double>(counts.rows(side));
}

bool named_as_identifier(std::string_view name) {
  std::string lower;
  for (const char c : name) lower += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto ends_with_word = [&](std::string_view word) {
    if (!lower.ends_with(word)) return false;
    if (lower.size() == word.size()) return true;
    const char before = lower[lower.size() - word.size() - 1];
    const char first = name[name.size() - word.size()];
    return std::isalnum(static_cast<unsigned char>(before)) == 0 ||
           std::isupper(static_cast<unsigned char>(first)) != 0;
  };
  constexpr std::array words{"id", "uid", "uuid", "guid", "key", "index", "number", "no", "nr"};
  return std::ranges::any_of(words, [&](const char* word) { return ends_with_word(word); });
}

struct Range {
  double low = 0;
  double high = 0;
};

Range range_of(const ValueCounts& counts, Side side) {
  Range range{INFINITY, -INFINITY};
  for (const ValueCount& value : counts.values) {
    if (value.rows[side] == 0) continue;
    range.low = std::min(range.low, value.value);
    range.high = std::max(range.high, value.value);
  }
  return range;
}

/// True if fewer pairs of rows have equal values than chance leaves of numbers drawn from the range: of all
/// laws on it the uniform one makes the fewest. By Chernoff's bound for a Poisson number of pairs.
bool avoids_meetings(const ValueCounts& counts, Side side, double log_significance) {
  const Range range = range_of(counts, side);
  const auto rows = static_cast<double>(counts.present[side]);
  const double expected = rows * (rows - 1) / 2 / (range.high - range.low + 1);
  double pairs = 0;
  for (const ValueCount& value : counts.values) pairs += 0.5 * value.rows[side] * (value.rows[side] - 1.0);
  if (pairs >= expected) return false;
  const double log_tail = pairs - expected - (pairs > 0 ? pairs * std::log(pairs / expected) : 0);
  return log_tail < log_significance;
}

/// Share of the table's rows with a value that the other table has.
double share_in_common(const ValueCounts& counts, Side side) {
  double common = 0;
  for (const ValueCount& value : counts.values) {
    if (value.rows[other(side)] > 0) common += value.rows[side];
  }
  return common / static_cast<double>(counts.rows(side));
}

/// Nearly every row has a value of its own, or draws one of the other table's, where that is so.
bool names_rows(const ValueCounts& counts, Side side) {
  constexpr double mostly = 0.5;
  return share_of_distinct(counts, side) >= nearly_all ||
         (share_of_distinct(counts, other(side)) >= nearly_all && share_in_common(counts, side) >= mostly);
}

bool is_identifier(const Column& column, const ValueCounts& counts, double log_significance) {
  if (column.type != ColumnType::category && column.type != ColumnType::integer) return false;
  for (const Side side : {side_p, side_q}) {
    if (counts.rows(side) < fewest_rows || !names_rows(counts, side)) return false;
  }
  if (column.type == ColumnType::category || named_as_identifier(column.name)) return true;
  return avoids_meetings(counts, side_p, log_significance) &&
         avoids_meetings(counts, side_q, log_significance);
}

/// True if some length, or some first character, is more frequent in one table than chance explains.
bool texts_differ(const Column& column, const ValueCounts& counts, double log_significance) {
  const auto differ = [&](const auto& property) {
    std::vector<ValueCount> by_property(256);
    for (std::size_t i = 0; i < by_property.size(); ++i) by_property[i].value = static_cast<double>(i);
    for (const ValueCount& value : counts.values) {
      ValueCount& same = by_property[property(column.levels[static_cast<std::size_t>(value.value)])];
      for (const Side side : {side_p, side_q}) same.rows[side] += value.rows[side];
    }
    ValueCounts of_property = counts;
    of_property.values.clear();
    for (const ValueCount& value : by_property) {
      if (value.total() > 0) of_property.values.push_back(value);
    }
    return frequencies_differ(of_property, false, log_significance);
  };
  return differ([](const std::string& text) { return std::min<std::size_t>(text.size(), 255); }) ||
         differ([](const std::string& text) {
           return static_cast<std::size_t>(text.empty() ? 0 : static_cast<unsigned char>(text[0]));
         });
}

/// The runs of letters and those of digits, each once.
std::set<std::string> words_of(const std::string& text) {
  enum class Kind : std::uint8_t { neither, letter, digit };
  std::set<std::string> words;
  std::string word;
  Kind last = Kind::neither;
  for (const char c : text + " ") {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter = std::isalpha(byte) != 0 || byte >= 0x80;  // beyond ASCII: part of a letter in UTF-8
    const Kind kind = letter ? Kind::letter : std::isdigit(byte) != 0 ? Kind::digit : Kind::neither;
    if (kind != last && !word.empty()) words.insert(std::exchange(word, {}));
    if (kind != Kind::neither) word += c;
    last = kind;
  }
  return words;
}

/// The word whose share of the rows differs most significantly; empty if chance explains all.
std::string telling_word(const Column& column, const ValueCounts& counts, double log_significance) {
  constexpr std::size_t most_texts = 50'000;
  const std::size_t step = counts.values.size() / most_texts + 1;
  std::map<std::string, ValueCount> rows;
  for (std::size_t i = 0; i < counts.values.size(); i += step) {
    const ValueCount& value = counts.values[i];
    for (const std::string& word : words_of(column.levels[static_cast<std::size_t>(value.value)])) {
      for (const Side side : {side_p, side_q}) rows[word].rows[side] += value.rows[side];
    }
  }
  std::string found;
  double least = log_significance - std::log(2 * std::max(1.0, static_cast<double>(rows.size())));
  for (const auto& [word, of_word] : rows) {
    for (const Side side : {side_p, side_q}) {
      const double log_chance = log_upper_tail(of_word.total(), of_word.rows[side], counts.prior(side));
      if (log_chance < least) least = log_chance, found = word;
    }
  }
  return found;
}

/// What the values would tell of a row's table, in words; empty if nothing.
std::string what_it_tells(const Column& column, const ValueCounts& counts, double log_significance) {
  if (column.type == ColumnType::category) {
    if (texts_differ(column, counts, log_significance)) return "their lengths or first characters differ";
    const std::string word = telling_word(column, counts, log_significance);
    return word.empty() ? "" : "'" + word + "' is more frequent in one of them";
  }
  const Range p = range_of(counts, side_p), q = range_of(counts, side_q);
  if (p.high < q.low || q.high < p.low) return "their ranges do not overlap";
  const Range both{std::max(p.low, q.low), std::min(p.high, q.high)};
  const double width = std::max(p.high, q.high) - std::min(p.low, q.low);
  return both.high - both.low < 0.9 * width ? "their ranges differ" : "";
}

std::string describe(const Column& column, const ValueCounts& counts, double log_significance) {
  double shared = 0;
  for (const ValueCount& value : counts.values) shared += value.rows[side_p] > 0 && value.rows[side_q] > 0;
  const double smaller = static_cast<double>(std::min(counts.present[side_p], counts.present[side_q]));
  const bool drawn =
      std::min(share_of_distinct(counts, side_p), share_of_distinct(counts, side_q)) < nearly_all;
  std::string text =
      drawn ? "nearly every row of one table has a unique value, and the other table repeats these values"
            : "nearly every row has a unique value";
  if (shared > 0) text += format(", %.3g %% of which occur in both tables", 100 * shared / smaller);
  const std::string tells = what_it_tells(column, counts, log_significance);
  return tells.empty() ? text : text + "; the values alone would tell the tables apart (" + tells + ")";
}

}  // namespace

std::vector<Identifier> find_identifiers(const Sample& sample, std::span<const ValueCodes> values) {
  const double log_level = log_significance(sample.columns.size());
  const RowsOfTables rows =
      find_repeated_rows(
          sample, values,
          {row_range(0, sample.rows_p()), row_range(sample.rows_p(), sample.rows_p() + sample.rows_q())},
          log_level)
          .rows;
  std::vector<Identifier> found(sample.columns.size());
  parallel_for(sample.columns.size(), [&](std::size_t j) {
    const ValueCounts counts = count_values(values[j], rows);
    if (!is_identifier(sample.columns[j], counts, log_level)) return;
    found[j] = {j, describe(sample.columns[j], counts, log_level)};
  });
  std::erase_if(found, [](const Identifier& each) { return each.message.empty(); });
  return found;
}

}  // namespace jsdiv
