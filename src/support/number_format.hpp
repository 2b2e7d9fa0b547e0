#pragma once

#include <vector>

#include "support/value_counts.hpp"

namespace jsdiv {

/// What numbers of one table are written with: at most so many significant digits and decimals; or what they
/// are stored in, whatever digits they are printed with.
struct FormatLimit {
  struct Most {
    int digits = 0;
    int decimals = 0;
  };
  Most most;
  bool single = false;  ///< floats of 32 bits
  Side table = side_p;  ///< that keeps the limit, or in which more numbers do
  bool kept_by_all = true;

  /// True if the number has more digits and more decimals, or is none of 32 bits. More digits alone come with
  /// larger numbers, more decimals alone with smaller ones.
  bool is_beyond(double value) const;
  /// The same of its digits alone.
  bool is_beyond(const NumberFormat& format) const;
  /// The same of number i of a column.
  bool is_beyond(const ValueCounts& counts, std::size_t i) const;
};

/// The limits that at least 99.9 % of one table's values keep, if they are those of rounded numbers (12
/// significant digits or fewer) or of 32 bits, and more of the other table's rows lie beyond them than chance
/// explains. Without such a limit, the one that parts the tables best among those that some of a table's
/// numbers keep, if more of them do than of the other's numbers nearby.
std::vector<FormatLimit> find_format_limits(const ValueCounts& counts, double log_significance);

/// The nearest float of 32 bits; numbers beyond their range stay as they are.
double rounded_to_single(double value);

/// The number with that many significant digits that is nearest.
double rounded_to_digits(double value, int digits);

}  // namespace jsdiv
