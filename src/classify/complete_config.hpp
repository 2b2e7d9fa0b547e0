#pragma once

#include "jsdiv/family.hpp"
#include "jsdiv/result.hpp"

namespace jsdiv {

/// The family's defaults, overridden by what the user gave, which may be the recorded configuration of a
/// model. Throws InvalidInput for a name that the family does not know.
Config complete_config(const Family& family, const SpaceContext& context, const Hyperparameters& given);

}  // namespace jsdiv
