#pragma once

#include <string>
#include <vector>

#include "report/json.hpp"

namespace jsdiv {

/// What a result of schema jsdiv.result/1 means, in sentences for people: the same words on the terminal, in
/// Python and in the HTML report. All take the JSON of a result; where it is not what jsdiv writes,
/// nlohmann::json::exception is thrown.

/// A divergence with the digits that its size deserves: 0.310, 0.0042. "-" for null.
std::string number_text(const Json& value);
std::string number_text(double value);

/// "p = 0.03"; "p ≤ 0.001" where no more permutations could have told.
std::string p_value_text(double p_value, bool is_bound);

/// "0.200 to 0.300".
std::string interval_text(const Json& interval);

/// Where number formats decide: the divergence with them and without. Then what the number means.
std::vector<std::string> meaning_sentences(const Json& result);

/// What else is known about the number: the test of P = Q, the bound, what extrapolation added.
std::vector<std::string> evidence_sentences(const Json& result);

}  // namespace jsdiv
