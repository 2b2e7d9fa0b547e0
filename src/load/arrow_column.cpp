#include "load/arrow_column.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "core/assert.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"
#include "load/column_builder.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

bool bit_at(const void* bits, std::int64_t index) {
  return ((static_cast<const std::uint8_t*>(bits)[index / 8] >> (index % 8)) & 1) != 0;
}

/// Which cells of an array are null; index 0 is the first one after the array's own offset.
class Validity {
 public:
  explicit Validity(const ArrowArray& array)
      : bits_(array.null_count == 0 || array.n_buffers == 0 ? nullptr : array.buffers[0]),
        offset_(array.offset) {}
  bool is_null(std::int64_t index) const { return bits_ != nullptr && !bit_at(bits_, offset_ + index); }

 private:
  const void* bits_;
  std::int64_t offset_;
};

double half_to_double(std::uint16_t half) {
  const int exponent = (half >> 10) & 0x1F;
  const double fraction = half & 0x3FF;
  const double size = exponent == 0    ? std::ldexp(fraction, -24)
                      : exponent == 31 ? (fraction == 0 ? std::numeric_limits<double>::infinity() : missing)
                                       : std::ldexp(1024 + fraction, exponent - 25);
  return (half & 0x8000) != 0 ? -size : size;
}

double units_per_second(char unit) {
  switch (unit) {
    case 's':
      return 1;
    case 'm':
      return 1e3;
    case 'u':
      return 1e6;
    default:
      return 1e9;
  }
}

/// The type in words, for messages; its format string where it is a rare one.
std::string type_name(std::string_view format) {
  if (format.starts_with("+l") || format.starts_with("+L") || format.starts_with("+v") ||
      format.starts_with("+w")) {
    return "list";
  }
  if (format == "+s") return "struct";
  if (format == "+m") return "map";
  if (format == "z" || format == "Z" || format == "vz" || format.starts_with("w:")) return "binary";
  if (format.starts_with("tt")) return "time of day";
  return quoted(format);
}

/// Bits that stand for a 16-bit float.
struct Half {
  std::uint16_t bits;
  explicit operator double() const { return half_to_double(bits); }
};

}  // namespace

ArrowColumn::ArrowColumn(const ArrowSchema& schema, std::size_t rows)
    : name_(schema.name == nullptr ? "" : schema.name) {
  parse(schema);
  values_.reserve(rows);
}

void ArrowColumn::refuse(std::string_view format) const {
  throw InvalidInput("column " + quoted(name_) + " has the Arrow type " + type_name(format) +
                         ", which cannot be compared; leave it out with " + mention("ignore", name_),
                     {.option = "", .column = name_});
}

void ArrowColumn::refuse_data(std::string_view why) const {
  throw InvalidInput("column " + quoted(name_) + " holds broken Arrow data (" + std::string(why) +
                         "); write or make it again",
                     {.option = "", .column = name_});
}

void ArrowColumn::parse(const ArrowSchema& schema) {
  const std::string_view format = schema.format == nullptr ? "" : schema.format;
  static constexpr std::pair<char, Layout> plain[] = {
      {'n', Layout::nothing}, {'c', Layout::int8},    {'s', Layout::int16},   {'i', Layout::int32},
      {'l', Layout::int64},   {'C', Layout::uint8},   {'S', Layout::uint16},  {'I', Layout::uint32},
      {'L', Layout::uint64},  {'e', Layout::float16}, {'f', Layout::float32}, {'g', Layout::float64},
      {'b', Layout::bits},    {'u', Layout::text32},  {'U', Layout::text64}};
  std::optional<Layout> layout;
  if (format.size() == 1) {
    for (const auto& [letter, candidate] : plain) {
      if (letter == format[0]) layout = candidate;
    }
  } else if (format == "vu") {
    layout = Layout::text_view;
  } else if (format == "tdD" || format == "tdm") {
    layout = format == "tdD" ? Layout::int32 : Layout::int64;
    divisor_ = format == "tdD" ? 1.0 / 86400 : 1e3;
    type_ = ColumnType::datetime;
  } else if (format.starts_with("ts") && format.size() >= 3) {
    layout = Layout::int64;
    divisor_ = units_per_second(format[2]);
    type_ = ColumnType::datetime;
  } else if (format.starts_with("tD") && format.size() == 3) {
    layout = Layout::int64;
    divisor_ = units_per_second(format[2]);
  } else if (format.starts_with("d:")) {
    layout = Layout::decimal;
    parse_decimal(format);
  }
  if (!layout) refuse(format);
  layout_ = *layout;
  if (schema.dictionary != nullptr) {
    if (layout_ < Layout::int8 || layout_ > Layout::uint64 || schema.dictionary->dictionary != nullptr)
      refuse("dictionary");
    index_ = std::exchange(layout_, Layout::dictionary);
    ArrowSchema values = *schema.dictionary;
    values.name = schema.name;
    dictionary_ = std::make_unique<ArrowColumn>(values, 0);
    type_ = dictionary_->type_;
    return;
  }
  if (layout_ == Layout::bits) type_ = ColumnType::boolean;
  if (layout_ == Layout::text32 || layout_ == Layout::text64 || layout_ == Layout::text_view) {
    type_ = ColumnType::category;
  }
}

/// d:precision,scale or d:precision,scale,bits
void ArrowColumn::parse_decimal(std::string_view format) {
  int numbers[3] = {0, 0, 128};
  int count = 0;
  const char* at = format.data() + 2;
  const char* const end = format.data() + format.size();
  while (at < end && count < 3) {
    const auto parsed = std::from_chars(at, end, numbers[count]);
    if (parsed.ec != std::errc()) refuse(format);
    ++count;
    at = parsed.ptr + 1;
  }
  const int bits = numbers[2];
  if (count < 2 || (bits != 32 && bits != 64 && bits != 128 && bits != 256)) refuse(format);
  decimal_bytes_ = bits / 8;
  divisor_ = std::pow(10.0, numbers[1]);
}

void ArrowColumn::check(const ArrowArray& array, std::int64_t offset, std::int64_t length) const {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max() / 64;  // a cell has at most 32 bytes
  const bool inside = offset >= 0 && length >= 0 && array.length >= 0 && array.offset >= 0 &&
                      array.length <= most && array.offset <= most && offset <= most && length <= most &&
                      offset + length <= array.length;
  if (!inside) refuse_data("rows outside of the array");
  if (layout_ == Layout::nothing || length == 0) return;
  const bool text = layout_ == Layout::text32 || layout_ == Layout::text64 || layout_ == Layout::text_view;
  if (array.buffers == nullptr || array.n_buffers < (text ? 3 : 2) || array.buffers[1] == nullptr)
    refuse_data("a buffer is missing");
}

void ArrowColumn::append(const ArrowArray& array, std::int64_t offset, std::int64_t length) {
  check(array, offset, length);
  if (length == 0 && layout_ != Layout::dictionary) return;
  switch (layout_) {
    case Layout::nothing:
      values_.insert(values_.end(), static_cast<std::size_t>(length), missing);
      return;
    case Layout::int8:
      return append_numbers<std::int8_t>(array, offset, length);
    case Layout::int16:
      return append_numbers<std::int16_t>(array, offset, length);
    case Layout::int32:
      return append_numbers<std::int32_t>(array, offset, length);
    case Layout::int64:
      return append_numbers<std::int64_t>(array, offset, length);
    case Layout::uint8:
      return append_numbers<std::uint8_t>(array, offset, length);
    case Layout::uint16:
      return append_numbers<std::uint16_t>(array, offset, length);
    case Layout::uint32:
      return append_numbers<std::uint32_t>(array, offset, length);
    case Layout::uint64:
      return append_numbers<std::uint64_t>(array, offset, length);
    case Layout::float16:
      return append_numbers<Half>(array, offset, length);
    case Layout::float32:
      return append_numbers<float>(array, offset, length);
    case Layout::float64:
      return append_numbers<double>(array, offset, length);
    case Layout::bits: {
      const Validity validity(array);
      for (std::int64_t i = offset; i < offset + length; ++i) {
        values_.push_back(validity.is_null(i)                          ? missing
                          : bit_at(array.buffers[1], array.offset + i) ? 1.0
                                                                       : 0.0);
      }
      return;
    }
    case Layout::decimal:
      return append_decimals(array, offset, length);
    case Layout::text32:
      return append_texts<std::int32_t>(array, offset, length);
    case Layout::text64:
      return append_texts<std::int64_t>(array, offset, length);
    case Layout::text_view:
      return append_text_views(array, offset, length);
    case Layout::dictionary:
      return append_dictionary(array, offset, length);
  }
}

template <typename T>
void ArrowColumn::append_numbers(const ArrowArray& array, std::int64_t offset, std::int64_t length) {
  const Validity validity(array);
  const T* const cells = static_cast<const T*>(array.buffers[1]) + array.offset;
  for (std::int64_t i = offset; i < offset + length; ++i) {
    values_.push_back(validity.is_null(i) ? missing : static_cast<double>(cells[i]) / divisor_);
  }
}

template <typename Offset>
void ArrowColumn::append_texts(const ArrowArray& array, std::int64_t offset, std::int64_t length) {
  const Validity validity(array);
  const Offset* const ends = static_cast<const Offset*>(array.buffers[1]) + array.offset;
  const char* const letters = static_cast<const char*>(array.buffers[2]);
  const Offset last = ends[array.length];  // the size of all texts
  for (std::int64_t i = offset; i < offset + length; ++i) {
    // Also of null cells: those after them must not lie lower.
    if (ends[i] < 0 || ends[i + 1] < ends[i] || ends[i + 1] > last)
      refuse_data("texts that end before they begin");
    if (validity.is_null(i)) {
      values_.push_back(missing);
      continue;
    }
    const auto size = static_cast<std::size_t>(ends[i + 1] - ends[i]);
    if (size > 0 && letters == nullptr) refuse_data("a buffer is missing");
    values_.push_back(
        levels_.intern_copy(size == 0 ? std::string_view() : std::string_view(letters + ends[i], size)));
  }
}

void ArrowColumn::append_text_views(const ArrowArray& array, std::int64_t offset, std::int64_t length) {
  // A view is 16 bytes: the length, then the text itself if it has at most 12 letters, otherwise its first
  // four letters, the buffer it is in and where.
  constexpr std::int32_t longest_inside = 12;
  const Validity validity(array);
  const char* const views = static_cast<const char*>(array.buffers[1]) + 16 * array.offset;
  // After the buffers of texts comes one with their sizes.
  const std::int64_t buffers = array.n_buffers - 3;
  const auto* const sizes = static_cast<const std::int64_t*>(array.buffers[array.n_buffers - 1]);
  for (std::int64_t i = offset; i < offset + length; ++i) {
    if (validity.is_null(i)) {
      values_.push_back(missing);
      continue;
    }
    const char* const view = views + 16 * i;
    std::int32_t parts[4];
    std::memcpy(parts, view, sizeof parts);
    const char* text = view + 4;
    if (parts[0] < 0) refuse_data("a text of negative length");
    if (parts[0] > longest_inside) {
      const bool known = parts[2] >= 0 && parts[2] < buffers && sizes != nullptr && parts[3] >= 0 &&
                         std::int64_t{parts[3]} + parts[0] <= sizes[parts[2]];
      if (!known) refuse_data("a text outside of its buffer");
      text = static_cast<const char*>(array.buffers[2 + parts[2]]) + parts[3];
    }
    values_.push_back(levels_.intern_copy({text, static_cast<std::size_t>(parts[0])}));
  }
}

void ArrowColumn::append_decimals(const ArrowArray& array, std::int64_t offset, std::int64_t length) {
  const Validity validity(array);
  const auto* const cells =
      static_cast<const std::uint8_t*>(array.buffers[1]) + array.offset * decimal_bytes_;
  for (std::int64_t i = offset; i < offset + length; ++i) {
    if (validity.is_null(i)) {
      values_.push_back(missing);
      continue;
    }
    // Little-endian two's complement, 32 bits at a time from the top, which carries the sign.
    const std::uint8_t* const cell = cells + i * decimal_bytes_;
    std::int32_t top = 0;
    std::memcpy(&top, cell + decimal_bytes_ - 4, sizeof top);
    double value = top;
    for (int at = decimal_bytes_ - 8; at >= 0; at -= 4) {
      std::uint32_t word = 0;
      std::memcpy(&word, cell + at, sizeof word);
      value = value * 4294967296.0 + word;
    }
    values_.push_back(value / divisor_);
  }
}

void ArrowColumn::append_dictionary(const ArrowArray& array, std::int64_t offset, std::int64_t length) {
  if (array.dictionary == nullptr) throw InvalidInput("column " + quoted(name_) + " lacks its dictionary");
  // Texts keep their codes from batch to batch, since the reader of the values numbers them once and for all.
  dictionary_->values_.clear();
  dictionary_->append(*array.dictionary, 0, array.dictionary->length);
  const std::vector<double>& entries = dictionary_->values_;
  const std::size_t before = values_.size();
  const Layout layout = std::exchange(layout_, index_);
  append(array, offset, length);
  layout_ = layout;
  for (std::size_t i = before; i < values_.size(); ++i) {
    if (std::isnan(values_[i])) continue;
    if (!(values_[i] >= 0 && values_[i] < static_cast<double>(entries.size()))) {
      throw InvalidInput("column " + quoted(name_) + " has a code outside its dictionary");
    }
    values_[i] = entries[static_cast<std::size_t>(values_[i])];
  }
}

Column ArrowColumn::finish() {
  if (type_ != ColumnType::category) return {name_, type_, std::move(values_), {}};
  const Dictionary& dictionary = dictionary_ ? dictionary_->levels_ : levels_;
  std::vector<std::string> texts(dictionary.texts().begin(), dictionary.texts().end());
  for (double& value : values_) {
    if (std::isnan(value)) value = -1;
  }
  return category_column(name_, std::move(values_), std::move(texts));
}

}  // namespace jsdiv
