#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/table.hpp"
#include "load/arrow_interface.hpp"
#include "load/dictionary.hpp"

namespace jsdiv {

/// Collects the batches of one Arrow column.
class ArrowColumn {
 public:
  /// Throws InvalidInput if the type cannot be compared. `rows`: what to make room for.
  ArrowColumn(const ArrowSchema& schema, std::size_t rows);

  /// `length` rows from `offset` on, which comes on top of the array's own offset. Throws InvalidInput for
  /// numbers that lead nowhere; how long a buffer is the interface does not say.
  void append(const ArrowArray& array, std::int64_t offset, std::int64_t length);

  Column finish();

 private:
  /// What a cell looks like in memory.
  enum class Layout {
    nothing,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
    float16,
    float32,
    float64,
    bits,
    decimal,
    text32,
    text64,
    text_view,
    dictionary
  };

  void parse(const ArrowSchema& schema);
  void parse_decimal(std::string_view format);
  [[noreturn]] void refuse(std::string_view format) const;
  [[noreturn]] void refuse_data(std::string_view why) const;
  void check(const ArrowArray& array, std::int64_t offset, std::int64_t length) const;

  template <typename T>
  void append_numbers(const ArrowArray& array, std::int64_t offset, std::int64_t length);
  template <typename Offset>
  void append_texts(const ArrowArray& array, std::int64_t offset, std::int64_t length);
  void append_text_views(const ArrowArray& array, std::int64_t offset, std::int64_t length);
  void append_decimals(const ArrowArray& array, std::int64_t offset, std::int64_t length);
  void append_dictionary(const ArrowArray& array, std::int64_t offset, std::int64_t length);

  std::string name_;
  Layout layout_ = Layout::nothing;
  ColumnType type_ = ColumnType::number;
  double divisor_ = 1;
  int decimal_bytes_ = 16;
  std::vector<double> values_;
  Dictionary levels_;
  Layout index_ = Layout::nothing;           ///< of a dictionary's codes
  std::unique_ptr<ArrowColumn> dictionary_;  ///< reads a dictionary's values
};

}  // namespace jsdiv
