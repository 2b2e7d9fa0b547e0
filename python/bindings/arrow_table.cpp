#include "arrow_table.hpp"

#include <string>
#include <vector>

#include "core/stop.hpp"
#include "jsdiv/error.hpp"
#include "load/arrow_column.hpp"
#include "load/arrow_interface.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

template <typename Structure>
Structure& from_capsule(nb::handle capsule, const char* name) {
  void* pointer = PyCapsule_GetPointer(capsule.ptr(), name);
  if (pointer == nullptr) throw nb::python_error();
  return *static_cast<Structure*>(pointer);
}

struct Batches {
  explicit Batches(Released<ArrowSchema> owned) : schema(std::move(owned)) {}

  Released<ArrowSchema> schema;
  std::vector<Released<ArrowArray>> arrays;
};

std::string last_error(ArrowArrayStream& stream) {
  const char* message = stream.get_last_error == nullptr ? nullptr : stream.get_last_error(&stream);
  return message == nullptr ? "the Arrow stream failed" : std::string("the Arrow stream failed: ") + message;
}

/// All batches at once: those of a table in memory are references to it, and their number of rows tells how
/// much room is needed.
Batches read_stream(nb::handle source) {
  const nb::object capsule = source.attr("__arrow_c_stream__")();
  Released<ArrowArrayStream> stream(from_capsule<ArrowArrayStream>(capsule, "arrow_array_stream"));
  Released<ArrowSchema> schema;
  if (stream->get_schema(&*stream, &*schema) != 0) throw InvalidInput(last_error(*stream));
  Batches batches(std::move(schema));
  for (;;) {
    Released<ArrowArray> batch;
    if (stream->get_next(&*stream, &*batch) != 0) throw InvalidInput(last_error(*stream));
    if (batch->release == nullptr) return batches;
    batches.arrays.push_back(std::move(batch));
  }
}

Batches read_array(nb::handle source) {
  const nb::object capsules = source.attr("__arrow_c_array__")();
  Batches batches(Released<ArrowSchema>(from_capsule<ArrowSchema>(capsules[0], "arrow_schema")));
  batches.arrays.emplace_back(from_capsule<ArrowArray>(capsules[1], "arrow_array"));
  return batches;
}

}  // namespace

Table table_from_arrow(nb::handle source, const ColumnFilter& wanted) {
  Batches batches = nb::hasattr(source, "__arrow_c_stream__") ? read_stream(source) : read_array(source);
  const ArrowSchema& schema = *batches.schema;
  if (schema.format == nullptr || std::string_view(schema.format) != "+s") {
    throw InvalidInput("the Arrow data is one column, not a table; give a table or a record batch");
  }
  Table table;
  for (Released<ArrowArray>& batch : batches.arrays) table.rows += static_cast<std::size_t>(batch->length);

  // A null column takes the place of one that takes no part.
  std::vector<ArrowSchema> schemas;
  for (std::int64_t j = 0; j < schema.n_children; ++j) {
    schemas.push_back(*schema.children[j]);
    if (wanted(schemas.back().name == nullptr ? "" : schemas.back().name)) continue;
    schemas.back().format = "n";
    schemas.back().dictionary = nullptr;
  }
  const nb::gil_scoped_release released;
  std::vector<ArrowColumn> columns;
  for (const ArrowSchema& column : schemas) columns.emplace_back(column, table.rows);
  for (Released<ArrowArray>& batch : batches.arrays) {
    throw_if_interrupted();
    if (batch->n_children != schema.n_children)
      throw InvalidInput("the Arrow data is broken: a batch has other columns than its schema says");
    for (std::size_t j = 0; j < columns.size(); ++j) {
      columns[j].append(*batch->children[j], batch->offset, batch->length);
    }
    const Released<ArrowArray> finished(std::move(batch));
  }
  for (ArrowColumn& column : columns) table.columns.push_back(column.finish());
  return table;
}

}  // namespace jsdiv::python
