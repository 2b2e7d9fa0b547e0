#pragma once

#include <string>

#include "jsdiv/result.hpp"
#include "uncertainty/evidence.hpp"

namespace jsdiv {

/// A rung of the ladder from what held-out rows say; its interval goes up to `reach` at least.
Rung rung_from(std::string name, const LearningCurve& curve, const Evidence& evidence, Maybe reach);

/// Gives the result the numbers of its first rung, with the curve and the reach that lie behind them.
void take_first_rung(Result& result, const LearningCurve& curve, Maybe reach);

}  // namespace jsdiv
