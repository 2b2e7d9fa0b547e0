#include "split/folds.hpp"

#include <algorithm>
#include <string>

#include "core/assert.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

std::string table_name(std::size_t label) {
  return label == 1 ? "P" : "Q";
}

ClassCounts count_classes(Rows rows, std::span<const std::uint8_t> labels) {
  ClassCounts counts{};
  for (const RowIndex row : rows) ++counts[labels[row]];
  return counts;
}

/// Shuffles the rows of each class and deals them out in turn. Q goes on where P stopped, so that the folds'
/// totals differ by at most one too.
std::vector<std::size_t> deal(Rows rows, std::span<const std::uint8_t> labels, std::size_t parts,
                              RandomStream random) {
  std::vector<std::size_t> part_of_row(rows.size());
  std::size_t next = 0;
  for (const std::size_t label : {std::size_t{1}, std::size_t{0}}) {
    std::vector<std::size_t> positions;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (labels[rows[i]] == label) positions.push_back(i);
    }
    RandomStream shuffle = random.child(label);
    shuffle.shuffle(std::span(positions));
    for (const std::size_t position : positions) part_of_row[position] = next++ % parts;
  }
  return part_of_row;
}

/// The rows of each part, ascending.
std::vector<std::vector<RowIndex>> stratified_parts(Rows rows, std::span<const std::uint8_t> labels,
                                                    std::span<const std::uint32_t> groups, std::size_t parts,
                                                    RandomStream random) {
  JSDIV_ASSERT(parts >= 2);
  const ClassCounts counts = count_classes(rows, labels);
  for (const std::size_t label : {1, 0}) {
    if (counts[label] < parts) {
      throw InvalidInput(table_name(label) + " has " + std::to_string(counts[label]) +
                         " rows to split into " + std::to_string(parts) +
                         " parts, and each part needs at least one; provide more rows");
    }
  }

  std::vector<std::size_t> part_of_row;
  if (groups.empty()) {
    part_of_row = deal(rows, labels, parts, random);
  } else {
    const double share = 1.0 / static_cast<double>(parts);
    const std::vector<std::array<double, 2>> targets(
        parts, {share * static_cast<double>(counts[0]), share * static_cast<double>(counts[1])});
    part_of_row = assign_groups(rows, labels, groups, targets, random);
  }

  std::vector<std::vector<RowIndex>> result(parts);
  for (std::size_t i = 0; i < rows.size(); ++i) result[part_of_row[i]].push_back(rows[i]);
  for (std::vector<RowIndex>& part : result) {
    std::ranges::sort(part);
    const ClassCounts in_part = count_classes(part, labels);
    for (const std::size_t label : {1, 0}) {
      if (in_part[label] == 0) {
        throw InvalidInput("the groups of " + mention("group") + " cannot be divided into " +
                               std::to_string(parts) + " parts with rows of " + table_name(label) +
                               " in each; use a grouping with more, smaller groups",
                           {.option = "group"});
      }
    }
  }
  return result;
}

}  // namespace

ClassCounts independent_draws(const Sample& sample, std::span<const std::uint8_t> labels, Rows rows) {
  if (sample.groups.empty()) return count_classes(rows, labels);
  ClassCounts draws{};
  std::array<std::vector<bool>, 2> seen;
  const std::size_t groups = std::size_t{std::ranges::max(sample.groups)} + 1;
  for (std::vector<bool>& of_class : seen) of_class.resize(groups);
  for (const RowIndex row : rows) {
    std::vector<bool>& of_class = seen[labels[row]];
    draws[labels[row]] += !of_class[sample.groups[row]];
    of_class[sample.groups[row]] = true;
  }
  return draws;
}

std::vector<Fold> stratified_folds(Rows rows, std::span<const std::uint8_t> labels,
                                   std::span<const std::uint32_t> groups, std::size_t folds,
                                   RandomStream random) {
  std::vector<std::vector<RowIndex>> parts = stratified_parts(rows, labels, groups, folds, random);
  std::vector<Fold> result(folds);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    for (std::size_t other = 0; other < folds; ++other) {
      if (other == fold) continue;
      result[fold].train.insert(result[fold].train.end(), parts[other].begin(), parts[other].end());
    }
    std::ranges::sort(result[fold].train);
  }
  for (std::size_t fold = 0; fold < folds; ++fold) result[fold].held_out = std::move(parts[fold]);
  return result;
}

std::array<std::vector<RowIndex>, 2> stratified_halves(Rows rows, std::span<const std::uint8_t> labels,
                                                       std::span<const std::uint32_t> groups,
                                                       RandomStream random) {
  std::vector<std::vector<RowIndex>> parts = stratified_parts(rows, labels, groups, 2, random);
  return {std::move(parts[0]), std::move(parts[1])};
}

HalvedFold with_halves(Fold fold, std::span<const std::uint8_t> labels, std::span<const std::uint32_t> groups,
                       RandomStream random) {
  HalvedFold result;
  result.halves = stratified_halves(fold.train, labels, groups, random);
  static_cast<Fold&>(result) = std::move(fold);
  return result;
}

}  // namespace jsdiv
