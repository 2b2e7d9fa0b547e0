#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/aggregate.hpp"
#include "plot/page.hpp"

namespace jsdiv::bench {

/// One row for each job, for other programs.
std::string results_csv(const Plan& plan, const JobResults& results);

/// One row for each setting, estimator and source: jsdiv, paper, files.
std::string summary_csv(const Plan& plan, const Cells& cells);

/// The paper's layout: settings down, estimators across, the published figures in rows of their own.
std::vector<plot::TextTable> paper_tables(const Plan& plan, const Cells& cells);

/// The name of an estimator as the paper prints it.
std::string display_name(std::string_view estimator);

/// One line: date, versions, seeds, jobs.
std::string describe_run(const Plan& plan);

}  // namespace jsdiv::bench
