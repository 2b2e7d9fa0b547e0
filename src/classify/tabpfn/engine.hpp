#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "classify/tabpfn/inputs.hpp"
#include "classify/tabpfn/layers.hpp"
#include "classify/tabpfn/weights.hpp"
#include "jsdiv/matrix.hpp"

namespace jsdiv::tabpfn {

/// Training rows as the model has understood them: everything that a scored row needs. Scored rows influence
/// neither the training rows nor each other, so this is computed once and serves any number of them.
struct Context {
  FeatureScaling features;
  TargetScaling target;
  std::vector<float> positions;     ///< [T-1, E]
  std::vector<LayerMemory> layers;  ///< [L]

  std::size_t tokens() const { return features.groups() + 1; }
};

/// The forward pass of the TabPFN v2 classifier (Hollmann et al., Nature 637, 2025) in float32. A row becomes
/// T tokens of width E: one for each group of columns, then the target's.
class Engine {
 public:
  explicit Engine(std::shared_ptr<const Weights> weights) : weights_(std::move(weights)) {}

  /// Runs the training rows through the model. features: [*, F], NaN where missing; labels: [rows] class
  /// indices.
  Context fit(MatrixView features, Rows rows, std::span<const std::uint8_t> labels) const;

  /// [rows, classes of the model]; the logits of classes absent in training carry no meaning.
  std::vector<float> logits(const Context& context, MatrixView features, Rows rows) const;

  /// The same numbers as fit followed by logits, but layer by layer: keeps the states of the scored rows
  /// instead of the memory of all layers, and leaves nothing to reuse.
  std::vector<float> logits_once(MatrixView features, Rows training_rows,
                                 std::span<const std::uint8_t> labels, Rows scored_rows) const;

  /// Bytes of the context of so many training rows and columns.
  std::size_t context_bytes(std::size_t training_rows, std::size_t features) const;

  const Weights& weights() const { return *weights_; }

 private:
  std::vector<float> embed_training_rows(const Context& context, MatrixView features, Rows rows,
                                         std::span<const std::uint8_t> labels) const;
  std::vector<float> embed_scored_rows(const Context& context, MatrixView features, Rows rows) const;

  std::shared_ptr<const Weights> weights_;
};

}  // namespace jsdiv::tabpfn
