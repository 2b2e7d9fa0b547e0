#include "cli/program.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "cli/command.hpp"
#include "cli/process.hpp"
#include "core/safe_text.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::cli {
namespace {

int fail(ExitCode code, const std::string& message) {
  std::fprintf(stderr, "jsdiv: %s\n", safe_text(message, Medium::line).c_str());
  return code;
}

constexpr const char* out_of_memory =
    "not enough memory for tables of this size; use fewer rows, columns or threads";

/// An argument as a shell reads it: 'two words'.
std::string shell_quoted(const std::string& text) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::strchr("_-./:,+=%@", c) != nullptr;
  };
  if (std::ranges::all_of(text, plain)) return text;
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// --ignore age
std::string flag_spelling(const OptionMention& mention) {
  std::string text = "--" + mention.name;
  std::ranges::replace(text, '_', '-');
  return mention.value.empty() ? text : text + " " + shell_quoted(mention.value);
}

int run(int argument_count, char** arguments) {
  Program program;
  const int code = program.parser.parse(argument_count, arguments) ? program.action() : done;
  finish_printing();
  return code;
}

}  // namespace

int run_program(int argument_count, char** arguments) {
  occupy_standard_descriptors();
  watch_signals();
  try {
    return run(argument_count, arguments);
  } catch (const UsageError& error) {
    return fail(bad_input, error.what());
  } catch (const InvalidInput& error) {
    return fail(bad_input, error.message().worded(flag_spelling));
  } catch (const Interrupted&) {
    return fail(interrupted, "interrupted; nothing was written");
  } catch (const std::bad_alloc&) {
    return fail(no_resources, out_of_memory);
  } catch (const std::length_error&) {
    return fail(no_resources, out_of_memory);
  } catch (const std::filesystem::filesystem_error& error) {
    return fail(bad_input, "'" + error.path1().string() + "': " + error.code().message());
  } catch (const std::system_error& error) {
    const bool exhausted = error.code() == std::errc::resource_unavailable_try_again ||
                           error.code() == std::errc::not_enough_memory;
    return fail(exhausted ? no_resources : our_bug, error.what());
  } catch (const std::exception& error) {
    return fail(our_bug, std::string(error.what()) + " (this is a bug in jsdiv; please report it)");
  }
}

}  // namespace jsdiv::cli
