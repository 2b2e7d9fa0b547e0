#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv {

/// A file that appears whole or not at all: a temporary file beside it, fsync, rename. Made before the work
/// starts, so that an hour's result is not lost to a typo, a missing permission or a name that is taken.
/// Devices and pipes are written to as they are. A symbolic link stays and what it points to is replaced.
class OutputFile {
 public:
  /// Throws InvalidInput if `path` cannot be written, or exists and `force` is off.
  OutputFile(const std::string& path, bool force);
  OutputFile(OutputFile&&) noexcept;
  OutputFile& operator=(OutputFile&&) noexcept;
  ~OutputFile();

  /// The whole content, once. Throws InvalidInput if it cannot be written, for example on a full disk.
  void write(std::string_view content);

  const std::string& path() const { return path_; }

 private:
  friend void refuse_overlap(const std::vector<const OutputFile*>&, const std::vector<std::string>&);
  class Stream;     ///< a device or pipe
  class Temporary;  ///< beside a regular file

  std::string path_;
  std::string target_;  ///< what is replaced: `path_` without symbolic links
  bool force_;
  std::unique_ptr<Stream> stream_;
  std::unique_ptr<Temporary> temporary_;
};

/// Throws InvalidInput if the constructor of OutputFile would, and opens nothing.
void check_output(const std::string& path, bool force);

/// Throws InvalidInput if two outputs are one file or an output is one of the files that are read. Null
/// pointers and empty names are skipped.
void refuse_overlap(const std::vector<const OutputFile*>& outputs, const std::vector<std::string>& inputs);

/// OutputFile in one step, for content that is there already.
void write_output(const std::string& path, std::string_view content, bool force);

/// Removes the temporary files that runs which are no longer alive have left in a folder.
void remove_leftovers(const std::string& folder);

/// Removes the temporary files of this process. Safe in a signal handler that then ends the process: no
/// temporary file is made any more.
void remove_temporary_files() noexcept;

}  // namespace jsdiv
