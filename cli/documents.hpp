#pragma once

#include <string>

#include "cli/description.hpp"

namespace jsdiv::cli {

/// The same description in the forms that documentation and shells read.

/// Tables of options for docs/cli.md, one for each command.
std::string options_markdown(const CommandInfo& program);
/// jsdiv.1
std::string manual_page(const CommandInfo& program, const std::string& version);
std::string bash_completion(const CommandInfo& program);
std::string zsh_completion(const CommandInfo& program);

}  // namespace jsdiv::cli
