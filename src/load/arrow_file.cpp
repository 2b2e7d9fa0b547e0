#include "load/arrow_file.hpp"

#include <dlfcn.h>

#include <array>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/sha256.hpp"
#include "core/stop.hpp"
#include "jsdiv/error.hpp"
#include "load/arrow_column.hpp"
#include "load/arrow_module.hpp"

namespace jsdiv {
namespace {

/// Found by the search path of the program (beside it, or in ../lib/jsdiv once it is installed), the
/// variable LD_LIBRARY_PATH and the system's folders, as any shared library. Null where it is not there.
const JsdivArrowFunctions* load_module() {
  void* const module = ::dlopen("libjsdiv_arrow.so", RTLD_NOW | RTLD_LOCAL);
  if (module == nullptr) return nullptr;
  const auto entry = reinterpret_cast<JsdivArrowEntry>(::dlsym(module, jsdiv_arrow_entry_name));
  const JsdivArrowFunctions* const functions = entry == nullptr ? nullptr : entry();
  return functions != nullptr && functions->size == sizeof(JsdivArrowFunctions) ? functions : nullptr;
}

const JsdivArrowFunctions* module_functions() {
  static const JsdivArrowFunctions* const functions = load_module();
  return functions;
}

std::string format_of(const InputFile& file) {
  const std::string extension = file.extension();
  const bool parquet = extension == ".parquet" || extension == ".pq" || file.raw().starts_with("PAR1");
  return parquet ? "Parquet" : "Arrow";
}

const JsdivArrowFunctions* needed_functions(const InputFile& file) {
  if (const JsdivArrowFunctions* const functions = module_functions()) return functions;
  throw InvalidInput(file.path() + ": reading " + format_of(file) +
                     " needs Arrow, but this jsdiv was built without it; install pip (Debian: python3-venv) "
                     "and rebuild, or save the table as CSV");
}

}  // namespace

bool has_arrow() {
  return module_functions() != nullptr;
}

bool is_arrow(const InputFile& file) {
  static constexpr std::array<std::string_view, 6> arrow = {".parquet", ".pq",      ".arrow",
                                                            ".arrows",  ".feather", ".ipc"};
  static constexpr std::array<std::string_view, 4> text = {".csv", ".tsv", ".txt", ".tab"};
  const std::string extension = file.extension();
  for (const std::string_view each : arrow) {
    if (extension == each) return true;
  }
  for (const std::string_view each : text) {
    if (extension == each) return false;
  }
  const std::string_view bytes = file.raw();
  return bytes.starts_with("PAR1") || bytes.starts_with("ARROW1") || bytes.starts_with("\xff\xff\xff\xff");
}

ArrowFile::ArrowFile(InputFile file)
    : file_(std::move(file)), functions_(needed_functions(file_)), opened_(nullptr, functions_->close) {
  JsdivArrowFile* opened = nullptr;
  check(functions_->open(file_.raw().data(), file_.raw().size(), &opened));
  opened_.reset(opened);
  schema_ = std::make_unique<Released<ArrowSchema>>();
  check(functions_->schema(opened, &**schema_));
  const ArrowSchema& schema = **schema_;
  for (std::int64_t j = 0; j < schema.n_children; ++j) names_.emplace_back(schema.children[j]->name);
}

void ArrowFile::check(const char* error) const {
  if (error == nullptr) return;
  throw InvalidInput(path() + ": is not a readable " + format_of(file_) + " file (" + error +
                     "); write it again");
}

Column ArrowFile::read_column(std::size_t index, std::size_t& unpacked) const {
  ArrowColumn column(*(*schema_)->children[index], 0);
  Released<ArrowArrayStream> stream;
  std::size_t taken = 0;
  const UnpackLimit& limit = file_.limit();
  const char* const error =
      functions_->column(opened_.get(), index, limit.bytes - unpacked, &taken, &*stream);
  unpacked += taken;
  limit.check(path(), file_.raw().size(), unpacked);
  check(error);
  for (;;) {
    throw_if_interrupted();
    Released<ArrowArray> chunk;
    if (stream->get_next(&*stream, &*chunk) != 0) {
      const char* const failure = stream->get_last_error(&*stream);
      check(failure == nullptr ? "unknown error" : failure);
    }
    if (chunk->release == nullptr) return column.finish();
    column.append(*chunk, 0, chunk->length);
  }
}

Table ArrowFile::read(std::span<const std::size_t> columns) const {
  Table table;
  table.source = path();
  std::size_t unpacked = 0;
  for (const std::size_t index : columns) {
    try {
      table.columns.push_back(read_column(index, unpacked));
    } catch (const InvalidInput& error) {
      if (std::string_view(error.what()).starts_with(path())) throw;
      throw InvalidInput(Message(path() + ": ") + error.message(), error.subject());
    }
    table.rows = table.columns.back().values.size();
  }
  Sha256 hash;
  hash.update(file_.raw().data(), file_.raw().size());
  table.sha256 = hash.finish();
  return table;
}

}  // namespace jsdiv
