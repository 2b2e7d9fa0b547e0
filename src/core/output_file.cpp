#include "core/output_file.hpp"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <set>
#include <utility>

#include "core/format.hpp"
#include "core/stop.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

constexpr std::string_view temporary_prefix = ".jsdiv-";
constexpr std::string_view temporary_suffix = ".tmp";

InvalidInput cannot_write(const std::string& path, const std::string& why) {
  return InvalidInput("cannot write '" + path + "': " + why);
}

InvalidInput cannot_write(const std::string& path, int error) {
  return cannot_write(path, std::string(std::strerror(error)));
}

void write_all(int descriptor, std::string_view content, const std::string& path) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) {
      throw_if_interrupted();
      continue;
    }
    if (written <= 0) throw cannot_write(path, errno);
    content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Paths of temporary files where a signal handler finds them: no memory is freed or moved, and a place is
/// written to only while it is not in use.
class Registry {
 public:
  static constexpr int none = -1;

  int add(const std::string& path) noexcept {
    if (path.size() >= PATH_MAX) return none;
    for (std::size_t i = 0; i < places_.size(); ++i) {
      State expected = State::free;
      if (!places_[i].state.compare_exchange_strong(expected, State::claimed)) continue;
      while (leaving_) pause();
      std::memcpy(places_[i].path.data(), path.c_str(), path.size() + 1);
      places_[i].state = State::used;
      return static_cast<int>(i);
    }
    return none;
  }
  void remove(int place) noexcept {
    if (place != none) places_[static_cast<std::size_t>(place)].state = State::free;
  }
  void unlink_all() noexcept {
    leaving_ = true;
    for (const Place& place : places_) {
      if (place.state == State::used) unlink(place.path.data());
    }
  }

 private:
  enum class State : std::uint8_t { free, claimed, used };
  struct Place {
    std::atomic<State> state{State::free};
    std::array<char, PATH_MAX> path{};
  };
  std::array<Place, 64> places_;
  std::atomic<bool> leaving_{false};
};

Registry registry;

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string random_name() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof number, 0) != sizeof number) throw cannot_write("temporary file", errno);
  return std::string(temporary_prefix) + format("%016llx", static_cast<unsigned long long>(number)) +
         std::string(temporary_suffix);
}

/// These names stand for what the shell opened, and are written to as they are even if that is a file.
bool names_descriptor(const std::string& path) {
  return path == "/dev/stdout" || path == "/dev/stderr" || path.starts_with("/dev/fd/") ||
         path.starts_with("/proc/self/fd/");
}

/// `path` without symbolic links; it exists.
std::string resolved(const std::string& path) {
  const std::unique_ptr<char, decltype(&std::free)> real(realpath(path.c_str(), nullptr), std::free);
  if (real == nullptr) throw cannot_write(path, errno);
  return real.get();
}

void sync_folder(const std::string& folder) {
  const int descriptor = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;  // without permission to read it; the file itself is safe
  fsync(descriptor);
  close(descriptor);
}

/// True once for each folder: a run that writes many files looks for leftovers at the first.
bool is_new_to_us(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> seen;
  const std::lock_guard lock(mutex);
  return seen.insert(folder).second;
}

struct Place {
  std::string target;
  bool is_stream;
};

/// Where an output of that name goes. Throws InvalidInput if it cannot be written.
Place find_place(const std::string& path, bool force) {
  if (path.empty()) throw InvalidInput("the name of an output file is empty");
  if (path == "-") throw InvalidInput("'-' is not a file name here; for standard output use /dev/stdout");
  std::string target = path;
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode)) throw cannot_write(path, "it is a directory; give a file name");
    if (S_ISBLK(status.st_mode) || S_ISSOCK(status.st_mode))
      throw cannot_write(path, "it is neither a file nor a pipe");
    if (!S_ISREG(status.st_mode) || names_descriptor(path)) return {path, true};
    if (!force)
      throw InvalidInput("'" + path + "' already exists; use " + mention("force") + " to overwrite it");
    target = resolved(path);
  } else if (lstat(path.c_str(), &status) == 0) {
    if (!S_ISLNK(status.st_mode))
      return find_place(path, force);  // made by another run between the two looks
    throw cannot_write(path, "it is a dangling symbolic link; remove it or choose another name");
  } else if (errno != ENOENT && errno != ENOTDIR) {
    throw cannot_write(path, errno);
  }
  const std::string folder = folder_of(target);
  if (stat(folder.c_str(), &status) != 0 || !S_ISDIR(status.st_mode))
    throw cannot_write(path, "the directory '" + folder + "' does not exist");
  if (access(folder.c_str(), W_OK | X_OK) != 0) throw cannot_write(path, "no permission in '" + folder + "'");
  return {target, false};
}

}  // namespace

class OutputFile::Stream {
 public:
  explicit Stream(const std::string& path) {
    do {
      throw_if_interrupted();
      descriptor_ = open(path.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
    } while (descriptor_ < 0 && errno == EINTR);
    if (descriptor_ < 0) throw cannot_write(path, errno);
  }
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (descriptor_ >= 0) close(descriptor_);
  }

  void write(std::string_view content, const std::string& path) {
    write_all(descriptor_, content, path);
    if (close(std::exchange(descriptor_, -1)) != 0) throw cannot_write(path, errno);
  }

 private:
  int descriptor_;
};

/// Locked as long as its process lives, which is how others know that it is in use; removed unless it was
/// renamed into place.
class OutputFile::Temporary {
 public:
  Temporary(const std::string& folder, const std::string& path) {
    do {
      path_ = folder + "/" + random_name();
      place_ = registry.add(path_);
      descriptor_ = open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
      if (descriptor_ >= 0) {
        flock(descriptor_, LOCK_EX | LOCK_NB);
        struct stat status {};
        // Another process may have taken it for a leftover before it was locked.
        if (fstat(descriptor_, &status) == 0 && status.st_nlink > 0) return;
        close(descriptor_);
        errno = EEXIST;
      }
      registry.remove(place_);
    } while (errno == EEXIST || errno == EINTR);
    throw cannot_write(path, errno);
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;
  ~Temporary() {
    if (!renamed_) unlink(path_.c_str());
    close(descriptor_);
    registry.remove(place_);
  }

  void write(std::string_view content, const std::string& path) { write_all(descriptor_, content, path); }

  void move_to(const std::string& target, bool force, const std::string& path) {
    if (fsync(descriptor_) != 0) throw cannot_write(path, errno);
    const unsigned flags = force ? 0U : static_cast<unsigned>(RENAME_NOREPLACE);
    int outcome = renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target.c_str(), flags);
    // Some file systems know no flags; the constructor of OutputFile has looked.
    if (outcome != 0 && errno == EINVAL) outcome = rename(path_.c_str(), target.c_str());
    if (outcome != 0) throw cannot_write(path, errno);
    renamed_ = true;
    sync_folder(folder_of(target));
  }

 private:
  std::string path_;
  int place_ = Registry::none;
  int descriptor_ = -1;
  bool renamed_ = false;
};

OutputFile::OutputFile(const std::string& path, bool force) : path_(path), force_(force) {
  const Place place = find_place(path, force);
  target_ = place.target;
  if (place.is_stream) {
    stream_ = std::make_unique<Stream>(path);
  } else {
    if (is_new_to_us(folder_of(target_))) remove_leftovers(folder_of(target_));
    temporary_ = std::make_unique<Temporary>(folder_of(target_), path);
  }
}

void check_output(const std::string& path, bool force) {
  find_place(path, force);
}

OutputFile::OutputFile(OutputFile&&) noexcept = default;
OutputFile& OutputFile::operator=(OutputFile&&) noexcept = default;
OutputFile::~OutputFile() = default;

void OutputFile::write(std::string_view content) {
  if (stream_) {
    stream_->write(content, path_);
    return;
  }
  temporary_->write(content, path_);
  temporary_->move_to(target_, force_, path_);
}

void refuse_overlap(const std::vector<const OutputFile*>& outputs, const std::vector<std::string>& inputs) {
  const auto place = [](const std::string& path) {
    return resolved(folder_of(path)) + "/" + path.substr(path.rfind('/') + 1);
  };
  std::set<std::string> places;
  for (const OutputFile* output : outputs) {
    if (output == nullptr || output->stream_) continue;
    if (!places.insert(place(output->target_)).second)
      throw cannot_write(output->path_, "another output has the same name; choose different names");
    struct stat written {};
    if (stat(output->target_.c_str(), &written) != 0) continue;
    for (const std::string& input : inputs) {
      struct stat read {};
      if (stat(input.c_str(), &read) == 0 && read.st_dev == written.st_dev && read.st_ino == written.st_ino)
        throw cannot_write(output->path_, "it is one of the input files; choose another name");
    }
  }
}

void write_output(const std::string& path, std::string_view content, bool force) {
  OutputFile(path, force).write(content);
}

void remove_leftovers(const std::string& folder) {
  const auto close_listing = [](DIR* open) { closedir(open); };
  const std::unique_ptr<DIR, decltype(close_listing)> listing(opendir(folder.c_str()), close_listing);
  if (listing == nullptr) return;
  while (const dirent* entry = readdir(listing.get())) {
    const std::string_view name = entry->d_name;
    if (!name.starts_with(temporary_prefix) || !name.ends_with(temporary_suffix)) continue;
    const int descriptor =
        openat(dirfd(listing.get()), entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (descriptor < 0) continue;
    struct stat status {};
    if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode) &&
        flock(descriptor, LOCK_EX | LOCK_NB) == 0) {
      unlinkat(dirfd(listing.get()), entry->d_name, 0);
    }
    close(descriptor);
  }
}

void remove_temporary_files() noexcept {
  registry.unlink_all();
}

}  // namespace jsdiv
