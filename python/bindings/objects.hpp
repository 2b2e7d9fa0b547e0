#pragma once

#include <nanobind/nanobind.h>

#include <string>

#include "jsdiv/table.hpp"

namespace jsdiv::python {

/// A column from Python objects, which must be of one kind: texts, numbers, booleans, or dates and
/// date-times. None and NaN are missing. Throws InvalidInput that names the rows where the kinds differ.
Column object_column(const std::string& name, const nanobind::list& cells);

}  // namespace jsdiv::python
