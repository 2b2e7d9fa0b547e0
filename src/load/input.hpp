#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/file_map.hpp"

namespace jsdiv {

/// What a compressed table may unpack to, in bytes; one that is unpacked already may have any size.
inline constexpr std::size_t default_max_unpacked = 4'000'000'000;

/// The bytes of an input file: a memory map where the file allows it, otherwise a copy; .gz and .zst are
/// unpacked into memory. Views of `raw` and `text` end with the object, also when it is moved.
class InputFile {
 public:
  /// "-" is standard input. Throws InvalidInput if the file cannot be read or unpacked, or unpacks to more
  /// than `max_unpacked` bytes.
  static InputFile open(const std::string& path, std::size_t max_unpacked = default_max_unpacked);
  /// Text that is in memory already; `name` stands for the path in messages.
  static InputFile from_memory(std::string name, std::string text);

  const std::string& path() const { return path_; }
  /// The bytes as they are on disk.
  std::string_view raw() const { return map_ ? map_->bytes() : std::string_view(copy_); }
  /// The bytes after decompression.
  std::string_view text() const { return unpacked_ ? std::string_view(unpacked_text_) : raw(); }
  /// Throws InvalidInput if the file was written to since it was opened: what was read may be of two minds.
  void check_unchanged() const;
  /// The path's extension in lower case, without .gz or .zst: ".csv".
  std::string extension() const;

 private:
  InputFile() = default;
  /// Takes over the descriptor; below 0, errno says why.
  static InputFile from_descriptor(int opened, const std::string& path, std::size_t max_unpacked);

  std::string path_;
  std::optional<FileMap> map_;
  std::string copy_;
  bool unpacked_ = false;
  std::string unpacked_text_;
};

}  // namespace jsdiv
