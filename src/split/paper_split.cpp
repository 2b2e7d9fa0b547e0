#include "split/paper_split.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>

#include "core/rows.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"
#include "split/group_assignment.hpp"

namespace jsdiv {
namespace {

enum Part : std::size_t { train_part, test_part, validation_part, unused_part };

/// Rows of the four parts of one table.
using PartSizes = std::array<std::size_t, 4>;

PartSizes part_sizes(std::size_t table_rows, std::size_t larger_rows, std::size_t train, std::size_t eval) {
  const std::size_t own_train = train * table_rows / larger_rows;
  const std::size_t own_eval = eval * table_rows / larger_rows;
  return {own_train, own_eval, own_eval, table_rows - own_train - 2 * own_eval};
}

/// The fewest rows of a table that leave no part empty.
std::size_t rows_needed(std::size_t larger_rows, std::size_t train, std::size_t eval) {
  const std::size_t smallest = std::min(train, eval);
  return (larger_rows + smallest - 1) / smallest;
}

std::array<PartSizes, 2> checked_sizes(const Sample& sample, std::optional<std::size_t> train_option,
                                       std::optional<std::size_t> eval_option) {
  const std::array<std::size_t, 2> rows = {sample.rows_p(), sample.rows_q()};
  const std::size_t larger = std::max(rows[0], rows[1]);
  const std::size_t train = train_option.value_or(larger / 2);
  const std::size_t eval = eval_option.value_or(larger / 4);
  const Message plan = mention("train", train) + " and " + mention("eval", eval);
  if (train > larger || eval > larger || train + 2 * eval > larger) {
    throw InvalidInput(plan + " need " + std::to_string(train) + " + 2 * " + std::to_string(eval) +
                       " rows, but the larger table has " + std::to_string(larger) +
                       "; lower one of them, or provide more rows");
  }
  if ((train_option && train == 0) || (eval_option && eval == 0)) {
    throw InvalidInput(plan + " leave a part of the split empty; both must be at least 1");
  }
  for (std::size_t table = 0; table < 2; ++table) {
    const std::size_t needed = train == 0 || eval == 0 ? 4 : rows_needed(larger, train, eval);
    if (rows[table] < needed) {
      throw InvalidInput(std::string(table == 0 ? "P" : "Q") + " has " + std::to_string(rows[table]) +
                         " rows; to train, test and validate (" + plan + " of " + std::to_string(larger) +
                         " rows) each table needs at least " + std::to_string(needed));
    }
  }
  return {part_sizes(rows[0], larger, train, eval), part_sizes(rows[1], larger, train, eval)};
}

/// The part of each row of P and Q.
std::vector<std::size_t> shuffled_parts(const Sample& sample, const std::array<PartSizes, 2>& sizes,
                                        const RandomStream& random) {
  std::vector<std::size_t> part_of_row;
  part_of_row.reserve(sample.rows_p() + sample.rows_q());
  for (std::size_t table = 0; table < 2; ++table) {
    std::vector<std::size_t> parts;
    for (std::size_t part = 0; part < 4; ++part) parts.insert(parts.end(), sizes[table][part], part);
    RandomStream shuffle = random.child(table);
    shuffle.shuffle(std::span(parts));
    part_of_row.insert(part_of_row.end(), parts.begin(), parts.end());
  }
  return part_of_row;
}

std::vector<std::size_t> grouped_parts(const Sample& sample, const std::array<PartSizes, 2>& sizes,
                                       const RandomStream& random) {
  std::vector<std::array<double, 2>> targets;
  for (std::size_t part = 0; part < 4; ++part) {
    // Rows that were promised a use are not laid aside because the groups do not fit exactly.
    if (part == unused_part && sizes[0][part] + sizes[1][part] == 0) continue;
    targets.push_back({static_cast<double>(sizes[1][part]), static_cast<double>(sizes[0][part])});
  }
  return assign_groups(row_range(0, sample.rows_p() + sample.rows_q()), sample.labels(), sample.groups,
                       targets, random.child("groups"));
}

void require_both_tables(const std::vector<RowIndex>& part, std::size_t rows_p, const std::string& name) {
  const auto first_q = std::ranges::lower_bound(part, static_cast<RowIndex>(rows_p));
  if (first_q == part.begin() || first_q == part.end()) {
    throw InvalidInput("the groups of " + mention("group") + " leave no row of " +
                           std::string(first_q == part.begin() ? "P" : "Q") + " to " + name +
                           "; each table needs at least three groups of similar size",
                       {.option = "group"});
  }
}

}  // namespace

PaperSplit paper_split(const Sample& sample, std::optional<std::size_t> train,
                       std::optional<std::size_t> eval, std::uint64_t seed) {
  const std::array<PartSizes, 2> sizes = checked_sizes(sample, train, eval);
  const RandomStream random = RandomStream(seed).child("paper split");
  const std::vector<std::size_t> part_of_row =
      sample.groups.empty() ? shuffled_parts(sample, sizes, random) : grouped_parts(sample, sizes, random);

  PaperSplit split;
  for (std::size_t row = 0; row < part_of_row.size(); ++row) {
    const RowIndex index = static_cast<RowIndex>(row);
    if (part_of_row[row] == train_part) split.train.push_back(index);
    if (part_of_row[row] == test_part) split.test.push_back(index);
    if (part_of_row[row] == validation_part) split.validation.push_back(index);
  }
  require_both_tables(split.train, sample.rows_p(), "train on");
  require_both_tables(split.test, sample.rows_p(), "test on");
  require_both_tables(split.validation, sample.rows_p(), "validate on");
  return split;
}

}  // namespace jsdiv
