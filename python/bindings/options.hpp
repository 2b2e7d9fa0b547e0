#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "jsdiv/error.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/simulate.hpp"

namespace jsdiv::python {

/// Keyword arguments become options through the lists of fields in protocol/ and
/// simulate/scenario_fields.hpp: a new field is a new argument, with its default and help. None stands for
/// the default. All of these throw TypeError for an unknown name and for a value of the wrong type,
/// ValueError for a wrong value.

/// Options of an estimate. Those that only Algorithm 1 has are refused under `auto`, as the command line
/// does, unless there is nothing to train.
EstimateOptions estimate_options(const nanobind::dict& arguments, bool refuse_paper_only = true);

/// Options of loading, and the number of threads.
struct MarginalArguments {
  LoadOptions load;
  std::size_t threads = 0;
};
MarginalArguments marginal_options(const nanobind::dict& arguments);

/// What `score` takes: the options of an estimate but those that it has no use for.
EstimateOptions score_options(const nanobind::dict& arguments);

/// Options of loading and of the families, and the number of threads.
struct GuideArguments {
  LoadOptions load;
  FamilyOptions family;
  std::size_t threads = 0;
};
GuideArguments guide_options(const nanobind::dict& arguments);

struct SimulateArguments {
  SimulateOptions options;
  std::size_t threads = 0;
};
SimulateArguments simulate_options(const nanobind::dict& arguments);

/// One dictionary for each option of "estimate", "score", "marginal", "guide" or "simulate": name, group,
/// kind, choices, optional, default, help.
nanobind::list option_table(const std::string& function);

/// The message with its options as arguments: ignore='age', exclude_families=.
std::string in_python_terms(const Message& message);

}  // namespace jsdiv::python
