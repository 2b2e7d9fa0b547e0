#pragma once

#include <nanobind/nanobind.h>

namespace jsdiv::python {

/// The plan, the jobs and the report of an experiment, for jsdiv.dask.
void bind_bench(nanobind::module_& module);

}  // namespace jsdiv::python
