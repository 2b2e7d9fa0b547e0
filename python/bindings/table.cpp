#include "table.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/function.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "arrays.hpp"
#include "arrow_table.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "load/cell.hpp"
#include "load/column_builder.hpp"
#include "load/load.hpp"
#include "objects.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();

using AnyVector = nb::ndarray<nb::ro, nb::ndim<1>, nb::device::cpu>;
using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::device::cpu>;

template <typename T>
bool is(nb::dlpack::dtype type) {
  return type == nb::dtype<T>();
}

/// visit(pointer) with the type of the array's cells.
template <typename Visitor>
void with_cells(const void* data, nb::dlpack::dtype type, const Visitor& visit) {
  if (is<double>(type)) return visit(static_cast<const double*>(data));
  if (is<float>(type)) return visit(static_cast<const float*>(data));
  if (is<std::int64_t>(type)) return visit(static_cast<const std::int64_t*>(data));
  if (is<std::int32_t>(type)) return visit(static_cast<const std::int32_t*>(data));
  if (is<std::int16_t>(type)) return visit(static_cast<const std::int16_t*>(data));
  if (is<std::int8_t>(type)) return visit(static_cast<const std::int8_t*>(data));
  if (is<std::uint64_t>(type)) return visit(static_cast<const std::uint64_t*>(data));
  if (is<std::uint32_t>(type)) return visit(static_cast<const std::uint32_t*>(data));
  if (is<std::uint16_t>(type)) return visit(static_cast<const std::uint16_t*>(data));
  if (is<std::uint8_t>(type)) return visit(static_cast<const std::uint8_t*>(data));
  if (is<bool>(type)) return visit(static_cast<const bool*>(data));
  throw nb::type_error("expected an array of numbers or booleans");
}

void add(Table& table, Column column) {
  if (!table.columns.empty() && column.values.size() != table.rows) {
    throw InvalidInput("column " + quoted(column.name) + " has " + std::to_string(column.values.size()) +
                       " rows, but the others have " + std::to_string(table.rows));
  }
  table.rows = column.values.size();
  table.columns.push_back(std::move(column));
}

std::vector<double> as_doubles(const AnyVector& array) {
  std::vector<double> values(array.shape(0));
  const nb::gil_scoped_release released;
  with_cells(array.data(), array.dtype(), [&](const auto* cells) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<double>(cells[static_cast<std::int64_t>(i) * array.stride(0)]);
    }
  });
  return values;
}

/// `boolean`: the numbers are 0, 1 and NaN and stand for false, true and missing.
void add_numbers(Table& table, const std::string& name, const AnyVector& array, bool boolean) {
  const ColumnType type = boolean || is<bool>(array.dtype()) ? ColumnType::boolean : ColumnType::number;
  add(table, {name, type, as_doubles(array), {}});
}

/// [rows, names]: one column for each name. Goes through the rows in blocks, so that an array in C order is
/// read once and not once for each column.
void add_matrix(Table& table, const std::vector<std::string>& names, const AnyMatrix& array) {
  constexpr std::size_t block = 512;
  const std::size_t rows = array.shape(0);
  std::vector<std::vector<double>> values(names.size(), std::vector<double>(rows));
  {
    const nb::gil_scoped_release released;
    with_cells(array.data(), array.dtype(), [&](const auto* cells) {
      for (std::size_t begin = 0; begin < rows; begin += block) {
        const std::size_t end = std::min(rows, begin + block);
        for (std::size_t j = 0; j < names.size(); ++j) {
          const auto* column = cells + static_cast<std::int64_t>(j) * array.stride(1);
          for (std::size_t i = begin; i < end; ++i) {
            values[j][i] = static_cast<double>(column[static_cast<std::int64_t>(i) * array.stride(0)]);
          }
        }
      }
    });
  }
  const ColumnType type = is<bool>(array.dtype()) ? ColumnType::boolean : ColumnType::number;
  for (std::size_t j = 0; j < names.size(); ++j) add(table, {names[j], type, std::move(values[j]), {}});
}

/// Whole numbers that count `per_second` from 1970-01-01 UTC; numpy's NaT is missing.
void add_datetimes(Table& table, const std::string& name, const AnyVector& array, double per_second) {
  if (!is<std::int64_t>(array.dtype())) throw nb::type_error("date-times come as an array of int64");
  const auto* cells = static_cast<const std::int64_t*>(array.data());
  std::vector<double> values(array.shape(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int64_t cell = cells[static_cast<std::int64_t>(i) * array.stride(0)];
    values[i] = cell == not_a_time ? missing : static_cast<double>(cell) / per_second;
  }
  add(table, {name, ColumnType::datetime, std::move(values), {}});
}

/// A column that is there by name alone, since it takes no part.
void add_nothing(Table& table, const std::string& name, std::size_t rows) {
  add(table, {name, ColumnType::number, std::vector<double>(rows, missing), {}});
}

void add_category(Table& table, const std::string& name, const AnyVector& codes,
                  std::vector<std::string> texts) {
  add(table, category_column(name, as_doubles(codes), std::move(texts)));
}

Table select(const Table& table, const AnyVector& rows) {
  const std::vector<double> chosen = as_doubles(rows);
  Table result;
  result.rows = chosen.size();
  for (const Column& column : table.columns) {
    Column part{column.name, column.type, {}, column.levels};
    part.values.reserve(chosen.size());
    for (const double row : chosen) part.values.push_back(column.values.at(static_cast<std::size_t>(row)));
    result.columns.push_back(std::move(part));
  }
  return result;
}

/// `keep_source`: whether the path, and the hash of the file, are recorded as where the table came from.
Table read(const std::string& path, bool keep_source, const std::string& max_unpacked) {
  std::vector<Warning> ignored;
  const std::vector<std::string> paths = {path};
  Table table = std::move(read_tables(paths, {.max_unpacked = max_unpacked}, ignored).at(0));
  if (!keep_source) {
    table.source.clear();
    table.sha256.clear();
  }
  return table;
}

/// Texts of a category column, None where missing.
nb::list texts_of(const Column& column) {
  std::vector<nb::object> texts;
  for (const std::string& level : column.levels) texts.push_back(nb::str(level.data(), level.size()));
  nb::list result;
  for (const double value : column.values) {
    result.append(std::isnan(value) ? nb::none() : texts[static_cast<std::size_t>(value)]);
  }
  return result;
}

nb::object datetimes_of(const Column& column) {
  std::vector<std::int64_t> nanoseconds;
  for (const double value : column.values) {
    nanoseconds.push_back(std::isnan(value) ? not_a_time
                                            : static_cast<std::int64_t>(std::llround(value * 1e9)));
  }
  return array_of(std::move(nanoseconds)).attr("view")("datetime64[ns]");
}

using State = std::tuple<std::size_t, nb::list>;

State state_of(const Table& table) {
  nb::list columns;
  for (const Column& column : table.columns) {
    columns.append(
        nb::make_tuple(column.name, static_cast<int>(column.type), array_of(column.values), column.levels));
  }
  return {table.rows, columns};
}

void restore(Table& table, const State& state) {
  new (&table) Table();
  table.rows = std::get<0>(state);
  for (const nb::handle item : std::get<1>(state)) {
    Column column{nb::cast<std::string>(item[0]), static_cast<ColumnType>(nb::cast<int>(item[1])),
                  as_doubles(nb::cast<AnyVector>(item[2])), nb::cast<std::vector<std::string>>(item[3])};
    table.columns.push_back(std::move(column));
  }
}

}  // namespace

nb::dict columns_dict(const Table& table) {
  nb::dict result;
  for (const Column& column : table.columns) {
    nb::object values;
    switch (column.type) {
      case ColumnType::category:
        values = texts_of(column);
        break;
      case ColumnType::datetime:
        values = datetimes_of(column);
        break;
      default:
        values = array_of(column.values);
    }
    result[column.name.c_str()] = nb::make_tuple(std::string(to_string(column.type)), values);
  }
  return result;
}

void bind_table(nb::module_& module) {
  nb::class_<Table>(module, "Table", "Columns on their way into the library.")
      .def(nb::init<>())
      .def_prop_ro("rows", [](const Table& table) { return table.rows; })
      .def_prop_ro("names",
                   [](const Table& table) {
                     std::vector<std::string> names;
                     for (const Column& column : table.columns) names.push_back(column.name);
                     return names;
                   })
      .def("copy", [](const Table& table) { return Table(table); })
      .def("select", &select, nb::arg("rows"),
           nb::sig("def select(self, rows: numpy.typing.NDArray[typing.Any]) -> Table"))
      .def("add_numbers", &add_numbers, nb::arg("name"), nb::arg("values"), nb::arg("boolean") = false,
           nb::sig("def add_numbers(self, name: str, values: numpy.typing.NDArray[typing.Any], boolean: bool "
                   "= False) -> None"))
      .def("add_matrix", &add_matrix, nb::arg("names"), nb::arg("values"),
           nb::sig("def add_matrix(self, names: collections.abc.Sequence[str], values: "
                   "numpy.typing.NDArray[typing.Any]) -> None"))
      .def("add_datetimes", &add_datetimes, nb::arg("name"), nb::arg("values"), nb::arg("per_second"),
           nb::sig("def add_datetimes(self, name: str, values: numpy.typing.NDArray[typing.Any], per_second: "
                   "float) -> None"))
      .def("add_nothing", &add_nothing, nb::arg("name"), nb::arg("rows"))
      .def("add_category", &add_category, nb::arg("name"), nb::arg("codes"), nb::arg("texts"),
           nb::sig("def add_category(self, name: str, codes: numpy.typing.NDArray[typing.Any], texts: "
                   "collections.abc.Sequence[str]) -> None"))
      .def(
          "add_objects",
          [](Table& table, const std::string& name, const nb::list& cells) {
            add(table, object_column(name, cells));
          },
          nb::arg("name"), nb::arg("cells"),
          nb::sig("def add_objects(self, name: str, cells: list[typing.Any]) -> None"),
          "Cells that are all texts, all numbers, all booleans or all dates; None and NaN are missing.")
      .def_static("from_arrow", &table_from_arrow, nb::arg("source"), nb::arg("wanted"))
      .def_static("read", &read, nb::arg("path"), nb::arg("keep_source") = true, nb::arg("max_unpacked") = "")
      .def("__getstate__", &state_of, nb::sig("def __getstate__(self) -> tuple[int, list[typing.Any]]"))
      .def("__setstate__", &restore,
           nb::sig("def __setstate__(self, state: tuple[int, list[typing.Any]], /) -> None"));
  module.def("format_number", &format_number, nb::arg("value"));
}

}  // namespace jsdiv::python
