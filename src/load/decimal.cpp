#include "load/decimal.hpp"

#include <fast_float/fast_float.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace jsdiv {
namespace {

constexpr std::array<std::uint64_t, 17> powers_of_ten = {1,
                                                         10,
                                                         100,
                                                         1000,
                                                         10000,
                                                         100000,
                                                         1000000,
                                                         10000000,
                                                         100000000,
                                                         1000000000,
                                                         10000000000,
                                                         100000000000,
                                                         1000000000000,
                                                         10000000000000,
                                                         100000000000000,
                                                         1000000000000000,
                                                         10000000000000000};
constexpr std::uint64_t largest_exact = std::uint64_t{1} << 53;
constexpr int most_digits = 19;  // what fits into 64 bits

/// A sign, 19 digits, a point, and the 16 bytes that a block may read beyond.
constexpr std::ptrdiff_t readable_bytes = 48;

inline bool is_digit(char letter) {
  return static_cast<unsigned char>(letter - '0') <= 9;
}

/// mantissa / 10^fraction, correctly rounded; false if that needs the slow way.
inline bool finish_decimal(std::uint64_t mantissa, int fraction, bool negative, double& value) {
  const std::uint64_t sign = std::uint64_t{negative} << 63;
  if (fraction == 0 && mantissa <= largest_exact) {
    value = std::bit_cast<double>(std::bit_cast<std::uint64_t>(static_cast<double>(mantissa)) | sign);
    return true;
  }
  // A division would do for the shorter ones; which those are is random in most tables, and a wrongly
  // predicted branch costs more than the general way (Lemire, "Number parsing at a gigabyte per second",
  // 2021).
  const auto rounded = fast_float::compute_float<fast_float::binary_format<double>>(-fraction, mantissa);
  if (rounded.power2 < 0) return false;
  value = std::bit_cast<double>(rounded.mantissa | static_cast<std::uint64_t>(rounded.power2) << 52 | sign);
  return true;
}

/// Appends the run of digits at `text` to `mantissa`, one by one. Returns its length, or more than
/// most_digits.
inline int append_digits(const char*& text, std::uint64_t& mantissa) {
  int count = 0;
  for (; is_digit(*text) && count <= most_digits; ++count, ++text) {
    mantissa = mantissa * 10 + static_cast<std::uint64_t>(*text - '0');
  }
  return count;
}

/// The same, eight at a time within a 64-bit word.
inline int append_blocks_of_8(const char*& text, std::uint64_t& mantissa) {
  int total = 0;
  for (;;) {
    std::uint64_t word;
    std::memcpy(&word, text, 8);
    word ^= 0x3030303030303030ULL;
    const std::uint64_t other = ((word + 0x7676767676767676ULL) | word) & 0x8080808080808080ULL;
    const int count = other == 0 ? 8 : std::countr_zero(other) / 8;
    // The first digit is in the lowest byte: shifting up puts zeros in front of the digits.
    if (count < 8) word = word << (56 - 8 * count) << 8;
    word = word * 10 + (word >> 8);
    const std::uint64_t value = ((word & 0x000000FF000000FFULL) * 0x000F424000000064ULL +
                                 ((word >> 16) & 0x000000FF000000FFULL) * 0x0000271000000001ULL) >>
                                32;
    mantissa = mantissa * powers_of_ten[static_cast<std::size_t>(count)] + value;
    text += count;
    total += count;
    if (count < 8 || total > most_digits || !is_digit(*text)) return total;
  }
}

}  // namespace

DecimalRun read_decimals_portable(const char* text, const char* end, char delimiter, double* const* out,
                                  std::size_t row, std::size_t count) {
  if constexpr (std::endian::native != std::endian::little) return {text, 0};
  for (std::size_t cell = 0; cell < count; ++cell) {
    if (end - text < readable_bytes) return {text, cell};
    const bool negative = *text == '-';
    const char* position = text + negative;
    std::uint64_t mantissa = 0;
    int digits = append_digits(position, mantissa);
    int fraction = 0;
    if (digits == 0 || digits > most_digits) return {text, cell};
    if (*position == '.') {
      ++position;
      fraction = append_blocks_of_8(position, mantissa);
      digits += fraction;
    }
    const bool last = cell + 1 == count;
    const char next = *position;
    if (digits > most_digits || (last ? (next | 0x20) == 'e' || next == '.' : next != delimiter))
      return {text, cell};
    if (!finish_decimal(mantissa, fraction, negative, out[cell][row])) return {text, cell};
    if (last) return {position, count};
    text = position + 1;
  }
  return {text, count};
}

#if defined(__x86_64__)
namespace {

/// The same with blocks of 16 digits. The digits are moved to the end of a register, zeros in front, and then
/// added up pairwise.
__attribute__((target("avx2,bmi,bmi2"))) DecimalRun read_decimals_avx2(const char* text, const char* end,
                                                                       char delimiter, double* const* out,
                                                                       std::size_t row, std::size_t count) {
  alignas(32) static constexpr std::array<std::uint8_t, 32> move_to_end = {
      0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
      0,    1,    2,    3,    4,    5,    6,    7,    8,    9,    10,   11,   12,   13,   14,   15};
  const __m128i zero_digit = _mm_set1_epi8('0');
  const __m128i nine = _mm_set1_epi8(9);
  const __m128i tens = _mm_set1_epi16(0x010A);          // 10, 1
  const __m128i hundreds = _mm_set1_epi32(0x00010064);  // 100, 1
  const __m128i myriads = _mm_set1_epi32(0x00012710);   // 10000, 1
  for (std::size_t cell = 0; cell < count; ++cell) {
    if (end - text < readable_bytes) return {text, cell};
    const bool negative = *text == '-';
    const char* position = text + negative;
    std::uint64_t mantissa = 0;
    int digits = append_digits(position, mantissa);
    int fraction = 0;
    if (digits == 0 || digits > most_digits) return {text, cell};
    if (*position == '.') {
      ++position;
      const __m128i block =
          _mm_sub_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(position)), zero_digit);
      const __m128i is_digit_mask = _mm_cmpeq_epi8(_mm_min_epu8(block, nine), block);
      fraction = std::countr_zero(~static_cast<std::uint32_t>(_mm_movemask_epi8(is_digit_mask)));
      const __m128i moved = _mm_shuffle_epi8(
          block, _mm_loadu_si128(reinterpret_cast<const __m128i*>(move_to_end.data() + fraction)));
      const __m128i fours = _mm_madd_epi16(_mm_maddubs_epi16(moved, tens), hundreds);
      const __m128i eights = _mm_madd_epi16(_mm_packus_epi32(fours, fours), myriads);
      const auto both = static_cast<std::uint64_t>(_mm_cvtsi128_si64(eights));
      mantissa = mantissa * powers_of_ten[static_cast<std::size_t>(fraction)] +
                 (both & 0xFFFFFFFF) * 100000000 + (both >> 32);
      position += fraction;
      if (fraction == 16) fraction += append_digits(position, mantissa);
      digits += fraction;
    }
    const bool last = cell + 1 == count;
    const char next = *position;
    if (digits > most_digits || (last ? (next | 0x20) == 'e' || next == '.' : next != delimiter))
      return {text, cell};
    if (!finish_decimal(mantissa, fraction, negative, out[cell][row])) return {text, cell};
    if (last) return {position, count};
    text = position + 1;
  }
  return {text, count};
}

}  // namespace
#endif

ReadDecimals read_decimals_function() {
#if defined(__x86_64__)
  static const bool accelerated =
      __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  if (accelerated) return read_decimals_avx2;
#endif
  return read_decimals_portable;
}

}  // namespace jsdiv
