#pragma once

#include <optional>

#include "support/value_counts.hpp"

namespace jsdiv {

/// How a number is written: the shortest decimal text that gives the same double back.
struct NumberFormat {
  int digits = 0;    ///< significant ones; 0 for 0
  int decimals = 0;  ///< behind the point; 0 for whole numbers
};

/// What one table's numbers are written with: at most so many significant digits and decimals; or what they
/// are stored in, whatever digits they are printed with.
struct FormatLimit {
  NumberFormat most;
  bool single = false;  ///< all are floats of 32 bits

  /// True if the number has more digits and more decimals, or is none of 32 bits. More digits alone come with
  /// larger numbers, more decimals alone with smaller ones.
  bool is_beyond(double value) const;
};

/// The limit that at least 99.9 % of the table's values keep, if it is that of rounded numbers (12
/// significant digits or fewer) or of 32 bits, and more of the other table's rows lie beyond it than chance
/// explains.
std::optional<FormatLimit> find_format_limit(const ValueCounts& counts, Side side, double log_significance);

/// Of a finite number.
NumberFormat number_format(double value);

/// The nearest float of 32 bits; numbers beyond their range stay as they are.
double rounded_to_single(double value);

/// The number with that many significant digits that is nearest.
double rounded_to_digits(double value, int digits);

}  // namespace jsdiv
