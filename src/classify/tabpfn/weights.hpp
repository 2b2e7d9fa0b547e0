#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "classify/tabpfn/safetensors.hpp"

namespace jsdiv::tabpfn {

/// The sizes of a TabPFN v2 classifier. E: width, H: heads, D = E/H: head size, Dp: head size padded for the
/// kernels.
struct ModelShape {
  std::size_t width = 0;
  std::size_t heads = 0;
  std::size_t layers = 0;
  std::size_t hidden = 0;  ///< width of the MLPs
  std::size_t features_per_group = 0;
  std::size_t classes = 0;
  std::uint32_t noise_seed = 0;

  std::size_t head_size() const { return width / heads; }
  std::size_t padded_head_size() const;
  std::size_t padded_width() const { return heads * padded_head_size(); }  ///< Hp: all heads, each padded
};

/// Every matrix is row-major [outputs, inputs] and applied as x W^T. Heads are padded with zero rows to Dp;
/// queries carry the factor log2(e)/sqrt(D), so that scores are exponents of 2.
struct LayerWeights {
  std::vector<float> features_qkv;  ///< [3 Hp, E]: queries, keys, values of the attention between features
  std::vector<float> features_out;  ///< [E, Hp]
  std::vector<float> items_query;   ///< [Hp, E]
  std::vector<float> items_keys;    ///< [Hp, E]
  std::vector<float> items_values;  ///< [Hp, E]
  std::vector<float> items_out;     ///< [E, Hp]
  std::vector<float> mlp_in;        ///< [hidden, E]
  std::vector<float> mlp_out;       ///< [E, hidden]
};

struct Weights {
  ModelShape shape;
  std::vector<float> feature_encoder;  ///< [E, 2n]
  std::vector<float> target_encoder;   ///< [E, 2]
  std::vector<float> target_bias;      ///< [E]
  std::vector<float> position;         ///< [E, E/4]
  std::vector<float> position_bias;    ///< [E]
  std::vector<LayerWeights> layers;
  std::vector<float> head_in;        ///< [hidden, E]
  std::vector<float> head_in_bias;   ///< [hidden]
  std::vector<float> head_out;       ///< [classes, hidden]
  std::vector<float> head_out_bias;  ///< [classes]
  std::string sha256;                ///< of the file
};

/// Takes the weights out of a checked safetensors view: exactly the expected names and shapes, finite values,
/// a configuration this engine implements. Throws InvalidInput that starts with `source`.
Weights read_weights(const SafetensorsView& file, const std::string& source);

/// Reads what tools/tabpfn_convert.py wrote.
Weights load_weights(const std::string& path);

}  // namespace jsdiv::tabpfn
