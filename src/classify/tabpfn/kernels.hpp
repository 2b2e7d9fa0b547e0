#pragma once

#include <cstddef>

namespace jsdiv::tabpfn {

/// Head sizes and key counts are padded to a multiple of this, so that the kernels need no remainder loops.
inline constexpr std::size_t lane_block = 16;
/// Largest padded head size the attention kernel takes.
inline constexpr std::size_t max_head_size = 64;

constexpr std::size_t padded(std::size_t size) {
  return (size + lane_block - 1) / lane_block * lane_block;
}

/// values[i] = 2^values[i] for values in [-126, 126], within 2 ulp; smaller ones are taken as -126.
void exp2_inplace(float* values, std::size_t count);

/// values[i] = x/2 (1 + erf(x/sqrt 2)): the exact GELU, not its tanh approximation.
void gelu_inplace(float* values, std::size_t count);

/// state[r, :] = LN(state[r, :] + change[r, :]) with LN(x) = (x - mean) / sqrt(biased variance + 1e-5).
/// state: [rows, width] with `state_stride` floats from row to row, change: [rows, width] contiguous.
void add_and_normalise(float* state, std::size_t state_stride, const float* change, std::size_t rows,
                       std::size_t width);

/// Keys of one head in the order the attention kernel reads them: [ceil(count/16), head_size, 16], zeros in
/// the gap. keys: [count, head_size] with `stride` floats from row to row; head_size is padded.
void pack_keys(const float* keys, std::size_t stride, std::size_t count, std::size_t head_size,
               float* packed);

constexpr std::size_t packed_key_floats(std::size_t count, std::size_t head_size) {
  return padded(count) * head_size;
}

/// What the queries of one head look at.
struct KeyValueView {
  const float* packed_keys;  ///< as pack_keys leaves them
  const float* values;       ///< [count, head_size], `value_stride` floats from row to row
  std::size_t value_stride;
  std::size_t count;
};

/// out[i, :] = sum_j w_ij values[j, :], w_ij proportional to 2^(queries[i] . keys[j]) and summing to 1 over
/// j. The caller scales the queries by log2(e)/sqrt(D). queries, out: [count, head_size] with their strides;
/// they may not overlap. Scores exist for one block of keys at a time (online softmax: Milakov & Gimelshein,
/// 2018; Dao et al., FlashAttention, 2022), so memory does not grow with the number of keys.
void attend(const float* queries, std::size_t query_stride, std::size_t query_count, std::size_t head_size,
            const KeyValueView& memory, float* out, std::size_t out_stride);

}  // namespace jsdiv::tabpfn
