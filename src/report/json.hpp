#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "jsdiv/marginal.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"

namespace jsdiv {

using Json = nlohmann::ordered_json;

/// The result in the schema jsdiv.result/1. Every key is always there; what was not computed is null.
Json result_json(const Result& result);

Json marginal_json(const MarginalResult& marginal);

Json warnings_json(const std::vector<Warning>& warnings);

Json runtime_json(const Runtime& runtime);

/// Versions of this library and of everything that takes part in the arithmetic.
Json versions_json();

Json options_json(const EstimateOptions& options);

/// The options of a recorded protocol. Throws InvalidInput that names `source` and the key where it does not
/// fit.
EstimateOptions options_from_json(const Json& json, std::string_view source);

/// The JSON of a document that was written by us but came from outside. Throws InvalidInput that names
/// `source` if it is no JSON, or nested deeper than any document of ours.
Json parse_json(std::string_view text, const std::string& source);

/// The JSON in a file. Throws InvalidInput as above, or if it cannot be read or is larger than any document
/// of ours.
Json read_json(const std::string& path);

/// As text: two spaces of indentation, a newline at the end.
std::string dump(const Json& json);

}  // namespace jsdiv
