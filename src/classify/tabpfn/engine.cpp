#include "classify/tabpfn/engine.hpp"

#include <algorithm>

#include "classify/tabpfn/kernels.hpp"
#include "core/assert.hpp"
#include "core/parallel.hpp"

namespace jsdiv::tabpfn {
namespace {

constexpr std::size_t chunk_tokens = 256;  // tokens of one job of scored rows
constexpr std::size_t min_chunk_rows = 32;

std::size_t chunk_rows(std::size_t tokens) {
  return std::max(min_chunk_rows, chunk_tokens / tokens);
}

std::size_t chunk_count(std::size_t rows, std::size_t tokens) {
  return (rows + chunk_rows(tokens) - 1) / chunk_rows(tokens);
}

Rows chunk_of(Rows rows, std::size_t chunk, std::size_t tokens) {
  const std::size_t first = chunk * chunk_rows(tokens);
  return rows.subspan(first, std::min(chunk_rows(tokens), rows.size() - first));
}

Context make_context(const Weights& weights, MatrixView features, Rows rows,
                     std::span<const std::uint8_t> labels) {
  JSDIV_ASSERT(labels.size() == rows.size() && !rows.empty());
  Context context{.features = FeatureScaling(features, rows, weights.shape.features_per_group),
                  .target = TargetScaling(labels),
                  .positions = {},
                  .layers = {}};
  JSDIV_ASSERT(context.features.groups() > 0 && context.target.classes() <= weights.shape.classes);
  context.positions = positional_embeddings(weights, context.features.groups());
  return context;
}

/// state: [rows, T, E] with everything but the target tokens.
std::vector<float> embed_columns(const Weights& weights, const Context& context, MatrixView features,
                                 Rows rows) {
  const std::size_t tokens = context.tokens();
  std::vector<float> groups(rows.size() * (tokens - 1) * 2 * weights.shape.features_per_group);
  std::vector<float> state(rows.size() * tokens * weights.shape.width);
  context.features.apply(features, rows, groups.data());
  embed_features(weights, groups.data(), context.positions, rows.size(), tokens, state.data());
  return state;
}

}  // namespace

std::vector<float> Engine::embed_training_rows(const Context& context, MatrixView features, Rows rows,
                                               std::span<const std::uint8_t> labels) const {
  std::vector<float> state = embed_columns(*weights_, context, features, rows);
  const std::size_t row_floats = context.tokens() * weights_->shape.width;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    embed_target(*weights_, context.target.known(labels[i]), 0, context.tokens(),
                 state.data() + i * row_floats);
  }
  return state;
}

std::vector<float> Engine::embed_scored_rows(const Context& context, MatrixView features, Rows rows) const {
  std::vector<float> state = embed_columns(*weights_, context, features, rows);
  const std::size_t row_floats = context.tokens() * weights_->shape.width;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    embed_target(*weights_, context.target.unknown(), TargetScaling::unknown_mark, context.tokens(),
                 state.data() + i * row_floats);
  }
  return state;
}

Context Engine::fit(MatrixView features, Rows rows, std::span<const std::uint8_t> labels) const {
  Context context = make_context(*weights_, features, rows, labels);
  std::vector<float> state = embed_training_rows(context, features, rows, labels);
  for (const LayerWeights& layer : weights_->layers) {
    context.layers.push_back(advance_training_rows(weights_->shape, layer, state.data(), rows.size(),
                                                   context.tokens(), &layer == &weights_->layers.back()));
  }
  return context;
}

std::vector<float> Engine::logits(const Context& context, MatrixView features, Rows rows) const {
  const std::size_t tokens = context.tokens();
  const std::size_t classes = weights_->shape.classes;
  std::vector<float> out(rows.size() * classes);
  parallel_for(chunk_count(rows.size(), tokens), [&](std::size_t chunk) {
    const Rows here = chunk_of(rows, chunk, tokens);
    std::vector<float> state = embed_scored_rows(context, features, here);
    for (std::size_t i = 0; i < weights_->layers.size(); ++i) {
      advance_scored_rows(weights_->shape, weights_->layers[i], context.layers[i], state.data(), here.size(),
                          tokens, i + 1 == weights_->layers.size());
    }
    classify_targets(*weights_, state.data(), here.size(), tokens,
                     out.data() + chunk * chunk_rows(tokens) * classes);
  });
  return out;
}

std::vector<float> Engine::logits_once(MatrixView features, Rows training_rows,
                                       std::span<const std::uint8_t> labels, Rows scored_rows) const {
  const Context context = make_context(*weights_, features, training_rows, labels);
  const std::size_t tokens = context.tokens();
  const std::size_t classes = weights_->shape.classes;
  std::vector<float> state = embed_training_rows(context, features, training_rows, labels);
  std::vector<std::vector<float>> scored(chunk_count(scored_rows.size(), tokens));
  std::vector<float> out(scored_rows.size() * classes);
  parallel_for(scored.size(), [&](std::size_t chunk) {
    scored[chunk] = embed_scored_rows(context, features, chunk_of(scored_rows, chunk, tokens));
  });
  for (const LayerWeights& layer : weights_->layers) {
    const bool last_layer = &layer == &weights_->layers.back();
    const LayerMemory memory =
        advance_training_rows(weights_->shape, layer, state.data(), training_rows.size(), tokens, last_layer);
    parallel_for(scored.size(), [&](std::size_t chunk) {
      advance_scored_rows(weights_->shape, layer, memory, scored[chunk].data(),
                          chunk_of(scored_rows, chunk, tokens).size(), tokens, last_layer);
    });
  }
  parallel_for(scored.size(), [&](std::size_t chunk) {
    classify_targets(*weights_, scored[chunk].data(), chunk_of(scored_rows, chunk, tokens).size(), tokens,
                     out.data() + chunk * chunk_rows(tokens) * classes);
  });
  return out;
}

std::size_t Engine::context_bytes(std::size_t training_rows, std::size_t features) const {
  const ModelShape& shape = weights_->shape;
  const std::size_t tokens = (features + shape.features_per_group - 1) / shape.features_per_group + 1;
  const std::size_t column =
      packed_key_floats(training_rows, shape.padded_head_size()) + training_rows * shape.padded_head_size();
  return ((shape.layers - 1) * tokens + 1) * column * sizeof(float);
}

}  // namespace jsdiv::tabpfn
