#include "support/repeated_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <iterator>

#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "support/chance.hpp"
#include "support/number_format.hpp"
#include "support/value_counts.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t rows_in_block = 8192;

/// Finaliser of splitmix64 (Steele, Lea & Flood, 2014).
std::uint64_t scrambled(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

std::uint64_t bits_of(double value) {
  return std::isnan(value) ? 0x7ff8000000000000ULL : std::bit_cast<std::uint64_t>(value + 0.0);
}

/// A hash of each row's cells. Two different rows among 10^7 share one with probability 3e-6.
std::vector<std::uint64_t> hash_rows(const Sample& sample) {
  const std::size_t rows = sample.rows();
  std::vector<std::uint64_t> hashes(rows, 0);
  parallel_for((rows + rows_in_block - 1) / rows_in_block, [&](std::size_t block) {
    throw_if_interrupted();
    const std::size_t end = std::min(rows, (block + 1) * rows_in_block);
    for (const Column& column : sample.columns) {
      for (std::size_t row = block * rows_in_block; row < end; ++row) {
        hashes[row] = scrambled(hashes[row] ^ bits_of(column.values[row]));
      }
    }
  });
  return hashes;
}

struct HashedRow {
  std::uint64_t hash = 0;
  RowIndex row = 0;
  Side side = side_p;

  bool operator<(const HashedRow& that) const {
    return hash != that.hash ? hash < that.hash : row < that.row;
  }
};

/// Sets of equal rows with more than one member, as counts against what chance would make of them.
struct Sets {
  double count = 0;
  double mixed = 0, expected_mixed = 0;
  std::array<double, 2> pure{}, expected_pure{};
};

}  // namespace

bool recur_by_nature(const Sample& sample, std::span<const ValueCodes> values, Rows first, std::size_t rows) {
  constexpr double nearly_all = 0.9;
  constexpr int digits_of_a_measurement = 10;
  constexpr std::ptrdiff_t fewest_columns = 3;
  constexpr double coarse = 0.25;
  constexpr double most_repetitions = 3;
  const auto different_rows = static_cast<double>(first.size());
  std::vector<double> distinct(sample.columns.size());
  for (std::size_t j = 0; j < distinct.size(); ++j) {
    std::vector<bool> seen(values[j].values.size() + 1);
    for (const RowIndex row : first) {
      distinct[j] += !seen[values[j].codes[row]];
      seen[values[j].codes[row]] = true;
    }
  }
  const bool seldom = static_cast<double>(rows) <= most_repetitions * different_rows;
  const auto informative = std::ranges::count_if(distinct, [](double count) { return count > 1; });
  for (std::size_t j = 0; j < distinct.size(); ++j) {
    const ColumnType type = sample.columns[j].type;
    const bool measured =
        type == ColumnType::number || type == ColumnType::integer || type == ColumnType::datetime;
    if (!measured || distinct[j] < nearly_all * different_rows) continue;
    if (informative > 1) return false;
    const auto precise = std::ranges::count_if(values[j].values, [](double value) {
      return std::isfinite(value) && number_format(value).digits >= digits_of_a_measurement;
    });
    if (seldom && static_cast<double>(precise) >= nearly_all * distinct[j]) return false;
  }
  const double most_values = std::ranges::max(distinct);
  return informative < fewest_columns || most_values > coarse * different_rows || !seldom;
}

RepeatedRows find_repeated_rows(const Sample& sample, std::span<const ValueCodes> values, RowsOfTables rows,
                                double log_significance) {
  const std::vector<std::uint64_t> hashes = hash_rows(sample);
  std::vector<HashedRow> sorted;
  sorted.reserve(rows[side_p].size() + rows[side_q].size());
  for (const Side side : {side_p, side_q}) {
    for (const RowIndex row : rows[side]) sorted.push_back({hashes[row], row, side});
  }
  std::ranges::sort(sorted, std::less<>());

  const double prior = static_cast<double>(rows[side_p].size()) / static_cast<double>(sorted.size());
  Sets sets;
  std::array<double, 2> copied{};
  RowsOfTables first_of_table;
  std::vector<RowIndex> first;
  std::vector<bool> in_both;  // [sets]
  std::vector<std::uint32_t> set_of_row(sample.rows());
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    std::array<double, 2> members{};
    for (end = begin; end < sorted.size() && sorted[end].hash == sorted[begin].hash; ++end) {
      if (members[sorted[end].side]++ == 0) first_of_table[sorted[end].side].push_back(sorted[end].row);
      set_of_row[sorted[end].row] = static_cast<std::uint32_t>(first.size());
    }
    first.push_back(sorted[begin].row);
    const bool mixed = members[side_p] > 0 && members[side_q] > 0;
    in_both.push_back(mixed);
    const double size = members[side_p] + members[side_q];
    if (mixed) {
      for (const Side side : {side_p, side_q}) copied[side] += members[side];
    }
    if (size < 2) continue;
    const std::array<double, 2> priors{prior, 1 - prior};
    ++sets.count;
    sets.mixed += mixed;
    sets.expected_mixed += 1 - std::pow(prior, size) - std::pow(1 - prior, size);
    for (const Side side : {side_p, side_q}) {
      sets.pure[side] += members[other(side)] == 0;
      // A large set is a frequent combination of values; it proves no more than a pair does.
      sets.expected_pure[side] += priors[side] * priors[side];
    }
  }

  RepeatedRows result;
  if (sets.count > 0) {
    const auto beyond_chance = [&](double observed, double expected) {
      return log_upper_tail(sets.count, observed, expected / sets.count) < log_significance;
    };
    const bool by_nature = recur_by_nature(sample, values, first, sorted.size());
    const bool mostly_different = std::ranges::any_of(std::array{side_p, side_q}, [&](Side side) {
      return 2 * first_of_table[side].size() > rows[side].size();
    });
    result.copies = (!by_nature || mostly_different) && beyond_chance(sets.mixed, sets.expected_mixed);
    for (const Side side : {side_p, side_q}) {
      result.duplicates[side] = !by_nature && beyond_chance(sets.pure[side], sets.expected_pure[side]);
    }
  }
  for (const Side side : {side_p, side_q}) {
    const auto count = static_cast<double>(rows[side].size());
    result.copied_share[side] = copied[side] / count;
    result.duplicate_share[side] = 1 - static_cast<double>(first_of_table[side].size()) / count;
    if (!result.duplicates[side]) continue;
    std::ranges::sort(first_of_table[side]);
    rows[side] = std::move(first_of_table[side]);
  }
  if (result.copies) {
    for (const Side side : {side_p, side_q}) {
      std::ranges::copy_if(rows[side], std::back_inserter(result.not_copied[side]),
                           [&](RowIndex row) { return !in_both[set_of_row[row]]; });
    }
  }
  if (result.copies || result.duplicates[side_p] || result.duplicates[side_q]) {
    result.equal_rows = std::move(set_of_row);
  }
  result.rows = std::move(rows);
  return result;
}

}  // namespace jsdiv
