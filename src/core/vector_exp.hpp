#pragma once

#include <bit>
#include <cstdint>

namespace jsdiv {

/// exp(x) for x in [-700, 0] to an ulp or two, in a form that compilers turn into vector code: x = n·ln 2 +
/// r, Taylor series of exp(r) for |r| <= ln(2)/2.
inline double exp_of_negative(double x) {
  constexpr double log2_e = 1.4426950408889634;
  constexpr double ln2_high =
      6.93147180369123816490e-01;  // the upper 32 bits of ln 2, so that n·ln2_high is exact
  constexpr double ln2_low = 1.90821492927058770002e-10;
  constexpr double round_to_integer =
      6755399441055744.0;  // 1.5·2^52: adding it leaves the integer in the low bits
  const double shifted = x * log2_e + round_to_integer;
  const double n = shifted - round_to_integer;
  const double r = (x - n * ln2_high) - n * ln2_low;
  double series = 1.0 / 6227020800.0;
  series = series * r + 1.0 / 479001600.0;
  series = series * r + 1.0 / 39916800.0;
  series = series * r + 1.0 / 3628800.0;
  series = series * r + 1.0 / 362880.0;
  series = series * r + 1.0 / 40320.0;
  series = series * r + 1.0 / 5040.0;
  series = series * r + 1.0 / 720.0;
  series = series * r + 1.0 / 120.0;
  series = series * r + 1.0 / 24.0;
  series = series * r + 1.0 / 6.0;
  series = series * r + 0.5;
  series = series * r + 1.0;
  series = series * r + 1.0;
  const std::uint64_t exponent = (std::bit_cast<std::uint64_t>(shifted) + 1023) << 52;
  return series * std::bit_cast<double>(exponent);
}

/// The same for floats and x in [-87, 0], to an ulp or two.
inline float exp_of_negative(float x) {
  constexpr float log2_e = 1.44269504F;
  constexpr float ln2_high = 0.693359375F;  // nine bits, so that n·ln2_high is exact
  constexpr float ln2_low = -2.12194440e-4F;
  constexpr float round_to_integer = 12582912.0F;  // 1.5·2^23
  const float shifted = x * log2_e + round_to_integer;
  const float n = shifted - round_to_integer;
  const float r = (x - n * ln2_high) - n * ln2_low;
  float series = 1.0F / 5040.0F;
  series = series * r + 1.0F / 720.0F;
  series = series * r + 1.0F / 120.0F;
  series = series * r + 1.0F / 24.0F;
  series = series * r + 1.0F / 6.0F;
  series = series * r + 0.5F;
  series = series * r + 1.0F;
  series = series * r + 1.0F;
  const std::uint32_t exponent = (std::bit_cast<std::uint32_t>(shifted) + 127) << 23;
  return series * std::bit_cast<float>(exponent);
}

}  // namespace jsdiv
