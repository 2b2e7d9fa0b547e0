#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "cli/command.hpp"
#include "core/safe_text.hpp"
#include "core/stopwatch.hpp"
#include "jsdiv/error.hpp"
#include "load/load.hpp"

namespace jsdiv::cli {
namespace {

const std::string bold = "\x1b[1m";
const std::string not_bold = "\x1b[0m";

/// As the variable COLUMNS says, or else the terminal itself.
std::size_t terminal_width() {
  constexpr std::size_t usual = 80;
  if (const char* columns = std::getenv("COLUMNS")) {
    std::size_t width = 0;
    const std::string_view text = columns;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), width);
    if (error == std::errc() && end == text.data() + text.size() && width > 0) return width;
  }
  winsize size{};
  const bool known = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return known ? size.ws_col : usual;
}

}  // namespace

void print_warnings(const std::vector<Warning>& warnings, const Output& output) {
  if (output.quiet) return;
  for (const Warning& warning : warnings) {
    std::fprintf(stderr, "%s: %s [%s]\n", is_note(warning) ? "note" : "warning",
                 safe_text(warning.message, Medium::line).c_str(), warning.code.c_str());
  }
}

void print(const std::string& text) {
  std::fputs(safe_text(text, Medium::block).c_str(), stdout);
}

void print_styled(const std::string& text) {
  // Bold and back again are the only sequences that may act; whoever writes them harms nothing.
  std::string safe = safe_text(text, Medium::block);
  for (const auto& [escaped, sequence] : {std::pair(safe_text(bold, Medium::block), bold),
                                          std::pair(safe_text(not_bold, Medium::block), not_bold)}) {
    for (std::size_t at = safe.find(escaped); at != std::string::npos; at = safe.find(escaped, at)) {
      safe.replace(at, escaped.size(), sequence);
    }
  }
  std::fputs(safe.c_str(), stdout);
}

void finish_printing() {
  errno = 0;
  const bool flushed = std::fflush(stdout) == 0;
  if (flushed && std::ferror(stdout) == 0) return;
  throw InvalidInput(std::string("cannot write to standard output") +
                     (errno != 0 ? std::string(": ") + std::strerror(errno) : ""));
}

TextStyle terminal_style() {
  if (isatty(STDOUT_FILENO) == 0) return {};
  const char* no_colour = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return {.width = terminal_width(),
          .colour = (no_colour == nullptr || *no_colour == '\0') && terminal != nullptr &&
                    std::string_view(terminal) != "dumb"};
}

ProgressFunction progress_bar(const Output& output) {
  if (output.quiet || isatty(STDERR_FILENO) == 0) return {};
  const Stopwatch watch;
  return [watch](double fraction, std::string_view what) {
    constexpr int cells = 30;
    const int filled = static_cast<int>(fraction * cells);
    const double elapsed = watch.seconds();
    const double left = fraction > 0 ? elapsed * (1 - fraction) / fraction : 0;
    std::string bar(static_cast<std::size_t>(filled), '#');
    bar.resize(cells, '.');
    std::fprintf(stderr, "\r\033[K[%s] %3.0f %%  about %.0f s left  (%s)", bar.c_str(), 100 * fraction, left,
                 safe_text(what, Medium::line).c_str());
    if (fraction >= 1) std::fprintf(stderr, "\r\033[K");
    std::fflush(stderr);
  };
}

}  // namespace jsdiv::cli
