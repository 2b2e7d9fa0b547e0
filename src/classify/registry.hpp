#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/family.hpp"

namespace jsdiv {

/// Every family this build has, in the order of the documentation.
std::span<const Family* const> families();

/// False: the recommended estimator takes the family only where the user names it or asks for all.
bool is_stacked_by_default(const Family& family);

/// The family of that name. Throws InvalidInput that lists the names there are.
const Family& family(std::string_view name);

}  // namespace jsdiv
