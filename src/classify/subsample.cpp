#include "classify/subsample.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace jsdiv {

std::vector<RowIndex> weighted_rows(const Problem& problem, Rows rows) {
  std::vector<RowIndex> kept;
  kept.reserve(rows.size());
  std::copy_if(rows.begin(), rows.end(), std::back_inserter(kept),
               [&](RowIndex row) { return problem.weight(row) > 0; });
  return kept;
}

std::vector<RowIndex> stratified_subsample(Rows rows, std::span<const std::uint8_t> labels, std::size_t limit,
                                           RandomStream random) {
  std::vector<RowIndex> chosen(rows.begin(), rows.end());
  if (chosen.size() <= limit) return chosen;
  std::array<std::size_t, 2> count{};
  for (const RowIndex row : rows) ++count[labels[row]];
  std::array<std::size_t, 2> quota{};
  for (std::size_t c = 0; c < 2; ++c) quota[c] = std::max<std::size_t>(1, limit * count[c] / rows.size());
  random.shuffle(std::span(chosen));
  std::erase_if(chosen,
                [&](RowIndex row) { return quota[labels[row]] == 0 || (--quota[labels[row]], false); });
  std::sort(chosen.begin(), chosen.end());
  return chosen;
}

}  // namespace jsdiv
