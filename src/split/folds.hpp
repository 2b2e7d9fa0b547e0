#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"
#include "split/group_assignment.hpp"

namespace jsdiv {

/// One fold of a cross-fit: `held_out` is scored by models that saw nothing but `train`. Indices ascend, so
/// that P's rows come before Q's.
struct Fold {
  std::vector<RowIndex> train;
  std::vector<RowIndex> held_out;
};

/// A fold whose training part is also cut into two complementary, stratified halves.
struct HalvedFold : Fold {
  std::array<std::vector<RowIndex>, 2> halves;
};

/// How many independent draws of each class, [0] Q and [1] P, the rows hold: the groups with a row of the
/// class, or the rows themselves where there are no groups.
ClassCounts independent_draws(const Sample& sample, std::span<const std::uint8_t> labels, Rows rows);

/// Cuts `rows` into `folds` folds that each hold the same number of rows of each class, give or take one.
/// With `groups` (empty: none; both spans are indexed by row) all rows of a group land in one fold and the
/// classes are balanced as well as the groups allow. Throws InvalidInput if a fold would be left without a
/// row of one class.
std::vector<Fold> stratified_folds(Rows rows, std::span<const std::uint8_t> labels,
                                   std::span<const std::uint32_t> groups, std::size_t folds,
                                   RandomStream random);

/// Two complementary halves by the same rules.
std::array<std::vector<RowIndex>, 2> stratified_halves(Rows rows, std::span<const std::uint8_t> labels,
                                                       std::span<const std::uint32_t> groups,
                                                       RandomStream random);

/// The fold with the halves of its training part.
HalvedFold with_halves(Fold fold, std::span<const std::uint8_t> labels, std::span<const std::uint32_t> groups,
                       RandomStream random);

}  // namespace jsdiv
