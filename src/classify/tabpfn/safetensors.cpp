#include "classify/tabpfn/safetensors.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "jsdiv/error.hpp"

namespace jsdiv::tabpfn {
namespace {

static_assert(std::endian::native == std::endian::little, "safetensors numbers are read in place");

constexpr std::size_t length_bytes = 8;
constexpr std::size_t max_header_bytes = std::size_t{1} << 20;  // the real files need some 20 kB
constexpr std::size_t max_tensors = 10000;
constexpr std::size_t max_dimensions = 8;

using Json = nlohmann::json;

float half_to_float(std::uint16_t half) {
  const std::uint32_t sign = static_cast<std::uint32_t>(half & 0x8000U) << 16;
  const std::uint32_t exponent = (half >> 10) & 31U;
  const std::uint32_t fraction = half & 1023U;
  if (exponent == 0) {
    const float size = std::ldexp(static_cast<float>(fraction), -24);
    return sign != 0 ? -size : size;
  }
  const std::uint32_t wide_exponent = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | (wide_exponent << 23) | (fraction << 13));
}

std::size_t item_bytes(TensorView::Type type) {
  return type == TensorView::Type::f32 ? sizeof(float) : sizeof(std::uint16_t);
}

/// Parses the header; nothing legal is nested deeper than name -> field -> array, and no name occurs twice.
Json parse_header(std::string_view text, const std::string& source) {
  std::vector<std::set<std::string>> keys;
  std::string problem;
  const auto watch = [&](int depth, Json::parse_event_t event, Json& value) {
    if (depth > 4) problem = "it is nested too deeply";
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second) {
      problem = "'" + value.get<std::string>().substr(0, 80) + "' occurs twice";
    }
    if (!problem.empty()) throw InvalidInput(source + ": bad safetensors header: " + problem);
    return true;
  };
  try {
    return Json::parse(text, watch);
  } catch (const Json::exception&) {
    throw InvalidInput(source + ": bad safetensors header: it is not JSON");
  }
}

/// A header number that is a size: a non-negative integer.
std::size_t size_value(const Json& value, const std::string& where) {
  if (!value.is_number_unsigned()) throw InvalidInput(where + ": sizes must be non-negative integers");
  return value.get<std::size_t>();
}

/// Product of the shape and the item size, checked against the largest it may be.
std::size_t checked_extent(std::span<const std::size_t> shape, std::size_t item, std::size_t limit,
                           const std::string& where) {
  std::size_t extent = item;
  for (const std::size_t length : shape) {
    if (length != 0 && extent > limit / length) throw InvalidInput(where + ": its shape exceeds the file");
    extent *= length;
  }
  return extent;
}

TensorView read_tensor(const Json& entry, std::span<const std::byte> data, const std::string& where) {
  if (!entry.is_object() || entry.size() != 3 || !entry.contains("dtype") || !entry.contains("shape") ||
      !entry.contains("data_offsets")) {
    throw InvalidInput(where + ": needs dtype, shape and data_offsets, nothing else");
  }
  TensorView tensor;
  const Json& type = entry["dtype"];
  if (type == "F32") {
    tensor.type = TensorView::Type::f32;
  } else if (type == "F16") {
    tensor.type = TensorView::Type::f16;
  } else {
    throw InvalidInput(where + ": only types F32 and F16 are read");
  }
  const Json& shape = entry["shape"];
  const Json& offsets = entry["data_offsets"];
  if (!shape.is_array() || shape.size() > max_dimensions) throw InvalidInput(where + ": bad shape");
  if (!offsets.is_array() || offsets.size() != 2) throw InvalidInput(where + ": bad data_offsets");
  for (const Json& length : shape) tensor.shape.push_back(size_value(length, where));
  const std::size_t begin = size_value(offsets[0], where);
  const std::size_t end = size_value(offsets[1], where);
  if (begin > end || end > data.size())
    throw InvalidInput(where + ": its data lie outside the file (truncated?)");
  if (checked_extent(tensor.shape, item_bytes(tensor.type), data.size(), where) != end - begin) {
    throw InvalidInput(where + ": its shape does not fit its data_offsets");
  }
  tensor.bytes = data.subspan(begin, end - begin);
  return tensor;
}

}  // namespace

std::size_t TensorView::count() const {
  return bytes.size() / item_bytes(type);
}

std::vector<float> TensorView::values() const {
  std::vector<float> out(count());
  if (type == Type::f32) {
    if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
    return out;
  }
  for (std::size_t i = 0; i < out.size(); ++i) {
    std::uint16_t half;
    std::memcpy(&half, bytes.data() + 2 * i, sizeof half);
    out[i] = half_to_float(half);
  }
  return out;
}

SafetensorsView::SafetensorsView(std::span<const std::byte> bytes, std::string_view source_name) {
  const std::string source(source_name);
  if (bytes.size() < length_bytes) throw InvalidInput(source + ": too short for a safetensors file");
  std::uint64_t header_bytes;
  std::memcpy(&header_bytes, bytes.data(), length_bytes);
  if (header_bytes > max_header_bytes || header_bytes > bytes.size() - length_bytes) {
    throw InvalidInput(source + ": not a safetensors file, or truncated: its header length does not fit");
  }
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + length_bytes, header_bytes);
  const auto data = bytes.subspan(length_bytes + header_bytes);
  const Json header = parse_header(text, source);
  if (!header.is_object() || header.size() > max_tensors) {
    throw InvalidInput(source + ": bad safetensors header: not an object, or too many tensors");
  }
  std::vector<std::pair<std::size_t, std::size_t>> extents;
  for (const auto& [name, entry] : header.items()) {
    if (name == "__metadata__") {
      if (!entry.is_object()) throw InvalidInput(source + ": bad safetensors metadata");
      for (const auto& [key, value] : entry.items()) {
        if (!value.is_string()) throw InvalidInput(source + ": safetensors metadata must be text");
        metadata_[key] = value.get<std::string>();
      }
      continue;
    }
    TensorView tensor = read_tensor(entry, data, source + ": tensor '" + name.substr(0, 80) + "'");
    const auto begin = static_cast<std::size_t>(tensor.bytes.data() - data.data());
    extents.emplace_back(begin, begin + tensor.bytes.size());
    tensors_.emplace(name, std::move(tensor));
  }
  std::sort(extents.begin(), extents.end());
  std::size_t covered = 0;
  for (const auto& [begin, end] : extents) {
    if (begin != covered) throw InvalidInput(source + ": tensors overlap or leave a gap");
    covered = end;
  }
  if (covered != data.size()) throw InvalidInput(source + ": bytes after the last tensor");
}

MappedFile::MappedFile(const std::string& path) {
  // Without O_NONBLOCK a named pipe would keep us waiting.
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) throw InvalidInput(path + ": cannot be read: " + std::strerror(errno));
  struct stat info {};
  const bool regular = ::fstat(file, &info) == 0 && S_ISREG(info.st_mode);
  void* mapped = MAP_FAILED;
  if (regular && info.st_size > 0) {
    size_ = static_cast<std::size_t>(info.st_size);
    mapped = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  }
  ::close(file);
  if (!regular) throw InvalidInput(path + ": not a regular file");
  if (info.st_size == 0) throw InvalidInput(path + ": is empty");
  if (mapped == MAP_FAILED)
    throw InvalidInput(path + ": cannot be mapped into memory: " + std::strerror(errno));
  data_ = static_cast<const std::byte*>(mapped);
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace jsdiv::tabpfn
