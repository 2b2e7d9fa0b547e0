#include <algorithm>
#include <cmath>
#include <string_view>
#include <unordered_map>

#include "core/assert.hpp"
#include "core/text_hash.hpp"
#include "support/number_format.hpp"
#include "support/support.hpp"

namespace jsdiv {
namespace {

double nearest_of(std::span<const double> ascending, double x) {
  const auto above = std::ranges::lower_bound(ascending, x);
  if (above == ascending.begin()) return *above;
  if (above == ascending.end() || x - *(above - 1) <= *above - x) return *(above - 1);
  return *above;
}

bool belongs_to(const Sample& sample, std::size_t row, char table) {
  return table == 'P' ? row < sample.rows_p()
                      : row >= sample.rows_p() && row < sample.rows_p() + sample.rows_q();
}

}  // namespace

Sample harmonise(const Sample& sample, std::span<const SupportFinding> findings) {
  Sample result = sample;
  std::unordered_map<std::string_view, Column*, TextHash> columns;
  for (Column& column : result.columns) columns[column.name] = &column;
  for (const SupportFinding& finding : findings) {
    if (!finding.has_grid()) continue;
    const auto found = columns.find(finding.column);
    JSDIV_ASSERT(found != columns.end());
    std::vector<double>& values = found->second->values;
    for (std::size_t row = 0; row < values.size(); ++row) {
      if (!std::isfinite(values[row])) continue;
      if (finding.lattice) {
        values[row] = finding.lattice->nearest(values[row]);
      } else if (finding.digits) {
        values[row] = rounded_to_digits(values[row], *finding.digits);
      } else if (finding.single) {
        values[row] = rounded_to_single(values[row]);
      } else if (!belongs_to(sample, row, finding.table)) {
        values[row] = nearest_of(finding.atoms, values[row]);
      }
    }
  }
  return result;
}

}  // namespace jsdiv
