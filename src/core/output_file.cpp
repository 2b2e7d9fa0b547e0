#include "core/output_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

/// Removes the temporary file unless it was renamed into place.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& target)
      : target_(target), path_(target + ".tmp." + std::to_string(getpid())) {
    descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0) fail();
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() {
    if (descriptor_ >= 0) close(descriptor_);
    if (!renamed_) unlink(path_.c_str());
  }

  void write_all(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = write(descriptor_, content.data(), content.size());
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail();
      content.remove_prefix(static_cast<std::size_t>(written));
    }
  }

  void move_into_place(bool force) {
    if (fsync(descriptor_) != 0) fail();
    const int closed = close(descriptor_);
    descriptor_ = -1;
    if (closed != 0) fail();
    const unsigned flags = force ? 0U : static_cast<unsigned>(RENAME_NOREPLACE);
    int outcome = renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), flags);
    // Some file systems know no flags; `check_output` has looked a moment ago.
    if (outcome != 0 && errno == EINVAL) outcome = rename(path_.c_str(), target_.c_str());
    if (outcome != 0) fail();
    renamed_ = true;
  }

 private:
  [[noreturn]] void fail() const {
    throw InvalidInput("cannot write '" + target_ + "': " + std::strerror(errno));
  }

  std::string target_;
  std::string path_;
  int descriptor_ = -1;
  bool renamed_ = false;
};

}  // namespace

void check_output(const std::string& path, bool force) {
  const std::filesystem::path target(path);
  const auto folder = target.has_parent_path() ? target.parent_path() : std::filesystem::path(".");
  std::error_code ignored;
  if (std::filesystem::is_directory(target, ignored)) {
    throw InvalidInput("cannot write '" + path + "': it is a directory; give a file name");
  }
  if (!std::filesystem::is_directory(folder, ignored)) {
    throw InvalidInput("cannot write '" + path + "': the directory '" + folder.string() + "' does not exist");
  }
  if (access(folder.c_str(), W_OK) != 0) {
    throw InvalidInput("cannot write '" + path + "': no permission in '" + folder.string() + "'");
  }
  if (!force && std::filesystem::exists(target, ignored)) {
    throw InvalidInput("'" + path + "' exists already; use --force to overwrite it");
  }
}

void write_output(const std::string& path, std::string_view content, bool force) {
  check_output(path, force);
  TemporaryFile file(path);
  file.write_all(content);
  file.move_into_place(force);
}

}  // namespace jsdiv
