// Writes what is generated from the options of the commands: the tables of docs/cli.md, the manual page and
// the completions of shells.
#include <cstdio>
#include <string_view>

#include "cli/command.hpp"
#include "cli/documents.hpp"

int main(int argument_count, char** arguments) {
  using namespace jsdiv::cli;
  const CommandInfo program = Program().parser.describe();
  const std::string_view form = argument_count == 2 ? arguments[1] : "";
  std::string text;
  if (form == "markdown") text = options_markdown(program);
  if (form == "man") text = manual_page(program, JSDIV_VERSION);
  if (form == "bash") text = bash_completion(program);
  if (form == "zsh") text = zsh_completion(program);
  if (text.empty()) {
    std::fputs("usage: jsdiv_documents markdown|man|bash|zsh\n", stderr);
    return bad_input;
  }
  std::fwrite(text.data(), 1, text.size(), stdout);
  return done;
}
