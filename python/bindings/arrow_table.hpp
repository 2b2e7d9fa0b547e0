#pragma once

#include <nanobind/nanobind.h>

#include <functional>
#include <string>

#include "jsdiv/table.hpp"

namespace jsdiv::python {

/// Whether the column of that name takes part; others are there by name alone.
using ColumnFilter = std::function<bool(const std::string& name)>;

/// Reads what `source` exports through the Arrow PyCapsule interface (`__arrow_c_stream__`, or
/// `__arrow_c_array__` for a record batch). Cells are copied once, into the Table; a batch is released as
/// soon as it has been read. Throws InvalidInput for a column of a type that cannot be compared.
Table table_from_arrow(nanobind::handle source, const ColumnFilter& wanted);

}  // namespace jsdiv::python
