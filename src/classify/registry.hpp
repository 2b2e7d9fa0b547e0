#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "classify/classifier.hpp"

namespace jsdiv {

/// Every family this build has, in the order of the documentation.
std::span<const Family* const> families();

/// The family of that name. Throws InvalidInput that lists the names there are.
const Family& family(std::string_view name);

}  // namespace jsdiv
