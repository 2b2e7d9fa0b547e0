#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace jsdiv {

/// Numbers as people write them: 1.234,50  1,234.50  12,34,567  1'234  1 234  ($5.20)  12 €  3.5 %  70 kg.
/// A column is read that way when one form reads all of its cells.

/// A character may separate thousands or the decimals; which of both, the other cells of the column say.
enum class NumberMark : std::uint8_t { point, comma };

/// How the cells of one column are written.
struct NumberForm {
  NumberMark decimal = NumberMark::point;
  bool grouped = false;  ///< some cells separate their thousands
  std::string currency;  ///< "$", "EUR"; empty: none
  std::string unit;      ///< "%", "kg"; empty: none

  /// "decimal comma, thousands separators, '€'"
  std::string describe() const;
  /// Whether numbers of both forms are of one kind: the same unit, and no two currencies.
  bool agrees_with(const NumberForm& other) const;
};

/// Whether some form reads the text; plain numbers in C notation included.
bool looks_written(std::string_view text);

/// The number that the text stands for under the form; nothing if it is written otherwise.
std::optional<double> parse_written(std::string_view text, const NumberForm& form);

/// What the distinct texts of a column say about their form.
class WrittenNumbers {
 public:
  void add(std::string_view text);

  /// Whether one form may read all of them, as far as units and currencies go.
  bool consistent() const { return consistent_ && !(comma_decides_ && point_decides_); }
  /// What the texts alone say about the mark of the decimals; nothing if they leave it open.
  std::optional<NumberMark> decimal() const;
  /// `otherwise` where the texts leave the decimal mark open.
  NumberForm form(NumberMark otherwise) const;

 private:
  bool consistent_ = true;
  bool any_ = false;
  bool grouped_if_point_ = false;
  bool grouped_if_comma_ = false;
  bool comma_decides_ = false;  ///< a text that only a decimal comma explains
  bool point_decides_ = false;
  std::string currency_;
  std::string unit_;
};

}  // namespace jsdiv
