#pragma once

#include <string>

#include "bench/run.hpp"

namespace jsdiv::bench {

/// The files that write_report makes, in this order.
inline constexpr const char* report_files[] = {"results.csv", "summary.csv", "tables.md", "report.html"};

/// Throws InvalidInput if the directory holds files of these names that no run of bench has written.
void check_report(const std::string& out, bool force);

/// Tables and pictures from the jobs that are there. Returns the Markdown tables.
std::string write_report(const Plan& plan, const JobResults& results, const std::string& out);

}  // namespace jsdiv::bench
