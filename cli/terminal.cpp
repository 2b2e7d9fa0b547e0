#include <unistd.h>

#include <cstdio>

#include "cli/command.hpp"
#include "core/stopwatch.hpp"

namespace jsdiv::cli {

void print_warnings(const std::vector<Warning>& warnings, const Output& output) {
  if (output.quiet) return;
  for (const Warning& warning : warnings) {
    std::fprintf(stderr, "warning: %s [%s]\n", warning.message.c_str(), warning.code.c_str());
  }
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
    std::fprintf(stderr, "\r\033[K[%s] %3.0f %%  about %.0f s left  (%.*s)", bar.c_str(), 100 * fraction,
                 left, static_cast<int>(what.size()), what.data());
    if (fraction >= 1) std::fprintf(stderr, "\r\033[K");
    std::fflush(stderr);
  };
}

}  // namespace jsdiv::cli
