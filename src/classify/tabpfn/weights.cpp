#include "classify/tabpfn/weights.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <numbers>
#include <set>
#include <string_view>
#include <utility>

#include "classify/tabpfn/kernels.hpp"
#include "core/sha256.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::tabpfn {
namespace {

constexpr std::string_view format_name = "tabpfn-v2-classifier";

/// Access to the metadata, with messages that name the file and the entry.
class Settings {
 public:
  Settings(const SafetensorsView& file, const std::string& source)
      : values_(file.metadata()), source_(source) {}

  const std::string* find(std::string_view name) const {
    const auto found = values_.find(name);
    return found == values_.end() ? nullptr : &found->second;
  }

  std::size_t integer(std::string_view name, std::size_t low, std::size_t high) const {
    const std::string* text = find(name);
    if (text == nullptr) throw InvalidInput(source_ + ": the metadata lacks '" + std::string(name) + "'");
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (error != std::errc() || end != text->data() + text->size() || value < low || value > high) {
      throw InvalidInput(source_ + ": '" + std::string(name) + "' is '" + text->substr(0, 40) +
                         "', but must be an integer from " + std::to_string(low) + " to " +
                         std::to_string(high));
    }
    return value;
  }

  /// The engine implements one value of this setting; the file may leave it out.
  void require(std::string_view name, std::string_view wanted) const {
    const std::string* text = find(name);
    if (text != nullptr && *text != wanted) {
      throw InvalidInput(source_ + ": '" + std::string(name) + "' is '" + text->substr(0, 40) + "', only '" +
                         std::string(wanted) + "' (TabPFN v2) is supported");
    }
  }

 private:
  const std::map<std::string, std::string, std::less<>>& values_;
  const std::string& source_;
};

ModelShape read_shape(const Settings& settings, const std::string& source) {
  const std::string* format = settings.find("format");
  if (format == nullptr || *format != format_name) {
    throw InvalidInput(source +
                       ": not a converted TabPFN v2 classifier; convert one with tools/tabpfn_convert.py");
  }
  for (const char* name : {"nan_handling_enabled", "nan_handling_y_encoder", "normalize_by_used_features",
                           "normalize_on_train_only", "normalize_x", "remove_empty_features",
                           "multiquery_item_attention_for_test_set"}) {
    settings.require(name, "true");
  }
  for (const char* name : {"encoder_use_bias", "multiquery_item_attention", "normalize_to_ranking",
                           "remove_outliers", "use_separate_decoder"}) {
    settings.require(name, "false");
  }
  settings.require("feature_positional_embedding", "subspace");
  settings.require("encoder_type", "linear");
  ModelShape shape;
  shape.width = settings.integer("emsize", 4, 1024);
  shape.heads = settings.integer("nhead", 1, 64);
  shape.layers = settings.integer("nlayers", 1, 64);
  shape.hidden = shape.width * settings.integer("nhid_factor", 1, 16);
  shape.features_per_group = settings.integer("features_per_group", 1, 16);
  shape.classes = settings.integer("max_num_classes", 2, 1000);
  if (settings.find("seed") != nullptr) {
    shape.noise_seed = static_cast<std::uint32_t>(settings.integer("seed", 0, 0xFFFFFFFFU));
  }
  if (shape.width % shape.heads != 0 || shape.width % 4 != 0 || shape.head_size() > max_head_size) {
    throw InvalidInput(source + ": emsize " + std::to_string(shape.width) + " with nhead " +
                       std::to_string(shape.heads) + " is not a shape this engine takes");
  }
  return shape;
}

/// Hands out tensors by name and remembers which were asked for.
class TensorTable {
 public:
  TensorTable(const SafetensorsView& file, const std::string& source) : file_(file), source_(source) {}

  std::vector<float> take(const std::string& name, const std::vector<std::size_t>& shape) {
    const auto found = file_.tensors().find(name);
    if (found == file_.tensors().end()) throw InvalidInput(source_ + ": tensor '" + name + "' is missing");
    if (found->second.shape != shape)
      throw InvalidInput(source_ + ": tensor '" + name + "' has the wrong shape");
    taken_.insert(name);
    std::vector<float> values = found->second.values();
    if (!std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); })) {
      throw InvalidInput(source_ + ": tensor '" + name + "' has values that are not finite");
    }
    return values;
  }

  /// The feature encoder is the fifth step of a sequence, or the sixth if the file lists the removal of
  /// duplicates.
  std::string feature_encoder_name() const {
    const std::string shifted = "encoder.6.layer.weight";
    return file_.tensors().contains(shifted) ? shifted : "encoder.5.layer.weight";
  }

  void refuse_others() const {
    for (const auto& [name, tensor] : file_.tensors()) {
      if (!taken_.contains(name))
        throw InvalidInput(source_ + ": unexpected tensor '" + name.substr(0, 80) + "'");
    }
  }

 private:
  const SafetensorsView& file_;
  const std::string& source_;
  std::set<std::string, std::less<>> taken_;
};

/// [H, D, E] -> [H Dp, E], times `scale`.
std::vector<float> pad_heads(const float* heads, const ModelShape& shape, float scale) {
  std::vector<float> out(shape.padded_width() * shape.width);
  for (std::size_t head = 0; head < shape.heads; ++head) {
    const float* from = heads + head * shape.head_size() * shape.width;
    float* to = out.data() + head * shape.padded_head_size() * shape.width;
    for (std::size_t i = 0; i < shape.head_size() * shape.width; ++i) to[i] = from[i] * scale;
  }
  return out;
}

/// [rows, cols] -> [cols, rows]
std::vector<float> transposed(const std::vector<float>& matrix, std::size_t rows, std::size_t cols) {
  std::vector<float> out(matrix.size());
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t col = 0; col < cols; ++col) out[col * rows + row] = matrix[row * cols + col];
  }
  return out;
}

struct AttentionWeights {
  std::vector<float> query, keys, values, out;
};

AttentionWeights read_attention(TensorTable& tensors, const std::string& prefix, const ModelShape& shape) {
  const std::size_t heads_size = shape.heads * shape.head_size() * shape.width;
  const auto qkv = tensors.take(prefix + "._w_qkv", {3, shape.heads, shape.head_size(), shape.width});
  const auto out = tensors.take(prefix + "._w_out", {shape.heads, shape.head_size(), shape.width});
  const auto score_scale =
      static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(shape.head_size())));
  return {.query = pad_heads(qkv.data(), shape, score_scale),
          .keys = pad_heads(qkv.data() + heads_size, shape, 1),
          .values = pad_heads(qkv.data() + 2 * heads_size, shape, 1),
          .out = transposed(pad_heads(out.data(), shape, 1), shape.padded_width(), shape.width)};
}

LayerWeights read_layer(TensorTable& tensors, std::size_t index, const ModelShape& shape) {
  const std::string prefix = "transformer_encoder.layers." + std::to_string(index) + ".";
  AttentionWeights features = read_attention(tensors, prefix + "self_attn_between_features", shape);
  AttentionWeights items = read_attention(tensors, prefix + "self_attn_between_items", shape);
  LayerWeights layer;
  layer.features_qkv = std::move(features.query);
  for (const auto& part : {features.keys, features.values}) {
    layer.features_qkv.insert(layer.features_qkv.end(), part.begin(), part.end());
  }
  layer.features_out = std::move(features.out);
  layer.items_query = std::move(items.query);
  layer.items_keys = std::move(items.keys);
  layer.items_values = std::move(items.values);
  layer.items_out = std::move(items.out);
  layer.mlp_in = tensors.take(prefix + "mlp.linear1.weight", {shape.hidden, shape.width});
  layer.mlp_out = tensors.take(prefix + "mlp.linear2.weight", {shape.width, shape.hidden});
  return layer;
}

bool starts_with(std::span<const std::byte> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

/// A torch checkpoint is a zip archive around a pickle, or a bare pickle (protocol 2 to 5).
bool is_pickle(std::span<const std::byte> bytes) {
  if (starts_with(bytes, "PK\x03\x04")) return true;
  return bytes.size() > 1 && bytes[0] == std::byte{0x80} && bytes[1] >= std::byte{2} &&
         bytes[1] <= std::byte{5};
}

}  // namespace

std::size_t ModelShape::padded_head_size() const {
  return padded(head_size());
}

Weights read_weights(const SafetensorsView& file, const std::string& source) {
  Weights weights;
  weights.shape = read_shape(Settings(file, source), source);
  const ModelShape& shape = weights.shape;
  const std::size_t width = shape.width;
  TensorTable tensors(file, source);
  weights.feature_encoder =
      tensors.take(tensors.feature_encoder_name(), {width, 2 * shape.features_per_group});
  weights.target_encoder = tensors.take("y_encoder.2.layer.weight", {width, 2});
  weights.target_bias = tensors.take("y_encoder.2.layer.bias", {width});
  weights.position = tensors.take("feature_positional_embedding_embeddings.weight", {width, width / 4});
  weights.position_bias = tensors.take("feature_positional_embedding_embeddings.bias", {width});
  for (std::size_t i = 0; i < shape.layers; ++i) weights.layers.push_back(read_layer(tensors, i, shape));
  weights.head_in = tensors.take("decoder_dict.standard.0.weight", {shape.hidden, width});
  weights.head_in_bias = tensors.take("decoder_dict.standard.0.bias", {shape.hidden});
  weights.head_out = tensors.take("decoder_dict.standard.2.weight", {shape.classes, shape.hidden});
  weights.head_out_bias = tensors.take("decoder_dict.standard.2.bias", {shape.classes});
  tensors.refuse_others();
  return weights;
}

Weights load_weights(const std::string& path) {
  const MappedFile file(path);
  const auto bytes = file.bytes();
  if (is_pickle(bytes)) {
    throw InvalidInput(path + ": is a pickled checkpoint, which is never read; convert it first: " +
                       "python3 tools/tabpfn_convert.py IN.ckpt OUT.safetensors");
  }
  Weights weights = read_weights(SafetensorsView(bytes, path), path);
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  weights.sha256 = hash.finish();
  return weights;
}

}  // namespace jsdiv::tabpfn
