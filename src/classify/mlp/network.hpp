#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "jsdiv/random.hpp"

namespace jsdiv::mlp {

constexpr std::array<Eigen::Index, 3> hidden_widths = {256, 64, 32};
constexpr std::size_t hidden_blocks = hidden_widths.size();

template <typename Real>
using Columns = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic>;  ///< column-major, as everywhere

/// Where each tensor lies in the one vector of parameters: for each block the weights [inputs, width] with
/// gamma and beta [width], then the output's weights [32] and bias. The linear layers of the blocks have no
/// bias: batch norm would subtract it again. Beside the parameters go the running statistics, mean and
/// variance [width] of each block.
struct Layout {
  explicit Layout(Eigen::Index inputs);

  struct Block {
    Eigen::Index inputs;
    Eigen::Index width;
    Eigen::Index weights;  ///< offsets into the parameters
    Eigen::Index gamma;
    Eigen::Index beta;
    Eigen::Index mean;  ///< offsets into the statistics
    Eigen::Index variance;
  };
  std::array<Block, hidden_blocks> blocks;
  Eigen::Index output_weights;
  Eigen::Index output_bias;
  Eigen::Index parameters;
  Eigen::Index statistics;
};

/// What is learnt. PyTorch's initialisation: weights and output bias uniform in ±1/√inputs, gamma 1, beta 0.
template <typename Real>
struct State {
  std::vector<Real> parameters;
  std::vector<Real> statistics;

  static State initial(const Layout& layout, RandomStream random);
};

/// Buffers of a training step, so that a step allocates nothing.
template <typename Real>
class TrainingPass {
 public:
  /// A neuron's value for a row is dropped with probability 2^-dropout_bits; 0 bits: never.
  TrainingPass(const Layout& layout, Eigen::Index max_rows, int dropout_bits = 1);

  /// One batch: features [rows, inputs], labels [rows] (1 or 0), weights [rows]. Draws the dropout masks from
  /// `random`, moves the running statistics of `state`, and leaves the gradient of
  /// 1/rows · Σ weight · log-loss by every parameter in `gradient()`. Returns that loss.
  /// Row weights act on the loss alone: batch norm sees every row alike.
  Real run(State<Real>& state, const Eigen::Ref<const Columns<Real>>& features, std::span<const float> labels,
           std::span<const float> weights, RandomStream& random);

  const std::vector<Real>& gradient() const { return gradient_; }

 private:
  void draw_mask(std::size_t words, RandomStream& random);

  Layout layout_;
  std::array<Columns<Real>, hidden_blocks> normalised_;   ///< [max_rows, width]
  std::array<Columns<Real>, hidden_blocks> activations_;  ///< [max_rows, width]
  std::array<Columns<Real>, hidden_blocks> gradients_;    ///< [max_rows, width]
  std::array<std::vector<Real>, hidden_blocks> inverse_deviations_;
  int dropout_bits_;
  Real keep_scale_;
  std::vector<std::uint32_t> mask_;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> logits_;
  std::vector<Real> gradient_;
};

/// The network as it predicts: no dropout, and batch norm by the running statistics folded into each linear
/// layer.
template <typename Real>
class Evaluator {
 public:
  Evaluator(const Layout& layout, const State<Real>& state);

  /// features [rows, inputs] -> logits [rows].
  void run(const Eigen::Ref<const Columns<Real>>& features, std::span<double> logits) const;

 private:
  struct Linear {
    Columns<Real> weights;                        ///< [inputs, width]
    Eigen::Matrix<Real, 1, Eigen::Dynamic> bias;  ///< [width]
  };
  std::array<Linear, hidden_blocks> blocks_;
  Eigen::Matrix<Real, Eigen::Dynamic, 1> output_weights_;
  Real output_bias_;
};

}  // namespace jsdiv::mlp
