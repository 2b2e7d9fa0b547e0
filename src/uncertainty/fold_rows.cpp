#include "uncertainty/fold_rows.hpp"

#include <map>

#include "core/assert.hpp"

namespace jsdiv {

std::vector<FoldRows> split_by_fold(std::span<const double> log_odds, const HeldOutRows& rows,
                                    std::span<const std::uint32_t> folds) {
  JSDIV_ASSERT(log_odds.size() == rows.labels.size() && folds.size() == rows.labels.size());
  std::map<std::uint32_t, FoldRows> by_fold;
  for (std::size_t row = 0; row < folds.size(); ++row) {
    FoldRows& part = by_fold[folds[row]];
    part.log_odds.push_back(log_odds[row]);
    part.labels.push_back(rows.labels[row]);
    if (!rows.weights.empty()) part.weights.push_back(rows.weights[row]);
    if (!rows.groups.empty()) part.groups.push_back(rows.groups[row]);
  }
  std::vector<FoldRows> parts;
  parts.reserve(by_fold.size());
  for (auto& [fold, part] : by_fold) parts.push_back(std::move(part));
  return parts;
}

}  // namespace jsdiv
