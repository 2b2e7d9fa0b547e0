#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/matrix.hpp"
#include "core/random.hpp"
#include "jsdiv/table.hpp"
#include "support/support.hpp"

namespace jsdiv {

/// Columns in which the exact value tells the tables apart: some value recurs, there are more than two of
/// them, and either a finding says so or the frequencies of the recurring values differ by more than chance
/// explains.
std::vector<std::size_t> exact_value_columns(const Sample& sample, std::span<const SupportFinding> findings);

/// Two features for each of `columns`, in their order: log(1 + 1e4 s), where s is the weight share of P's
/// (then of Q's) reference rows that hold exactly this value; missing is a value of its own. For rows outside
/// `training_rows` all of these are the reference. Training rows refer to the other folds of a stratified
/// (and grouped, where the sample has groups) division of the training rows: a count that includes the row
/// itself, or that leaves just the row itself out, gives its label away.
/// Returns [sample.rows(), 2 columns.size()]. Throws InvalidInput if a class has fewer than two training
/// rows.
Matrix exact_value_features(const Sample& sample, std::span<const std::uint8_t> labels,
                            std::span<const std::size_t> columns, Rows training_rows,
                            const RandomStream& random);

}  // namespace jsdiv
