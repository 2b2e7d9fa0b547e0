#include "load/input.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <utility>

#include "core/byte_count.hpp"
#include "core/stop.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t buffer_step = std::size_t{1} << 20;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

InvalidInput broken(const std::string& path, std::string_view format, std::string_view why) {
  return InvalidInput(path + ": broken " + std::string(format) + " data (" + std::string(why) +
                      "); compress the file again");
}

/// Room for at least one more step at the end of `out`; doubles, so that growth is linear in total.
void make_room(std::string& out, std::size_t used) {
  if (out.size() - used < buffer_step) out.resize(std::max(2 * out.size(), used + buffer_step));
}

std::string gunzip(const std::string& path, std::string_view packed, const UnpackLimit& limit) {
  z_stream stream{};
  if (inflateInit2(&stream, 15 + 16) != Z_OK) throw std::bad_alloc();
  const std::unique_ptr<z_stream, decltype(&inflateEnd)> guard(&stream, inflateEnd);
  std::string out;
  std::size_t used = 0;
  std::size_t taken = 0;
  bool member_ended = false;
  while (taken < packed.size() || !member_ended) {
    throw_if_interrupted();
    make_room(out, used);
    const std::size_t offered = std::min<std::size_t>(packed.size() - taken, std::size_t{1} << 30);
    const std::size_t room = std::min<std::size_t>(out.size() - used, std::size_t{1} << 30);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data() + taken));
    stream.avail_in = static_cast<uInt>(offered);
    stream.next_out = reinterpret_cast<Bytef*>(out.data() + used);
    stream.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream, Z_NO_FLUSH);
    taken += offered - stream.avail_in;
    used += room - stream.avail_out;
    limit.check(path, packed.size(), used);
    if (status == Z_MEM_ERROR) throw std::bad_alloc();
    if (status == Z_STREAM_END) {
      member_ended = true;
      if (taken < packed.size()) {  // gzip files may be joined end to end
        member_ended = false;
        inflateReset(&stream);
      }
    } else if (status != Z_OK) {
      throw broken(path, "gzip",
                   taken == packed.size() ? "unexpected end of data" : "it cannot be decompressed");
    }
  }
  out.resize(used);
  return out;
}

std::string unpack_zstd(const std::string& path, std::string_view packed, const UnpackLimit& limit) {
  const std::unique_ptr<ZSTD_DStream, decltype(&ZSTD_freeDStream)> stream(ZSTD_createDStream(),
                                                                          ZSTD_freeDStream);
  if (!stream) throw std::bad_alloc();
  std::string out;
  std::size_t used = 0;
  ZSTD_inBuffer input{packed.data(), packed.size(), 0};
  std::size_t pending = 1;
  while (input.pos < input.size || pending != 0) {
    throw_if_interrupted();
    make_room(out, used);
    ZSTD_outBuffer output{out.data() + used, out.size() - used, 0};
    const std::size_t taken_before = input.pos;
    pending = ZSTD_decompressStream(stream.get(), &output, &input);
    if (ZSTD_getErrorCode(pending) == ZSTD_error_memory_allocation) throw std::bad_alloc();
    if (ZSTD_isError(pending)) throw broken(path, "zstd", ZSTD_getErrorName(pending));
    used += output.pos;
    limit.check(path, packed.size(), used);
    if (pending != 0 && output.pos == 0 && input.pos == taken_before) {
      throw broken(path, "zstd", "unexpected end of data");
    }
  }
  out.resize(used);
  return out;
}

std::string read_all(int descriptor, const std::string& path, std::size_t limit) {
  std::string out;
  std::size_t used = 0;
  for (;;) {
    throw_if_interrupted();
    make_room(out, used);
    const ssize_t count = ::read(descriptor, out.data() + used, out.size() - used);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw InvalidInput(path + ": cannot be read (" + std::strerror(errno) + ")");
    if (count == 0) break;
    used += static_cast<std::size_t>(count);
    if (used > limit)
      throw InvalidInput(path + ": provided more than " + format_bytes(static_cast<double>(limit)) +
                         " without ending; use a file instead");
  }
  out.resize(used);
  return out;
}

class Descriptor {
 public:
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (value_ >= 0) ::close(value_);
  }
  int get() const { return value_; }
  void release() { value_ = -1; }

 private:
  int value_;
};

}  // namespace

UnpackLimit UnpackLimit::of(const LoadOptions& options) {
  if (options.max_unpacked.empty()) return standard();
  return {.bytes = parse_bytes(options.max_unpacked, "max_unpacked"), .by_option = true};
}

UnpackLimit UnpackLimit::standard() {
  return {.bytes = parse_bytes(std::string(LoadOptions::default_max_unpacked))};
}

void UnpackLimit::check(const std::string& path, std::size_t packed, std::size_t unpacked) const {
  if (unpacked <= bytes) return;
  const Message what = path + ": decompresses from " + std::to_string(packed) + " bytes to more than " +
                       format_bytes(static_cast<double>(bytes));
  if (by_option) {
    throw InvalidInput(what + "; if that is intended, increase " + mention("max_unpacked"),
                       {.option = "max_unpacked"});
  }
  throw InvalidInput(what + ", the limit here");
}

InputFile InputFile::open(const std::string& path, UnpackLimit limit) {
  if (path == "-") return from_descriptor(::dup(STDIN_FILENO), "standard input", limit);
  int opened = -1;
  do {
    throw_if_interrupted();  // a named pipe opens when somebody writes to it
    opened = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOCTTY);
  } while (opened < 0 && errno == EINTR);
  return from_descriptor(opened, path, limit);
}

InputFile InputFile::from_descriptor(int opened, const std::string& path, UnpackLimit limit) {
  if (opened < 0) {
    throw InvalidInput(path + (errno == ENOENT
                                   ? ": no such file; check the path"
                                   : ": cannot be opened (" + std::string(std::strerror(errno)) + ")"));
  }
  Descriptor descriptor(opened);
  struct stat status {};
  if (::fstat(descriptor.get(), &status) != 0) throw InvalidInput(path + ": " + std::strerror(errno));
  if (S_ISDIR(status.st_mode)) throw InvalidInput(path + ": is a directory; name a file");

  InputFile file;
  file.path_ = path;
  file.limit_ = limit;
  file.map_ = FileMap::of(descriptor.get());
  if (file.map_) {
    descriptor.release();
  } else {
    const bool endless = S_ISCHR(status.st_mode);
    file.copy_ = read_all(descriptor.get(), path, endless ? limit.bytes : SIZE_MAX);
  }

  const std::string_view raw = file.raw();
  const std::string name = lower(path);
  if (raw.starts_with("\x1f\x8b")) {
    file.unpacked_text_ = gunzip(path, raw, limit);
    file.unpacked_ = true;
  } else if (raw.starts_with("\x28\xb5\x2f\xfd")) {
    file.unpacked_text_ = unpack_zstd(path, raw, limit);
    file.unpacked_ = true;
  } else if (!raw.empty() && (name.ends_with(".gz") || name.ends_with(".zst"))) {
    throw InvalidInput(path + ": is not compressed, although its name says so; rename or compress it");
  }
  return file;
}

InputFile InputFile::from_memory(std::string name, std::string text) {
  InputFile file;
  file.path_ = std::move(name);
  file.copy_ = std::move(text);
  return file;
}

void InputFile::check_unchanged() const {
  if (map_ && map_->changed())
    throw InvalidInput(path_ + ": changed while it was being read; run again when nothing is writing to it");
}

std::string InputFile::extension() const {
  std::string name = lower(path_);
  for (const std::string_view packed : {".gz", ".zst"}) {
    if (name.ends_with(packed)) name.resize(name.size() - packed.size());
  }
  const std::size_t dot = name.find_last_of("./");
  return dot == std::string::npos || name[dot] == '/' ? "" : name.substr(dot);
}

}  // namespace jsdiv
