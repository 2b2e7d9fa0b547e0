#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace jsdiv {

/// The bytes of an input file: a memory map where the file allows it, otherwise a copy; .gz and .zst are
/// unpacked into memory. Views of `raw` and `text` end with the object, also when it is moved.
class InputFile {
 public:
  /// Throws InvalidInput if the file cannot be read or unpacked.
  static InputFile open(const std::string& path);
  /// Text that is in memory already; `name` stands for the path in messages.
  static InputFile from_memory(std::string name, std::string text);

  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&& other) noexcept;
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile();

  const std::string& path() const { return path_; }
  /// The bytes as they are on disk.
  std::string_view raw() const {
    return mapped_ != nullptr ? std::string_view(mapped_, mapped_size_) : copy_;
  }
  /// The bytes after decompression.
  std::string_view text() const { return unpacked_ ? std::string_view(unpacked_text_) : raw(); }
  /// The path's extension in lower case, without .gz or .zst: ".csv".
  std::string extension() const;

 private:
  InputFile() = default;

  std::string path_;
  const char* mapped_ = nullptr;
  std::size_t mapped_size_ = 0;
  std::string copy_;
  bool unpacked_ = false;
  std::string unpacked_text_;
};

}  // namespace jsdiv
