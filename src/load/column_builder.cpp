#include "load/column_builder.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "load/csv_text.hpp"

namespace jsdiv {

void check_text(const std::string& name, std::string_view text) {
  if (!find_encoding_fault(text, 0, text.size())) return;
  throw InvalidInput("column " + quoted(name) + " contains text with a NUL byte or invalid UTF-8");
}

Column category_column(std::string name, std::vector<double> codes, std::vector<std::string> texts) {
  for (const std::string& text : texts) check_text(name, text);
  Column column{std::move(name), ColumnType::category, std::move(codes), texts};
  std::ranges::sort(column.levels);
  column.levels.erase(std::unique(column.levels.begin(), column.levels.end()), column.levels.end());
  std::vector<double> code_of(texts.size());
  for (std::size_t i = 0; i < texts.size(); ++i) {
    code_of[i] =
        static_cast<double>(std::ranges::lower_bound(column.levels, texts[i]) - column.levels.begin());
  }
  for (double& value : column.values) {
    if (!(value < static_cast<double>(texts.size()))) {
      throw InvalidInput("column " + quoted(column.name) + " has the code " + std::to_string(value) +
                         ", but only " + std::to_string(texts.size()) + " categories");
    }
    value = value < 0 ? std::numeric_limits<double>::quiet_NaN() : code_of[static_cast<std::size_t>(value)];
  }
  return column;
}

}  // namespace jsdiv
