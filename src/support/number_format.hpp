#pragma once

namespace jsdiv {

/// How a number is written: the shortest decimal text that gives the same double back.
struct NumberFormat {
  int digits = 0;    ///< significant ones; 0 for 0
  int decimals = 0;  ///< behind the point; 0 for whole numbers
};

/// Numbers with more significant digits were hardly rounded: doubles as computed have 15 to 17.
inline constexpr int most_digits_of_a_format = 12;

/// Of a finite number.
NumberFormat number_format(double value);

/// The number with that many significant digits that is nearest.
double rounded_to_digits(double value, int digits);

}  // namespace jsdiv
