#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/assert.hpp"
#include "jsdiv/error.hpp"
#include "load/arrow_column.hpp"

namespace jsdiv::fuzz {

/// Hands out the bytes of an input; zeros after its end.
class ByteSource {
 public:
  explicit ByteSource(std::string_view bytes) : bytes_(bytes) {}

  template <typename T>
  T take() {
    T value{};
    const std::string_view part = bytes_.substr(0, sizeof value);
    std::memcpy(&value, part.data(), part.size());
    bytes_.remove_prefix(part.size());
    return value;
  }
  std::int64_t below(int limit) { return take<std::uint8_t>() % limit; }
  /// Mostly a small number, sometimes one that no array can have. Any other is the producer's word, which
  /// nobody can check.
  std::int64_t length() {
    const auto kind = take<std::uint8_t>();
    if (kind < 255) return kind % 40;
    const auto any = take<std::int64_t>();
    return any >= 0 && any <= INT64_MAX / 64 ? any % 40 : any;
  }

 private:
  std::string_view bytes_;
};

/// One array of the C data interface whose buffers are as long as its numbers of rows say, and no longer:
/// what they hold, and those numbers, are the fuzzer's.
struct CraftedArray {
  CraftedArray(ByteSource& bytes, std::string_view format) {
    array.length = bytes.length();
    array.offset = bytes.length();
    array.null_count = bytes.below(4) - 1;
    const bool plausible = array.length >= 0 && array.length < 64 && array.offset >= 0 && array.offset < 64;
    const auto cells = static_cast<std::size_t>(plausible ? array.offset + array.length : 0);
    if (bytes.below(2) == 1) fill(bytes, 0, (cells + 7) / 8);
    const bool wide_text = format == "U";
    if (format == "u" || wide_text) {
      add_texts(bytes, cells, wide_text);
    } else if (format == "vu") {
      add_views(bytes, cells);
    } else {
      fill(bytes, 1, format == "b" ? (cells + 7) / 8 : cells * width(format));
      array.n_buffers = 2;
    }
    const std::int64_t fault = bytes.below(16);
    if (fault == 1) array.n_buffers = bytes.below(4);
    if (fault == 2) pointers[static_cast<std::size_t>(bytes.below(5))] = nullptr;
    array.buffers = fault == 3 ? nullptr : pointers.data();
  }

  ArrowArray array{};

 private:
  static std::size_t width(std::string_view format) {
    if (format.empty()) return 0;
    if (format.starts_with("d:")) return format.ends_with(",256") ? 32 : format.ends_with(",32") ? 4 : 16;
    if (format == "tdD") return 4;
    if (format.size() > 1) return 8;
    constexpr std::string_view one = "cC", two = "sSe", four = "iIf";
    if (one.find(format[0]) != std::string_view::npos) return 1;
    if (two.find(format[0]) != std::string_view::npos) return 2;
    return four.find(format[0]) != std::string_view::npos ? 4 : 8;
  }

  /// A buffer of exactly `size` bytes, so that the address sanitizer sees the first byte beyond.
  char* fill(ByteSource& bytes, std::size_t index, std::size_t size) {
    memory[index] = std::make_unique<char[]>(size);
    for (std::size_t i = 0; i < size; ++i) memory[index][i] = bytes.take<char>();
    pointers[index] = memory[index].get();
    return memory[index].get();
  }

  void add_texts(ByteSource& bytes, std::size_t cells, bool wide) {
    const std::size_t size = wide ? 8 : 4;
    memory[1] = std::make_unique<char[]>((cells + 1) * size);
    pointers[1] = memory[1].get();
    std::int64_t end = 0;
    for (std::size_t i = 0; i <= cells; ++i) {
      const auto step = bytes.take<std::int8_t>();
      end = step == 127 ? bytes.take<std::int32_t>() : end + step % 16;
      std::memcpy(memory[1].get() + i * size, &end, size);  // little-endian
    }
    if (end >= 0 && end < 4096) fill(bytes, 2, static_cast<std::size_t>(end));
    array.n_buffers = 3;
  }

  void add_views(ByteSource& bytes, std::size_t cells) {
    fill(bytes, 1, cells * 16);
    const auto buffers = static_cast<std::size_t>(bytes.below(3));
    std::int64_t sizes[2] = {0, 0};
    for (std::size_t k = 0; k < buffers; ++k) {
      sizes[k] = bytes.below(64);
      fill(bytes, 2 + k, static_cast<std::size_t>(sizes[k]));
    }
    char* const last = fill(bytes, 2 + buffers, buffers * 8);
    std::memcpy(last, sizes, buffers * 8);
    array.n_buffers = static_cast<std::int64_t>(3 + buffers);
  }

  std::array<std::unique_ptr<char[]>, 5> memory;
  std::array<const void*, 5> pointers{};
};

inline std::string crafted_format(ByteSource& bytes) {
  static constexpr std::array<std::string_view, 27> known = {
      "n",   "c",   "s",          "i",   "l",      "C",          "S",        "I",   "L",
      "e",   "f",   "g",          "b",   "u",      "U",          "vu",       "tdD", "tdm",
      "tss", "tsn", "tsu:Europe", "tDm", "d:10,2", "d:10,2,256", "d:9,0,32", "+s",  "z"};
  const auto kind = bytes.take<std::uint8_t>();
  if (kind < 200) return std::string(known[kind % known.size()]);
  std::string raw;
  for (std::int64_t i = bytes.below(12); i > 0; --i) raw.push_back(bytes.take<char>());
  return raw.c_str();  // a C string
}

/// The properties that hold for a column of crafted Arrow structures: refused in one line, or as many cells
/// as there are rows, each of them what its type allows. True if it was accepted.
inline bool check_arrow(std::string_view text) {
  ByteSource bytes(text);
  const std::string format = crafted_format(bytes);
  const std::string value_format = crafted_format(bytes);
  const bool coded = bytes.below(4) == 0;
  ArrowSchema values{};
  values.format = value_format.c_str();
  ArrowSchema schema{};
  schema.format = bytes.below(32) == 31 ? nullptr : format.c_str();
  schema.name = bytes.below(8) == 7 ? nullptr : "x";
  if (coded) schema.dictionary = &values;
  std::size_t rows = 0;
  try {
    ArrowColumn column(schema, 0);
    for (int batch = 0; batch < 2; ++batch) {
      CraftedArray dictionary(bytes, value_format);
      CraftedArray crafted(bytes, format);
      if (coded && bytes.below(16) != 15) crafted.array.dictionary = &dictionary.array;
      const std::int64_t offset = bytes.length();
      const std::int64_t length = bytes.length();
      column.append(crafted.array, offset, length);
      rows += static_cast<std::size_t>(length);
    }
    const Column read = column.finish();
    JSDIV_ASSERT(read.values.size() == rows);
    for (const double value : read.values) {
      if (std::isnan(value)) continue;
      if (read.type == ColumnType::category)
        JSDIV_ASSERT(value >= 0 && value < static_cast<double>(read.levels.size()));
      if (read.type == ColumnType::boolean) JSDIV_ASSERT(value == 0 || value == 1);
    }
    return true;
  } catch (const InvalidInput& error) {
    JSDIV_ASSERT(std::string_view(error.what()).find('\n') == std::string_view::npos);
    return false;
  }
}

}  // namespace jsdiv::fuzz
