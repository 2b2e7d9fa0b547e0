#include "objects.hpp"

#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "load/cell.hpp"
#include "load/column_builder.hpp"
#include "load/dictionary.hpp"
#include "text.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

std::string shown(nb::handle cell) {
  return quoted(text_of(cell));
}

/// Reads cells of one kind and refuses the first one of another.
class ObjectReader {
 public:
  explicit ObjectReader(const std::string& name) : name_(name) {}

  double read(nb::handle cell, std::size_t row) {
    PyObject* const object = cell.ptr();
    if (cell.is_none()) return missing;
    if (PyUnicode_Check(object)) {
      expect(ColumnType::category, cell, row);
      Py_ssize_t size = 0;
      const char* text = PyUnicode_AsUTF8AndSize(object, &size);
      if (text == nullptr) {
        PyErr_Clear();
        refuse(cell, row, "is text that cannot be written as UTF-8");
      }
      return texts_.intern_copy({text, static_cast<std::size_t>(size)});
    }
    if (PyBool_Check(object) || std::string_view(Py_TYPE(object)->tp_name) == "numpy.bool") {
      expect(ColumnType::boolean, cell, row);
      return PyObject_IsTrue(object);
    }
    const bool of_numpy = std::string_view(Py_TYPE(object)->tp_name) == "numpy.datetime64";
    if (of_numpy || nb::hasattr(cell, "isoformat")) {
      const std::string text = text_of(of_numpy ? nb::borrow(cell) : cell.attr("isoformat")());
      if (text == "NaT") return missing;
      const auto seconds = parse_datetime(text);
      if (!seconds) refuse(cell, row, "is not a date or a date-time");
      expect(ColumnType::datetime, cell, row);
      return *seconds;
    }
    if (PyComplex_Check(object) || PyNumber_Check(object) == 0) {
      refuse(cell, row, "is not a string, number, boolean or date");
    }
    const double value = PyFloat_AsDouble(object);
    if (PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      refuse(cell, row, "is not a string, number, boolean or date");
    }
    if (!std::isnan(value)) expect(ColumnType::number, cell, row);
    return value;
  }

  Column finish(std::vector<double> values) {
    const ColumnType type = type_.value_or(ColumnType::number);
    if (type != ColumnType::category) return {name_, type, std::move(values), {}};
    for (double& value : values) {
      if (std::isnan(value)) value = -1;
    }
    return category_column(name_, std::move(values), {texts_.texts().begin(), texts_.texts().end()});
  }

 private:
  void expect(ColumnType type, nb::handle cell, std::size_t row) {
    if (type_ == type) return;
    if (type_) {
      throw InvalidInput("column " + quoted(name_) + " mixes types: row " + std::to_string(first_row_ + 1) +
                         " is a " + std::string(to_string(*type_)) + ", row " + std::to_string(row + 1) +
                         " a " + std::string(to_string(type)) + " (" + shown(cell) +
                         "); convert them to one type, for example with .astype(str)");
    }
    type_ = type;
    first_row_ = row;
  }

  [[noreturn]] void refuse(nb::handle cell, std::size_t row, const std::string& why) const {
    throw InvalidInput("column " + quoted(name_) + ", row " + std::to_string(row + 1) + ": " + shown(cell) +
                           " " + why + "; leave the column out with " + mention("ignore", name_),
                       {.option = "", .column = name_});
  }

  const std::string& name_;
  std::optional<ColumnType> type_;
  std::size_t first_row_ = 0;
  Dictionary texts_;
};

}  // namespace

Column object_column(const std::string& name, const nb::list& cells) {
  ObjectReader reader(name);
  std::vector<double> values;
  values.reserve(cells.size());
  for (const nb::handle cell : cells) values.push_back(reader.read(cell, values.size()));
  return reader.finish(std::move(values));
}

}  // namespace jsdiv::python
