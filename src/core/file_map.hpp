#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <optional>
#include <string_view>

namespace jsdiv {

/// A regular file in memory, as it was when it was opened. Where the file is cut short or its disk fails in
/// the meantime, the missing part reads as zeros instead of ending the process by SIGBUS; `changed` tells.
class FileMap {
 public:
  /// Takes over the descriptor of a regular file that is not empty. None, with the descriptor left open, if
  /// the file cannot be mapped.
  static std::optional<FileMap> of(int descriptor);

  FileMap(FileMap&& other) noexcept;
  FileMap& operator=(FileMap&& other) noexcept;
  FileMap(const FileMap&) = delete;
  FileMap& operator=(const FileMap&) = delete;
  ~FileMap();

  std::string_view bytes() const { return {data_, size_}; }
  /// Gives back the memory of the whole pages of `part`, which need not lie in the map. They are read from
  /// the file again when someone looks at them.
  void release(std::string_view part) const;
  /// Whether the file was written to since it was opened.
  bool changed() const;

 private:
  FileMap() = default;

  const char* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
  int place_ = -1;
  struct stat opened_ {};
};

}  // namespace jsdiv
