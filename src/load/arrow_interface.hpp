#pragma once

#include <cstdint>

/// The structures of the Arrow C data and stream interfaces, an ABI that every producer shares
/// (https://arrow.apache.org/docs/format/CDataInterface.html, CStreamInterface.html). The guards are those of
/// the specification, so that Arrow's own headers may be included beside this one.
extern "C" {

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

struct ArrowSchema {
  const char* format;
  const char* name;
  const char* metadata;
  std::int64_t flags;
  std::int64_t n_children;
  ArrowSchema** children;
  ArrowSchema* dictionary;
  void (*release)(ArrowSchema*);
  void* private_data;
};

struct ArrowArray {
  std::int64_t length;
  std::int64_t null_count;
  std::int64_t offset;
  std::int64_t n_buffers;
  std::int64_t n_children;
  const void** buffers;
  ArrowArray** children;
  ArrowArray* dictionary;
  void (*release)(ArrowArray*);
  void* private_data;
};

#endif

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
  int (*get_schema)(ArrowArrayStream*, ArrowSchema* out);
  int (*get_next)(ArrowArrayStream*, ArrowArray* out);
  const char* (*get_last_error)(ArrowArrayStream*);
  void (*release)(ArrowArrayStream*);
  void* private_data;
};

#endif
}

namespace jsdiv {

/// Owns one of the structures: releases it once, unless it was moved away.
template <typename Structure>
class Released {
 public:
  Released() = default;
  /// Takes over the content of `source`, which counts as released from then on.
  explicit Released(Structure& source) : value_(source) { source.release = nullptr; }
  Released(Released&& other) noexcept : value_(other.value_) { other.value_.release = nullptr; }
  Released& operator=(Released&&) = delete;
  Released(const Released&) = delete;
  ~Released() {
    if (value_.release != nullptr) value_.release(&value_);
  }

  Structure* operator->() { return &value_; }
  const Structure* operator->() const { return &value_; }
  Structure& operator*() { return value_; }
  const Structure& operator*() const { return value_; }

 private:
  Structure value_{};
};

}  // namespace jsdiv
