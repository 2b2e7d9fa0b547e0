#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "jsdiv/family.hpp"

namespace jsdiv::python {

/// A classifier of the user's own as a family. `adapter` is a jsdiv._families.Adapter: name, description,
/// fit(X, y, weights, seed) -> an object with prior_log_odds and predict(X). It is called with the GIL held,
/// from whichever thread the job runs on. What it raises becomes InvalidInput that names the family.
std::shared_ptr<const Family> python_family(nanobind::object adapter);

/// The exception behind the first failure of any family since the last call; None if there was none.
nanobind::object take_family_failure();

}  // namespace jsdiv::python
