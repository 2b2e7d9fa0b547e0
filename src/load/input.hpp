#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "core/file_map.hpp"
#include "jsdiv/options.hpp"

namespace jsdiv {

/// What a compressed file may unpack to; one that is unpacked already may have any size.
struct UnpackLimit {
  std::size_t bytes;
  bool by_option = false;  ///< the user may raise it, by the option max_unpacked

  /// Throws InvalidInput if the option is not a number of bytes.
  static UnpackLimit of(const LoadOptions& options);
  /// The option's default, where nobody can give another.
  static UnpackLimit standard();
  /// Throws InvalidInput if a file of `packed` bytes has become more than the limit.
  void check(const std::string& path, std::size_t packed, std::size_t unpacked) const;
};

/// The bytes of an input file: a memory map where the file allows it, otherwise a copy; .gz and .zst are
/// unpacked into memory. Views of `raw` and `text` end with the object, also when it is moved.
class InputFile {
 public:
  /// "-" is standard input. Throws InvalidInput if the file cannot be read or unpacked, or unpacks to more
  /// than the limit.
  static InputFile open(const std::string& path, UnpackLimit limit = UnpackLimit::standard());
  /// Text that is in memory already; `name` stands for the path in messages.
  static InputFile from_memory(std::string name, std::string text);

  const std::string& path() const { return path_; }
  const UnpackLimit& limit() const { return limit_; }
  /// The bytes as they are on disk.
  std::string_view raw() const { return map_ ? map_->bytes() : std::string_view(copy_); }
  /// The bytes after decompression.
  std::string_view text() const { return unpacked_ ? std::string_view(unpacked_text_) : raw(); }
  /// A part of `raw` or `text` that nobody needs for the moment: where it is a map of the file, it takes no
  /// memory until it is looked at again.
  void release(std::string_view part) const {
    if (map_) map_->release(part);
  }
  /// Throws InvalidInput if the file was written to since it was opened: what was read may be of two minds.
  void check_unchanged() const;
  /// The path's extension in lower case, without .gz or .zst: ".csv".
  std::string extension() const;

 private:
  InputFile() = default;
  /// Takes over the descriptor; below 0, errno says why.
  static InputFile from_descriptor(int opened, const std::string& path, UnpackLimit limit);

  std::string path_;
  UnpackLimit limit_ = UnpackLimit::standard();
  std::optional<FileMap> map_;
  std::string copy_;
  bool unpacked_ = false;
  std::string unpacked_text_;
};

}  // namespace jsdiv
