#include "bench/report.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <filesystem>

#include "bench/figures.hpp"
#include "bench/tables.hpp"
#include "core/output_file.hpp"
#include "core/safe_text.hpp"

namespace jsdiv::bench {
namespace {

/// Held while the plan and its tables are written, so that those of two runs do not mix.
class FolderLock {
 public:
  explicit FolderLock(const std::string& folder)
      : descriptor_(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    if (descriptor_ >= 0) flock(descriptor_, LOCK_EX);
  }
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;
  ~FolderLock() {
    if (descriptor_ >= 0) close(descriptor_);
  }

 private:
  int descriptor_;
};

/// Text before the tables: where the figures come from.
std::string legend(const Plan& plan) {
  std::string text = "Run: " + describe_run(plan);
  if (!plan.experiment.published.empty()) {
    text +=
        " Sources: jsdiv, this run; paper, the tables as printed; files, means over the published per-seed "
        "files.";
  }
  return text +
         " Oracle: the plug-in that knows the densities, on all rows of our draws (of the published ones: on "
         "their "
         "test rows).";
}

}  // namespace

void check_report(const std::string& out, bool force) {
  const std::filesystem::path folder(out);
  if (force || std::filesystem::exists(folder / "plan.json")) return;
  for (const char* name : report_files) {
    const auto path = folder / name;
    if (std::filesystem::exists(path)) check_output(path.string(), false);
  }
}

std::string write_report(const Plan& plan, const JobResults& results, const std::string& out) {
  const std::filesystem::path folder(out);
  const Cells cells = aggregate(plan, results);
  const auto tables = paper_tables(plan, cells);
  std::string text =
      "## " + safe_text(plan.experiment.title, Medium::markdown) + "\n\n" + legend(plan) + "\n";
  if (!plan.experiment.source.empty())
    text += "After " + safe_text(plan.experiment.source, Medium::markdown) + ".\n";
  for (const plot::TextTable& table : tables) text += "\n" + plot::markdown(table);
  const std::string page = plot::html_page(plan.experiment.title, legend(plan), figures(plan, cells), tables);
  // Another run in this directory may have left a plan of its own meanwhile.
  const FolderLock lock(out);
  write_output((folder / "plan.json").string(), dump(plan_json(plan)), true);
  const std::string contents[] = {results_csv(plan, results), summary_csv(plan, cells), text, page};
  for (std::size_t i = 0; i < std::size(contents); ++i) {
    write_output((folder / report_files[i]).string(), contents[i], true);
  }
  return text;
}

}  // namespace jsdiv::bench
