#include "support/repeated_rows.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "support/chance.hpp"
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

double mean_probability(double expected, double count) {
  return count > 0 ? expected / count : 0;
}

}  // namespace

RepeatedRows find_repeated_rows(const Sample& sample, std::array<std::vector<RowIndex>, 2> rows,
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
  std::array<std::vector<RowIndex>, 2> first_occurrences;
  for (std::size_t begin = 0, end = 0; begin < sorted.size(); begin = end) {
    std::array<double, 2> members{};
    for (end = begin; end < sorted.size() && sorted[end].hash == sorted[begin].hash; ++end) {
      if (members[sorted[end].side]++ == 0) first_occurrences[sorted[end].side].push_back(sorted[end].row);
    }
    const bool mixed = members[side_p] > 0 && members[side_q] > 0;
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
  const auto distinct_share = [&](Side side) {
    return static_cast<double>(first_occurrences[side].size()) / static_cast<double>(rows[side].size());
  };
  constexpr double least_distinct = 0.5;
  result.copies = std::max(distinct_share(side_p), distinct_share(side_q)) > least_distinct &&
                  log_upper_tail(sets.count, sets.mixed, mean_probability(sets.expected_mixed, sets.count)) <
                      log_significance;
  for (const Side side : {side_p, side_q}) {
    result.copied_share[side] = copied[side] / static_cast<double>(rows[side].size());
    result.duplicate_share[side] = 1 - distinct_share(side);
    result.duplicates[side] =
        distinct_share(side) > least_distinct &&
        log_upper_tail(sets.count, sets.pure[side], mean_probability(sets.expected_pure[side], sets.count)) <
            log_significance;
    if (result.duplicates[side]) {
      std::ranges::sort(first_occurrences[side]);
      rows[side] = std::move(first_occurrences[side]);
    }
  }
  result.rows = std::move(rows);
  return result;
}

}  // namespace jsdiv
