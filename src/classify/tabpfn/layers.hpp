#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "classify/tabpfn/weights.hpp"

namespace jsdiv::tabpfn {

/// The parts of the forward pass. A state is [rows, T, E], row-major: the tokens of a row follow each other,
/// the target's comes last. In the last layer only the target token of scored rows is read, so that
/// everything else is left out there.

/// What scored rows look at in one layer: for each token column the keys and values of head 0 of the training
/// rows, which all heads of a scored row share.
struct LayerMemory {
  std::size_t first_column = 0;    ///< token columns before this one are not kept
  std::size_t training_rows = 0;   ///< N
  std::vector<float> packed_keys;  ///< [columns, packed_key_floats(N, Dp)]
  std::vector<float> values;       ///< [columns, N, Dp]
};

/// state: [rows, T, E]; groups: [rows, T-1, 2n]; positions: [T-1, E]. Column tokens: W_enc group + position.
void embed_features(const Weights& weights, const float* groups, std::span<const float> positions,
                    std::size_t rows, std::size_t tokens, float* state);

/// The target token of one row: W_y [value, mark] + b_y. state: [T, E].
void embed_target(const Weights& weights, float value, float mark, std::size_t tokens, float* state);

/// state [rows, T, E] = LN(state + multi-head self-attention over the T tokens of each row).
void attend_between_features(const ModelShape& shape, const LayerWeights& layer, float* state,
                             std::size_t rows, std::size_t tokens, bool last_layer);

/// token [rows, E], `stride` floats from row to row: token = LN(token + W_2 gelu(W_1 token)).
void apply_mlp(const ModelShape& shape, const LayerWeights& layer, float* token, std::size_t stride,
               std::size_t rows);

/// One layer for all training rows: advances state [N, T, E] in place and returns what scored rows look at.
/// Training rows attend to each other with keys and values for each head.
LayerMemory advance_training_rows(const ModelShape& shape, const LayerWeights& layer, float* state,
                                  std::size_t rows, std::size_t tokens, bool last_layer);

/// One layer for scored rows: advances state [rows, T, E] in place. They attend to the training rows only.
void advance_scored_rows(const ModelShape& shape, const LayerWeights& layer, const LayerMemory& memory,
                         float* state, std::size_t rows, std::size_t tokens, bool last_layer);

/// logits [rows, classes] = D_2 gelu(D_0 target + b_0) + b_2 for state [rows, T, E].
void classify_targets(const Weights& weights, const float* state, std::size_t rows, std::size_t tokens,
                      float* logits);

}  // namespace jsdiv::tabpfn
