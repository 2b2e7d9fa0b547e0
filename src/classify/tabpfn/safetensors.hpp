#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv::tabpfn {

/// One tensor of a safetensors file, still in the file's bytes.
struct TensorView {
  enum class Type { f32, f16 };
  Type type = Type::f32;
  std::vector<std::size_t> shape;  ///< empty: a single number
  std::span<const std::byte> bytes;

  std::size_t count() const;          ///< numbers in it
  std::vector<float> values() const;  ///< row-major, as float32
};

/// The tensors of a safetensors buffer: 8 bytes of header length, a JSON header, raw little-endian numbers.
/// Every size and offset is checked before anything is used: the header fits the file, names are unique, each
/// tensor's extent is its shape times the size of its type, and the extents cover the data without gap or
/// overlap.
class SafetensorsView {
 public:
  /// Throws InvalidInput whose message starts with `source`. The bytes must outlive the view.
  SafetensorsView(std::span<const std::byte> bytes, std::string_view source);

  const std::map<std::string, TensorView, std::less<>>& tensors() const { return tensors_; }
  const std::map<std::string, std::string, std::less<>>& metadata() const { return metadata_; }

 private:
  std::map<std::string, TensorView, std::less<>> tensors_;
  std::map<std::string, std::string, std::less<>> metadata_;
};

/// A file mapped into memory for reading.
class MappedFile {
 public:
  /// Throws InvalidInput if it cannot be read or is not a regular file.
  explicit MappedFile(const std::string& path);
  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace jsdiv::tabpfn
