#include "cli/live_table.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/format.hpp"
#include "core/safe_text.hpp"

namespace jsdiv::cli {
namespace {

constexpr auto redraw_after = std::chrono::milliseconds(200);
constexpr std::size_t cell_width = 11;

struct Screen {
  std::size_t rows = 24;
  std::size_t columns = 80;
};

Screen screen_size() {
  winsize size{};
  if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_row == 0 || size.ws_col == 0) return {};
  return {size.ws_row, size.ws_col};
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::ceil(seconds));
  if (whole < 120) return format("%ld s", whole);
  if (whole < 7200) return format("%ld min", (whole + 59) / 60);
  return format("%ld h %02ld min", whole / 3600, whole % 3600 / 60);
}

/// So many places wide, a character counted as one.
std::string column(const std::string& text, std::size_t width) {
  std::string cell;
  std::size_t places = 0;
  for (const char byte : safe_text(text, Medium::line)) {
    const bool begins_character = (static_cast<unsigned char>(byte) & 0xC0) != 0x80;
    if (begins_character && ++places == width) break;
    cell += byte;
  }
  return cell + std::string(width - std::min(places, width - 1), ' ');
}

}  // namespace

LiveTable::LiveTable(const bench::Plan& plan, std::size_t jobs, std::size_t threads)
    : plan_(plan), jobs_(jobs), threads_(threads) {
}

void LiveTable::finished(const bench::Job& job, const bench::JobResult& result, bool resumed) {
  Progress& cell = cells_[{job.setting, job.family}];
  ++cell.done;
  cell.sum += result.reference ? 100 * std::abs(result.jsd - *result.reference) : result.jsd;
  for (Progress* progress : {&cell, &families_[job.family]}) {
    progress->seconds += result.seconds;
    ++progress->timed;
  }
  ++done_;
  if (resumed) ++resumed_;
  const auto now = std::chrono::steady_clock::now();
  if (resumed || (now - last_drawn_ < redraw_after && done_ < jobs_)) return;
  last_drawn_ = now;
  draw();
}

/// Jobs that remain cost what those of their cell did, or else what those of their family did.
double LiveTable::seconds_left() const {
  double mean_of_all = 0;
  int timed = 0;
  for (const auto& [family, progress] : families_) {
    mean_of_all += progress.seconds;
    timed += progress.timed;
  }
  if (timed > 0) mean_of_all /= timed;
  double seconds = 0;
  double planned = 0;
  for (std::size_t s = 0; s < plan_.experiment.settings.size(); ++s) {
    for (const std::string& family : plan_.experiment.settings[s].families) {
      const auto cell = cells_.find({s, family});
      const auto whole = families_.find(family);
      const int done = cell == cells_.end() ? 0 : cell->second.done;
      const double mean = cell != cells_.end()       ? cell->second.seconds / cell->second.timed
                          : whole != families_.end() ? whole->second.seconds / whole->second.timed
                                                     : mean_of_all;
      seconds += mean * (plan_.experiment.seeds - done);
      planned += plan_.experiment.seeds - done;
    }
  }
  // A shard has only a share of the plan's jobs.
  const auto own = static_cast<double>(jobs_ - done_);
  return planned > 0 ? seconds * std::min(1.0, own / planned) / static_cast<double>(threads_) : 0;
}

std::string LiveTable::cell_text(std::size_t setting, const std::string& family) const {
  const auto found = cells_.find({setting, family});
  if (found == cells_.end()) return "·";
  const Progress& cell = found->second;
  return format("%.2f %d/%d", cell.sum / cell.done, cell.done, plan_.experiment.seeds);
}

void LiveTable::draw() {
  const Screen screen = screen_size();
  const auto& settings = plan_.experiment.settings;
  std::size_t label_width = 8;
  for (const bench::Setting& setting : settings)
    label_width = std::max(label_width, setting.label.size() + 2);
  label_width = std::min(label_width, screen.columns / 2);
  const std::size_t families =
      std::min(plan_.experiment.families.size(), (screen.columns - label_width) / cell_width);
  const std::size_t rows = std::min(settings.size(), screen.rows > 4 ? screen.rows - 4 : 1);

  clear();
  std::string text = column(plan_.experiment.name, label_width);
  for (std::size_t f = 0; f < families; ++f) text += column(plan_.experiment.families[f], cell_width);
  text += "\n";
  for (std::size_t s = 0; s < rows; ++s) {
    text += column(settings[s].label, label_width);
    for (std::size_t f = 0; f < families; ++f) {
      text += column(cell_text(s, plan_.experiment.families[f]), cell_width);
    }
    text += "\n";
  }
  text += format("%zu of %zu jobs", done_, jobs_);
  if (resumed_ > 0) text += format(" (%zu from before)", resumed_);
  text += ", about " + duration_text(seconds_left()) + " left\n";
  std::fputs(text.c_str(), stderr);
  std::fflush(stderr);
  lines_drawn_ = rows + 2;
}

void LiveTable::clear() {
  if (lines_drawn_ > 0) std::fprintf(stderr, "\033[%zuA\033[J", lines_drawn_);
  lines_drawn_ = 0;
}

}  // namespace jsdiv::cli
