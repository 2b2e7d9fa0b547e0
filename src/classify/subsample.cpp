#include "classify/subsample.hpp"

#include <algorithm>
#include <array>

namespace jsdiv {

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
