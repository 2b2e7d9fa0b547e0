#pragma once

#include <string>
#include <vector>

#include "jsdiv/result.hpp"
#include "report/json.hpp"

namespace jsdiv {

/// What a page shows. Each part is the JSON that the commands write, or null where there is none.
struct PageContent {
  Json result;   ///< jsdiv.result/1
  Json explain;  ///< jsdiv.explain/1
  Json compare;  ///< jsdiv.compare/1
  Json charts;   ///< column_charts_json
};

Json column_charts_json(const std::vector<ColumnChart>& charts);

/// A page that needs nothing beside itself and may be sent to others: data as JSON, drawn by a script of its
/// own, no request to anywhere (its content security policy forbids all). At most `largest_page` bytes: of
/// long lists it holds the beginning, and says so. Throws InvalidInput where a part is not what jsdiv writes.
std::string html_page(const PageContent& content);

inline constexpr std::size_t largest_page = 400'000;

}  // namespace jsdiv
