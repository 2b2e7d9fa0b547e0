#pragma once

#include <nanobind/nanobind.h>

namespace jsdiv::python {

/// What can be done with the JSON of a result: reading it back, drawing the report, running it again.
void bind_recorded(nanobind::module_& module);

}  // namespace jsdiv::python
