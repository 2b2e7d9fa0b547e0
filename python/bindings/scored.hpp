#pragma once

#include <nanobind/nanobind.h>

namespace jsdiv::python {

/// What jsdiv.dask needs of the library where rows are scored in several places: stacks, sums of terms, and
/// the result that follows from them.
void bind_scored(nanobind::module_& module);

}  // namespace jsdiv::python
