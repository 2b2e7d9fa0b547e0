#pragma once

#include <nanobind/nanobind.h>

#include "jsdiv/table.hpp"

namespace jsdiv::python {

/// The class Table: columns on their way between Python and the library.
void bind_table(nanobind::module_& module);

/// A column's values as Python sees them: float64 with NaN for missing, datetime64[ns] with NaT, and texts
/// with None.
nanobind::dict columns_dict(const Table& table);

}  // namespace jsdiv::python
