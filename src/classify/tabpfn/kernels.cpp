#include "classify/tabpfn/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "core/assert.hpp"
#include "core/simd.hpp"

// Vectors travel by reference between the inline functions: passing them by value would tie the code to one
// ABI.
#define JSDIV_INLINE inline __attribute__((always_inline))

namespace jsdiv::tabpfn {
namespace {

using Lanes = float __attribute__((vector_size(32)));
using IntLanes = std::int32_t __attribute__((vector_size(32)));
constexpr std::size_t lanes = 8;

// 6 x 16 scores fill the 12 accumulators that 16 registers leave room for.
constexpr std::size_t query_group = 6;
// Queries that share one pass over the keys.
constexpr std::size_t query_tile = 48;
// Keys scored at a time: their keys and values stay in the second-level cache, and the running maximum is
// updated seldom enough not to matter (128 keys: 12 % slower).
constexpr std::size_t key_block = 512;
constexpr float lowest_score = -1e30F;

JSDIV_INLINE void load(Lanes& to, const float* from) {
  std::memcpy(&to, from, sizeof to);
}

JSDIV_INLINE void store(float* to, const Lanes& from) {
  std::memcpy(to, &from, sizeof from);
}

JSDIV_INLINE float sum_of(const Lanes& x) {
  return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

JSDIV_INLINE float max_of(const Lanes& x) {
  return std::max(std::max(std::max(x[0], x[4]), std::max(x[1], x[5])),
                  std::max(std::max(x[2], x[6]), std::max(x[3], x[7])));
}

/// x = 2^x. x = n + r with |r| <= 1/2; the degree-6 minimax polynomial of 2^r has relative error 2e-9.
/// Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits, from where it goes into the
/// exponent.
JSDIV_INLINE void exp2_lanes(Lanes& x) {
  const Lanes smallest = Lanes{} - 126.0F;
  x = x < smallest ? smallest : x;
  const Lanes shifted = x + 12582912.0F;
  const Lanes r = x - (shifted - 12582912.0F);
  Lanes p = r * 0.000153458084916F + 0.00133999311447F;
  p = p * r + 0.00961848897032F;
  p = p * r + 0.0555032877726F;
  p = p * r + 0.240226468905F;
  p = p * r + 0.693147205737F;
  p = p * r + 1.0F;
  x = reinterpret_cast<Lanes>(reinterpret_cast<IntLanes>(p) + (reinterpret_cast<IntLanes>(shifted) << 23));
}

/// x = x/2 (1 + erf(x/sqrt 2)). Up to |x| = 1.5 erf(x/sqrt 2)/x is a polynomial in x^2; beyond, log2 of
/// erfc(x/sqrt 2) is one in x. Both are minimax fits with an absolute error of gelu(x)/x below 2e-9;
/// above 5.6 erfc is less than half an ulp of 1.
JSDIV_INLINE void gelu_lanes(Lanes& x) {
  const Lanes size = x < 0.0F ? -x : x;
  const Lanes square = x * x;
  Lanes p = square * 8.23111691865e-7F - 1.74366058937e-5F;
  p = p * square + 0.000228712774692F;
  p = p * square - 0.00237297697533F;
  p = p * square + 0.0199464826122F;
  p = p * square - 0.132980670054F;
  p = p * square + 0.797884558676F;
  Lanes tail = size * 3.21254126944e-5F - 0.000730051010216F;
  tail = tail * size + 0.00774707041295F;
  tail = tail * size - 0.0521889465587F;
  tail = tail * size - 0.461015394066F;
  tail = tail * size - 1.14916746656F;
  tail = tail * size - 0.000720692798893F;
  exp2_lanes(tail);
  tail = size > 5.6F ? Lanes{} : tail;
  const Lanes near_zero = 0.5F + 0.5F * x * p;
  const Lanes far = x < 0.0F ? 0.5F * tail : 1.0F - 0.5F * tail;
  x = x * (size > 1.5F ? far : near_zero);
}

/// scores[i, key] = queries[i] . keys[key] for one group of queries and one packed block of 16 keys.
JSDIV_INLINE void score_block(const float* queries, const float* packed, std::size_t head_size,
                              float* scores) {
  Lanes sum[query_group][2] = {};
  for (std::size_t d = 0; d < head_size; ++d) {
    Lanes low, high;
    load(low, packed + d * lane_block);
    load(high, packed + d * lane_block + lanes);
    for (std::size_t i = 0; i < query_group; ++i) {
      const float q = queries[i * head_size + d];
      sum[i][0] += low * q;
      sum[i][1] += high * q;
    }
  }
  for (std::size_t i = 0; i < query_group; ++i) {
    store(scores + i * key_block, sum[i][0]);
    store(scores + i * key_block + lanes, sum[i][1]);
  }
}

/// out[i, 0..16) = scale[i] out[i, 0..16) + sum over keys of weights[i, key] values[key, 0..16).
JSDIV_INLINE void weigh_block(const float* weights, const float* values, std::size_t value_stride,
                              std::size_t keys, const float* scale, float* out, std::size_t head_size) {
  Lanes sum[query_group][2];
  for (std::size_t i = 0; i < query_group; ++i) {
    load(sum[i][0], out + i * head_size);
    load(sum[i][1], out + i * head_size + lanes);
    sum[i][0] *= scale[i];
    sum[i][1] *= scale[i];
  }
  for (std::size_t key = 0; key < keys; ++key) {
    Lanes low, high;
    load(low, values + key * value_stride);
    load(high, values + key * value_stride + lanes);
    for (std::size_t i = 0; i < query_group; ++i) {
      const float w = weights[i * key_block + key];
      sum[i][0] += low * w;
      sum[i][1] += high * w;
    }
  }
  for (std::size_t i = 0; i < query_group; ++i) {
    store(out + i * head_size, sum[i][0]);
    store(out + i * head_size + lanes, sum[i][1]);
  }
}

/// Turns a row of scores into 2^(score - new maximum); updates the running maximum and sum and returns the
/// factor that brings what was accumulated before to the new maximum.
JSDIV_INLINE float soften_row(float* scores, std::size_t keys, float& maximum, float& total) {
  Lanes largest = Lanes{} + maximum;
  for (std::size_t key = 0; key < keys; key += lanes) {
    Lanes s;
    load(s, scores + key);
    largest = s > largest ? s : largest;
  }
  const float new_maximum = max_of(largest);
  Lanes factor = Lanes{} + (maximum - new_maximum);
  exp2_lanes(factor);
  Lanes sum = {};
  for (std::size_t key = 0; key < keys; key += lanes) {
    Lanes s;
    load(s, scores + key);
    s -= new_maximum;
    exp2_lanes(s);
    sum += s;
    store(scores + key, s);
  }
  maximum = new_maximum;
  total = total * factor[0] + sum_of(sum);
  return factor[0];
}

struct QueryTile {
  alignas(32) float queries[query_tile * max_head_size];
  alignas(32) float sums[query_tile * max_head_size];
  float maximum[query_tile];
  float total[query_tile];
};

/// Accumulates into the tile what its first `groups` groups of queries see.
JSDIV_SIMD_CLONES void attend_tile(QueryTile& tile, std::size_t groups, std::size_t head_size,
                                   const KeyValueView& memory) {
  alignas(32) float scores[query_group * key_block];
  for (std::size_t first = 0; first < memory.count; first += key_block) {
    const std::size_t keys = std::min(key_block, memory.count - first);
    const std::size_t padded_keys = padded(keys);
    for (std::size_t group = 0; group < groups; ++group) {
      const std::size_t row = group * query_group;
      for (std::size_t key = 0; key < padded_keys; key += lane_block) {
        score_block(tile.queries + row * head_size, memory.packed_keys + (first + key) * head_size, head_size,
                    scores + key);
      }
      float scale[query_group];
      for (std::size_t i = 0; i < query_group; ++i) {
        for (std::size_t key = keys; key < padded_keys; ++key) scores[i * key_block + key] = lowest_score;
        scale[i] =
            soften_row(scores + i * key_block, padded_keys, tile.maximum[row + i], tile.total[row + i]);
      }
      for (std::size_t d = 0; d < head_size; d += lane_block) {
        weigh_block(scores, memory.values + first * memory.value_stride + d, memory.value_stride, keys, scale,
                    tile.sums + row * head_size + d, head_size);
      }
    }
  }
}

JSDIV_SIMD_CLONES void exp2_blocks(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += lanes) {
    Lanes x;
    load(x, values + i);
    exp2_lanes(x);
    store(values + i, x);
  }
}

JSDIV_SIMD_CLONES void gelu_blocks(float* values, std::size_t count) {
  for (std::size_t i = 0; i < count; i += lanes) {
    Lanes x;
    load(x, values + i);
    gelu_lanes(x);
    store(values + i, x);
  }
}

/// Runs a kernel that takes whole vectors over any count: the remainder goes through a padded copy.
void over_any_count(void (*kernel)(float*, std::size_t), float* values, std::size_t count) {
  const std::size_t whole = count / lanes * lanes;
  kernel(values, whole);
  if (whole == count) return;
  float rest[lanes] = {};
  std::copy(values + whole, values + count, rest);
  kernel(rest, lanes);
  std::copy(rest, rest + (count - whole), values + whole);
}

}  // namespace

void exp2_inplace(float* values, std::size_t count) {
  over_any_count(exp2_blocks, values, count);
}

void gelu_inplace(float* values, std::size_t count) {
  over_any_count(gelu_blocks, values, count);
}

JSDIV_SIMD_CLONES void add_and_normalise(float* state, std::size_t state_stride, const float* change,
                                         std::size_t rows, std::size_t width) {
  const auto inverse_width = 1 / static_cast<float>(width);
  const std::size_t whole = width / lanes * lanes;
  for (std::size_t row = 0; row < rows; ++row) {
    float* x = state + row * state_stride;
    const float* delta = change + row * width;
    Lanes sums = {};
    for (std::size_t i = 0; i < whole; i += lanes) {
      Lanes a, b;
      load(a, x + i);
      load(b, delta + i);
      a += b;
      store(x + i, a);
      sums += a;
    }
    float sum = sum_of(sums);
    for (std::size_t i = whole; i < width; ++i) sum += x[i] += delta[i];
    const float mean = sum * inverse_width;
    Lanes squares = {};
    for (std::size_t i = 0; i < whole; i += lanes) {
      Lanes a;
      load(a, x + i);
      a -= mean;
      squares += a * a;
    }
    float square = sum_of(squares);
    for (std::size_t i = whole; i < width; ++i) square += (x[i] - mean) * (x[i] - mean);
    const float inverse_deviation = 1 / std::sqrt(square * inverse_width + 1e-5F);
    for (std::size_t i = 0; i < width; ++i) x[i] = (x[i] - mean) * inverse_deviation;
  }
}

void pack_keys(const float* keys, std::size_t stride, std::size_t count, std::size_t head_size,
               float* packed) {
  for (std::size_t first = 0; first < count; first += lane_block, packed += lane_block * head_size) {
    const std::size_t here = std::min(lane_block, count - first);
    for (std::size_t d = 0; d < head_size; ++d) {
      for (std::size_t key = 0; key < here; ++key)
        packed[d * lane_block + key] = keys[(first + key) * stride + d];
      std::fill(packed + d * lane_block + here, packed + (d + 1) * lane_block, 0.0F);
    }
  }
}

void attend(const float* queries, std::size_t query_stride, std::size_t query_count, std::size_t head_size,
            const KeyValueView& memory, float* out, std::size_t out_stride) {
  JSDIV_ASSERT(head_size % lane_block == 0 && head_size <= max_head_size && memory.count > 0);
  QueryTile tile;
  for (std::size_t first = 0; first < query_count; first += query_tile) {
    const std::size_t here = std::min(query_tile, query_count - first);
    const std::size_t groups = (here + query_group - 1) / query_group;
    const std::size_t rows = groups * query_group;
    for (std::size_t i = 0; i < here; ++i) {
      std::copy_n(queries + (first + i) * query_stride, head_size, tile.queries + i * head_size);
    }
    std::fill(tile.queries + here * head_size, tile.queries + rows * head_size, 0.0F);
    std::fill_n(tile.sums, rows * head_size, 0.0F);
    std::fill_n(tile.maximum, rows, lowest_score);
    std::fill_n(tile.total, rows, 0.0F);
    attend_tile(tile, groups, head_size, memory);
    for (std::size_t i = 0; i < here; ++i) {
      const float inverse_total = 1 / tile.total[i];
      float* target = out + (first + i) * out_stride;
      for (std::size_t d = 0; d < head_size; ++d) target[d] = tile.sums[i * head_size + d] * inverse_total;
    }
  }
}

}  // namespace jsdiv::tabpfn
