#pragma once

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace jsdiv::testing {

/// An array of numbers as numpy saved it, C order, converted to double.
struct Array {
  std::vector<std::size_t> shape;
  std::vector<double> values;

  std::size_t rows() const { return shape.at(0); }
  std::size_t cols() const { return shape.size() > 1 ? shape[1] : 1; }
};

namespace npz_detail {

template <typename T>
T read(const std::string& bytes, std::size_t at) {
  T value;
  if (at + sizeof value > bytes.size()) throw std::runtime_error("npz: truncated");
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

template <typename T>
std::vector<double> numbers(const std::string& bytes, std::size_t at, std::size_t count) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<double>(read<T>(bytes, at + i * sizeof(T)));
  return out;
}

inline Array parse_npy(const std::string& bytes) {
  if (bytes.compare(0, 6, "\x93NUMPY") != 0) throw std::runtime_error("npz: not an array");
  const std::size_t length = read<std::uint16_t>(bytes, 8);
  const std::string header = bytes.substr(10, length);
  if (header.find("'fortran_order': False") == std::string::npos)
    throw std::runtime_error("npz: not C order");
  Array array;
  std::size_t count = 1;
  for (std::size_t at = header.find("'shape': (") + 10; header[at] != ')';) {
    if (header[at] == ',' || header[at] == ' ') {
      ++at;
      continue;
    }
    std::size_t used = 0;
    array.shape.push_back(std::stoul(header.substr(at), &used));
    count *= array.shape.back();
    at += used;
  }
  const std::size_t start = 10 + length;
  if (header.find("'<f8'") != std::string::npos)
    array.values = numbers<double>(bytes, start, count);
  else if (header.find("'<f4'") != std::string::npos)
    array.values = numbers<float>(bytes, start, count);
  else if (header.find("'<i8'") != std::string::npos)
    array.values = numbers<std::int64_t>(bytes, start, count);
  else
    throw std::runtime_error("npz: unsupported type in " + header);
  return array;
}

}  // namespace npz_detail

/// Reads what numpy.savez wrote: a zip archive of uncompressed arrays.
inline std::map<std::string, Array> read_npz(const std::string& path) {
  using npz_detail::read;
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  const std::size_t end = bytes.rfind("PK\x05\x06");
  if (end == std::string::npos) throw std::runtime_error(path + ": no zip archive");
  std::map<std::string, Array> arrays;
  std::size_t entry = read<std::uint32_t>(bytes, end + 16);
  for (int left = read<std::uint16_t>(bytes, end + 10); left > 0; --left) {
    if (read<std::uint16_t>(bytes, entry + 10) != 0) throw std::runtime_error(path + ": compressed");
    const std::size_t size = read<std::uint32_t>(bytes, entry + 24);
    const std::size_t name_length = read<std::uint16_t>(bytes, entry + 28);
    const std::size_t local = read<std::uint32_t>(bytes, entry + 42);
    const std::size_t data =
        local + 30 + read<std::uint16_t>(bytes, local + 26) + read<std::uint16_t>(bytes, local + 28);
    const std::string name = bytes.substr(entry + 46, name_length);
    arrays[name.substr(0, name.rfind(".npy"))] = npz_detail::parse_npy(bytes.substr(data, size));
    entry +=
        46 + name_length + read<std::uint16_t>(bytes, entry + 30) + read<std::uint16_t>(bytes, entry + 32);
  }
  return arrays;
}

}  // namespace jsdiv::testing
