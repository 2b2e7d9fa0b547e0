#pragma once

#include <cstddef>

struct ArrowSchema;
struct ArrowArrayStream;

/// What jsdiv and its module jsdiv_arrow share. The module is a shared library of its own that is loaded when
/// the first Arrow or Parquet file is read, so that a command without one neither needs Arrow nor waits for
/// it. Data passes through the Arrow C interfaces; a function that fails returns a text, which holds until
/// the next call of its thread, and nullptr otherwise.
extern "C" {

struct JsdivArrowFile;

struct JsdivArrowFunctions {
  std::size_t size;  ///< of this struct, which tells a module of another version

  /// The bytes of a file in the Parquet, Arrow file or Arrow stream format; they must outlive the file.
  const char* (*open)(const void* bytes, std::size_t size, JsdivArrowFile** out);
  /// A struct with a child for each column.
  const char* (*schema)(JsdivArrowFile* file, ArrowSchema* out);
  /// The chunks of one column. `unpacked` becomes the bytes that it was unpacked to. The function fails
  /// where they would be more than `most_bytes`; then `unpacked` is more as well.
  const char* (*column)(JsdivArrowFile* file, std::size_t index, std::size_t most_bytes,
                        std::size_t* unpacked, ArrowArrayStream* out);
  void (*close)(JsdivArrowFile* file);
};

/// The one symbol of the module.
using JsdivArrowEntry = const JsdivArrowFunctions* (*)();
inline constexpr const char* jsdiv_arrow_entry_name = "jsdiv_arrow_functions";
}
