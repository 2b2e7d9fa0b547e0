#pragma once

namespace jsdiv {

/// How a number is written: the shortest decimal text that gives the same double back.
struct NumberFormat {
  int digits = 0;    ///< significant ones; 0 for 0
  int decimals = 0;  ///< behind the point; 0 for whole numbers
};

/// Of a finite number.
NumberFormat number_format(double value);

/// The number with that many significant digits that is nearest.
double rounded_to_digits(double value, int digits);

}  // namespace jsdiv
