#include "classify/tabpfn/layers.hpp"

#include <cblas.h>

#include <algorithm>
#include <memory>

#include "classify/tabpfn/kernels.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"

namespace jsdiv::tabpfn {
namespace {

// Tile sizes are fixed, so that every number is computed in the same order whatever the thread count.
constexpr std::size_t feature_chunk_tokens = 512;  // tokens of one job of the attention between features
constexpr std::size_t key_tile = 256;      // rows of one job that makes keys and values; a multiple of 16
constexpr std::size_t query_rows = 96;     // rows of one job that attends to the training rows
constexpr std::size_t batch_rows = 16384;  // rows times token columns whose keys exist at one time

/// Scratch that is written before it is read, so it is not cleared first.
std::unique_ptr<float[]> scratch(std::size_t count) {
  return std::make_unique_for_overwrite<float[]>(count);
}

std::size_t tiles(std::size_t count, std::size_t tile) {
  return (count + tile - 1) / tile;
}

/// out [rows, outputs] = x [rows, inputs] W^T with W [outputs, inputs]; x and out have strides from row to
/// row.
void multiply(const float* x, std::size_t x_stride, std::size_t rows, std::size_t inputs, const float* w,
              std::size_t outputs, float* out, std::size_t out_stride) {
  const auto size = [](std::size_t value) { return static_cast<blasint>(value); };
  cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, size(rows), size(outputs), size(inputs), 1.0F, x,
              size(x_stride), w, size(inputs), 0.0F, out, size(out_stride));
}

/// Attention between features for a few rows: state [rows, T, E].
void attend_chunk(const ModelShape& shape, const LayerWeights& layer, float* state, std::size_t rows,
                  std::size_t tokens, bool last_layer) {
  const std::size_t width = shape.width;
  const std::size_t head = shape.padded_head_size();
  const std::size_t heads_width = shape.padded_width();
  const std::size_t qkv_width = 3 * heads_width;
  const std::size_t first_query = last_layer ? tokens - 1 : 0;
  const std::size_t queries = tokens - first_query;
  const auto qkv = scratch(rows * tokens * qkv_width);
  const auto seen = scratch(rows * queries * heads_width);
  const auto change = scratch(rows * queries * width);
  const auto packed = scratch(packed_key_floats(tokens, head));
  multiply(state, width, rows * tokens, width, layer.features_qkv.data(), qkv_width, qkv.get(), qkv_width);
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t h = 0; h < shape.heads; ++h) {
      const float* query = qkv.get() + row * tokens * qkv_width + h * head;
      const float* keys = query + heads_width;
      pack_keys(keys, qkv_width, tokens, head, packed.get());
      attend(query + first_query * qkv_width, qkv_width, queries, head,
             {.packed_keys = packed.get(),
              .values = keys + heads_width,
              .value_stride = qkv_width,
              .count = tokens},
             seen.get() + row * queries * heads_width + h * head, heads_width);
    }
  }
  multiply(seen.get(), heads_width, rows * queries, heads_width, layer.features_out.data(), width,
           change.get(), width);
  for (std::size_t row = 0; row < rows; ++row) {
    add_and_normalise(state + (row * tokens + first_query) * width, width,
                      change.get() + row * queries * width, queries, width);
  }
}

/// token = LN(token + W_out seen), then the MLP. seen: [rows, Hp].
void finish_items(const ModelShape& shape, const LayerWeights& layer, const float* seen, float* token,
                  std::size_t stride, std::size_t rows) {
  const auto change = scratch(rows * shape.width);
  multiply(seen, shape.padded_width(), rows, shape.padded_width(), layer.items_out.data(), shape.width,
           change.get(), shape.width);
  add_and_normalise(token, stride, change.get(), rows, shape.width);
  apply_mlp(shape, layer, token, stride, rows);
}

/// Keys and values of every head of the training rows, for one token column.
struct ColumnKeys {
  std::size_t head_floats = 0;           ///< packed_key_floats(N, Dp)
  std::unique_ptr<float[]> packed_keys;  ///< [H, head_floats]
  std::unique_ptr<float[]> values;       ///< [N, Hp]
};

/// Fills rows first … first+rows of the keys and values of one column. token: [rows, E] of that column,
/// strided.
void make_keys(const ModelShape& shape, const LayerWeights& layer, const float* token, std::size_t stride,
               std::size_t first, std::size_t rows, ColumnKeys& column) {
  const std::size_t head = shape.padded_head_size();
  const std::size_t heads_width = shape.padded_width();
  const auto keys = scratch(rows * heads_width);
  multiply(token, stride, rows, shape.width, layer.items_keys.data(), heads_width, keys.get(), heads_width);
  for (std::size_t h = 0; h < shape.heads; ++h) {
    pack_keys(keys.get() + h * head, heads_width, rows, head,
              column.packed_keys.get() + h * column.head_floats + first * head);
  }
  multiply(token, stride, rows, shape.width, layer.items_values.data(), heads_width,
           column.values.get() + first * heads_width, heads_width);
}

/// Attention of training rows to all training rows within one token column, and what follows it.
void advance_training_tile(const ModelShape& shape, const LayerWeights& layer, const ColumnKeys& column,
                           std::size_t training_rows, float* token, std::size_t stride, std::size_t rows) {
  const std::size_t head = shape.padded_head_size();
  const std::size_t heads_width = shape.padded_width();
  const auto queries = scratch(rows * heads_width);
  const auto seen = scratch(rows * heads_width);
  multiply(token, stride, rows, shape.width, layer.items_query.data(), heads_width, queries.get(),
           heads_width);
  for (std::size_t h = 0; h < shape.heads; ++h) {
    throw_if_interrupted();
    attend(queries.get() + h * head, heads_width, rows, head,
           {.packed_keys = column.packed_keys.get() + h * column.head_floats,
            .values = column.values.get() + h * head,
            .value_stride = heads_width,
            .count = training_rows},
           seen.get() + h * head, heads_width);
  }
  finish_items(shape, layer, seen.get(), token, stride, rows);
}

/// Keys and values of head 0 alone, which are the first rows of the weights.
void make_shared_keys(const ModelShape& shape, const LayerWeights& layer, const float* token,
                      std::size_t stride, std::size_t rows, float* packed_keys, float* values) {
  const std::size_t head = shape.padded_head_size();
  const auto keys = scratch(rows * head);
  multiply(token, stride, rows, shape.width, layer.items_keys.data(), head, keys.get(), head);
  pack_keys(keys.get(), head, rows, head, packed_keys);
  multiply(token, stride, rows, shape.width, layer.items_values.data(), head, values, head);
}

}  // namespace

void embed_features(const Weights& weights, const float* groups, std::span<const float> positions,
                    std::size_t rows, std::size_t tokens, float* state) {
  const std::size_t width = weights.shape.width;
  const std::size_t inputs = 2 * weights.shape.features_per_group;
  for (std::size_t row = 0; row < rows; ++row) {
    float* target = state + row * tokens * width;
    multiply(groups + row * (tokens - 1) * inputs, inputs, tokens - 1, inputs, weights.feature_encoder.data(),
             width, target, width);
    for (std::size_t i = 0; i < positions.size(); ++i) target[i] += positions[i];
  }
}

void embed_target(const Weights& weights, float value, float mark, std::size_t tokens, float* state) {
  const std::size_t width = weights.shape.width;
  float* target = state + (tokens - 1) * width;
  for (std::size_t e = 0; e < width; ++e) {
    target[e] = weights.target_encoder[2 * e] * value + weights.target_encoder[2 * e + 1] * mark +
                weights.target_bias[e];
  }
}

void attend_between_features(const ModelShape& shape, const LayerWeights& layer, float* state,
                             std::size_t rows, std::size_t tokens, bool last_layer) {
  const std::size_t chunk_rows = std::max<std::size_t>(1, feature_chunk_tokens / tokens);
  parallel_for(tiles(rows, chunk_rows), [&](std::size_t chunk) {
    const std::size_t first = chunk * chunk_rows;
    attend_chunk(shape, layer, state + first * tokens * shape.width, std::min(chunk_rows, rows - first),
                 tokens, last_layer);
  });
}

void apply_mlp(const ModelShape& shape, const LayerWeights& layer, float* token, std::size_t stride,
               std::size_t rows) {
  const auto hidden = scratch(rows * shape.hidden);
  const auto change = scratch(rows * shape.width);
  multiply(token, stride, rows, shape.width, layer.mlp_in.data(), shape.hidden, hidden.get(), shape.hidden);
  gelu_inplace(hidden.get(), rows * shape.hidden);
  multiply(hidden.get(), shape.hidden, rows, shape.hidden, layer.mlp_out.data(), shape.width, change.get(),
           shape.width);
  add_and_normalise(token, stride, change.get(), rows, shape.width);
}

LayerMemory advance_training_rows(const ModelShape& shape, const LayerWeights& layer, float* state,
                                  std::size_t rows, std::size_t tokens, bool last_layer) {
  const std::size_t head = shape.padded_head_size();
  const std::size_t stride = tokens * shape.width;
  attend_between_features(shape, layer, state, rows, tokens, last_layer);

  LayerMemory memory{.first_column = last_layer ? tokens - 1 : 0, .training_rows = rows};
  const std::size_t kept_columns = tokens - memory.first_column;
  const std::size_t shared_floats = packed_key_floats(rows, head);
  memory.packed_keys.resize(kept_columns * shared_floats);
  memory.values.resize(kept_columns * rows * head);
  const std::size_t key_tiles = tiles(rows, key_tile);
  if (last_layer) {
    parallel_for(key_tiles, [&](std::size_t tile) {
      const std::size_t first = tile * key_tile;
      make_shared_keys(shape, layer, state + first * stride + (tokens - 1) * shape.width, stride,
                       std::min(key_tile, rows - first), memory.packed_keys.data() + first * head,
                       memory.values.data() + first * head);
    });
    return memory;
  }

  const std::size_t batch = std::clamp<std::size_t>(batch_rows / rows, 1, tokens);
  std::vector<ColumnKeys> columns(batch);
  for (ColumnKeys& column : columns) {
    column.head_floats = shared_floats;
    column.packed_keys = scratch(shape.heads * shared_floats);
    column.values = scratch(rows * shape.padded_width());
  }
  const std::size_t row_tiles = tiles(rows, query_rows);
  for (std::size_t first_column = 0; first_column < tokens; first_column += batch) {
    const std::size_t here = std::min(batch, tokens - first_column);
    const auto token_at = [&](std::size_t column, std::size_t row) {
      return state + row * stride + (first_column + column) * shape.width;
    };
    parallel_for(here * key_tiles, [&](std::size_t job) {
      const std::size_t column = job / key_tiles;
      const std::size_t first = job % key_tiles * key_tile;
      make_keys(shape, layer, token_at(column, first), stride, first, std::min(key_tile, rows - first),
                columns[column]);
    });
    parallel_for(here, [&](std::size_t column) {
      std::copy_n(columns[column].packed_keys.get(), shared_floats,
                  memory.packed_keys.data() + (first_column + column) * shared_floats);
      for (std::size_t row = 0; row < rows; ++row) {
        std::copy_n(columns[column].values.get() + row * shape.padded_width(), head,
                    memory.values.data() + ((first_column + column) * rows + row) * head);
      }
    });
    parallel_for(here * row_tiles, [&](std::size_t job) {
      const std::size_t column = job / row_tiles;
      const std::size_t first = job % row_tiles * query_rows;
      advance_training_tile(shape, layer, columns[column], rows, token_at(column, first), stride,
                            std::min(query_rows, rows - first));
    });
  }
  return memory;
}

void advance_scored_rows(const ModelShape& shape, const LayerWeights& layer, const LayerMemory& memory,
                         float* state, std::size_t rows, std::size_t tokens, bool last_layer) {
  const std::size_t head = shape.padded_head_size();
  const std::size_t heads_width = shape.padded_width();
  const std::size_t stride = tokens * shape.width;
  const std::size_t shared_floats = packed_key_floats(memory.training_rows, head);
  const auto queries = scratch(rows * heads_width);
  const auto seen = scratch(rows * heads_width);
  attend_between_features(shape, layer, state, rows, tokens, last_layer);
  for (std::size_t column = memory.first_column; column < tokens; ++column) {
    throw_if_interrupted();
    const std::size_t kept = column - memory.first_column;
    float* token = state + column * shape.width;
    multiply(token, stride, rows, shape.width, layer.items_query.data(), heads_width, queries.get(),
             heads_width);
    // All heads share the keys, so that [rows, H Dp] is read as rows H queries of size Dp.
    attend(queries.get(), head, rows * shape.heads, head,
           {.packed_keys = memory.packed_keys.data() + kept * shared_floats,
            .values = memory.values.data() + kept * memory.training_rows * head,
            .value_stride = head,
            .count = memory.training_rows},
           seen.get(), head);
    finish_items(shape, layer, seen.get(), token, stride, rows);
  }
}

void classify_targets(const Weights& weights, const float* state, std::size_t rows, std::size_t tokens,
                      float* logits) {
  const ModelShape& shape = weights.shape;
  const auto hidden = scratch(rows * shape.hidden);
  const float* targets = state + (tokens - 1) * shape.width;
  multiply(targets, tokens * shape.width, rows, shape.width, weights.head_in.data(), shape.hidden,
           hidden.get(), shape.hidden);
  for (std::size_t i = 0; i < rows * shape.hidden; ++i) hidden[i] += weights.head_in_bias[i % shape.hidden];
  gelu_inplace(hidden.get(), rows * shape.hidden);
  multiply(hidden.get(), shape.hidden, rows, shape.hidden, weights.head_out.data(), shape.classes, logits,
           shape.classes);
  for (std::size_t i = 0; i < rows * shape.classes; ++i)
    logits[i] += weights.head_out_bias[i % shape.classes];
}

}  // namespace jsdiv::tabpfn
