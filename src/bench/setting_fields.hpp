#pragma once

#include <string>

#include "bench/experiment.hpp"

namespace jsdiv::bench {

/// Sets one key of a setting: of the pair (scenario and its options, or p, q and pair) or of the paper's
/// protocol (protocol/option_fields.hpp). Throws InvalidInput that says `where` and the key.
void set_field(Setting& setting, const std::string& key, const Json& value, const std::string& where);

/// Fills in what follows from the other keys, and checks that they go together.
void finish_setting(Setting& setting, const std::string& where);

/// Everything that determines the pair and the protocol, for the hash of a job.
Json setting_json(const Setting& setting);

}  // namespace jsdiv::bench
