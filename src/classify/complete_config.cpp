#include "classify/complete_config.hpp"

#include <algorithm>

#include "core/message.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {

Config complete_config(const Family& family, const SpaceContext& context, const Hyperparameters& given) {
  Config config = family.defaults(context);
  const SearchSpace space = family.search_space(context);
  std::vector<std::string> known;
  for (const auto& [name, value] : config.values()) known.push_back(name);
  for (const Parameter& parameter : space.parameters) known.push_back(parameter.name);
  if (!space.path_name.empty()) known.push_back(space.path_name);
  std::ranges::sort(known);
  known.erase(std::unique(known.begin(), known.end()), known.end());
  const std::vector<std::string> outcomes = family.outcome_names();
  for (const auto& [name, value] : given) {
    if (std::ranges::find(outcomes, name) != outcomes.end()) continue;
    if (!std::ranges::binary_search(known, name)) {
      throw InvalidInput(quoted(family.name()) +
                         (known.empty() ? " has no hyperparameters, but " + quoted(name) + " was given"
                                        : ": " + unknown_name("hyperparameter", name, known)));
    }
    config.set(name, value);
  }
  return config;
}

}  // namespace jsdiv
