#include "classify/mlp/network.hpp"

#include <algorithm>
#include <cmath>

#include "classify/mlp/block.hpp"
#include "core/assert.hpp"
#include "core/numeric.hpp"

namespace jsdiv::mlp {
namespace {

template <typename Real>
using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;
template <typename Real>
using ColumnsMap = Eigen::Map<Columns<Real>>;
template <typename Real>
using ConstColumnsMap = Eigen::Map<const Columns<Real>>;
template <typename Real>
using ConstVectorMap = Eigen::Map<const Vector<Real>>;

}  // namespace

Layout::Layout(Eigen::Index inputs) {
  Eigen::Index parameter = 0;
  Eigen::Index statistic = 0;
  for (std::size_t b = 0; b < hidden_blocks; ++b) {
    const Eigen::Index width = hidden_widths[b];
    Block& block = blocks[b];
    block = {.inputs = inputs, .width = width};
    block.weights = parameter;
    block.gamma = block.weights + inputs * width;
    block.beta = block.gamma + width;
    parameter = block.beta + width;
    block.mean = statistic;
    block.variance = statistic + width;
    statistic += 2 * width;
    inputs = width;
  }
  output_weights = parameter;
  output_bias = parameter + inputs;
  parameters = output_bias + 1;
  statistics = statistic;
}

template <typename Real>
State<Real> State<Real>::initial(const Layout& layout, RandomStream random) {
  State state;
  state.parameters.assign(static_cast<std::size_t>(layout.parameters), Real{0});
  state.statistics.assign(static_cast<std::size_t>(layout.statistics), Real{0});
  const auto fill_uniform = [&](Eigen::Index begin, Eigen::Index count, Eigen::Index inputs) {
    const double bound = 1 / std::sqrt(static_cast<double>(inputs));
    for (Eigen::Index i = begin; i < begin + count; ++i) {
      state.parameters[i] = static_cast<Real>(bound * (2 * random.uniform() - 1));
    }
  };
  for (const Layout::Block& block : layout.blocks) {
    fill_uniform(block.weights, block.inputs * block.width, block.inputs);
    std::fill_n(state.parameters.begin() + block.gamma, block.width, Real{1});
    std::fill_n(state.statistics.begin() + block.variance, block.width, Real{1});
  }
  fill_uniform(layout.output_weights, hidden_widths.back() + 1, hidden_widths.back());
  return state;
}

template <typename Real>
TrainingPass<Real>::TrainingPass(const Layout& layout, Eigen::Index max_rows, int dropout_bits)
    : layout_(layout),
      dropout_bits_(dropout_bits),
      keep_scale_(dropout_bits == 0 ? Real{1} : static_cast<Real>(1 / (1 - std::ldexp(1.0, -dropout_bits)))),
      mask_(mask_words(static_cast<std::size_t>(max_rows)), ~std::uint32_t{0}),
      logits_(max_rows),
      gradient_(static_cast<std::size_t>(layout.parameters)) {
  for (std::size_t b = 0; b < hidden_blocks; ++b) {
    const Eigen::Index width = layout.blocks[b].width;
    normalised_[b].resize(max_rows, width);
    activations_[b].resize(max_rows, width);
    gradients_[b].resize(max_rows, width);
    inverse_deviations_[b].resize(static_cast<std::size_t>(width));
  }
}

/// A bit is 0 if it is 0 in each of `dropout_bits_` random words.
template <typename Real>
void TrainingPass<Real>::draw_mask(std::size_t words, RandomStream& random) {
  for (std::size_t word = 0; word < words; ++word) {
    std::uint32_t keep = 0;
    for (int bit = 0; bit < dropout_bits_; ++bit) keep |= random.next_u32();
    mask_[word] = keep;
  }
}

template <typename Real>
Real TrainingPass<Real>::run(State<Real>& state, const Eigen::Ref<const Columns<Real>>& features,
                             std::span<const float> labels, std::span<const float> weights,
                             RandomStream& random) {
  const Eigen::Index rows = features.rows();
  JSDIV_ASSERT(rows > 0 && rows <= logits_.size());
  const auto row_count = static_cast<std::size_t>(rows);
  const Real* parameters = state.parameters.data();

  for (std::size_t b = 0; b < hidden_blocks; ++b) {
    const Layout::Block& block = layout_.blocks[b];
    const ConstColumnsMap<Real> block_weights(parameters + block.weights, block.inputs, block.width);
    if (b == 0) {
      normalised_[b].topRows(rows).noalias() = features * block_weights;
    } else {
      normalised_[b].topRows(rows).noalias() = activations_[b - 1].topRows(rows) * block_weights;
    }
    for (Eigen::Index j = 0; j < block.width; ++j) {
      if (dropout_bits_ > 0) draw_mask(mask_words(row_count), random);
      const auto found =
          block_forward<Real>(row_count, parameters[block.gamma + j], parameters[block.beta + j],
                              dropout_bits_ > 0 ? mask_.data() : nullptr, keep_scale_,
                              normalised_[b].col(j).data(), activations_[b].col(j).data());
      inverse_deviations_[b][j] = found.inverse_deviation;
      Real& mean = state.statistics[block.mean + j];
      Real& variance = state.statistics[block.variance + j];
      mean += static_cast<Real>(norm_momentum) * (found.mean - mean);
      variance += static_cast<Real>(norm_momentum) * (found.unbiased_variance - variance);
    }
  }

  const ConstVectorMap<Real> output_weights(parameters + layout_.output_weights, hidden_widths.back());
  const auto last_activations = activations_.back().topRows(rows);
  auto logits = logits_.head(rows);
  logits.noalias() = last_activations * output_weights;
  Real loss = 0;
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double logit = logits[i] + parameters[layout_.output_bias];
    const double weight = weights[i] / static_cast<double>(rows);
    loss += static_cast<Real>(weight * log1p_exp(labels[i] > 0 ? -logit : logit));
    logits[i] =
        static_cast<Real>(weight * (sigmoid(logit) - labels[i]));  // from here on the loss's derivative
  }

  Eigen::Map<Vector<Real>>(gradient_.data() + layout_.output_weights, hidden_widths.back()).noalias() =
      last_activations.transpose() * logits;
  gradient_[layout_.output_bias] = logits.sum();
  gradients_.back().topRows(rows).noalias() = logits * output_weights.transpose();

  for (std::size_t b = hidden_blocks; b-- > 0;) {
    const Layout::Block& block = layout_.blocks[b];
    for (Eigen::Index j = 0; j < block.width; ++j) {
      const auto found = block_backward<Real>(
          row_count, parameters[block.gamma + j], inverse_deviations_[b][j], keep_scale_,
          normalised_[b].col(j).data(), activations_[b].col(j).data(), gradients_[b].col(j).data());
      gradient_[block.gamma + j] = found.gamma;
      gradient_[block.beta + j] = found.beta;
    }
    ColumnsMap<Real> weight_gradient(gradient_.data() + block.weights, block.inputs, block.width);
    const auto block_gradient = gradients_[b].topRows(rows);
    if (b == 0) {
      weight_gradient.noalias() = features.transpose() * block_gradient;
    } else {
      weight_gradient.noalias() = activations_[b - 1].topRows(rows).transpose() * block_gradient;
      const ConstColumnsMap<Real> block_weights(parameters + block.weights, block.inputs, block.width);
      gradients_[b - 1].topRows(rows).noalias() = block_gradient * block_weights.transpose();
    }
  }
  return loss;
}

template <typename Real>
Evaluator<Real>::Evaluator(const Layout& layout, const State<Real>& state)
    : output_weights_(
          ConstVectorMap<Real>(state.parameters.data() + layout.output_weights, hidden_widths.back())),
      output_bias_(state.parameters[layout.output_bias]) {
  for (std::size_t b = 0; b < hidden_blocks; ++b) {
    const Layout::Block& block = layout.blocks[b];
    const auto parameter = [&](Eigen::Index offset) {
      return Eigen::Map<const Eigen::Array<Real, 1, Eigen::Dynamic>>(state.parameters.data() + offset,
                                                                     block.width);
    };
    const auto statistic = [&](Eigen::Index offset) {
      return Eigen::Map<const Eigen::Array<Real, 1, Eigen::Dynamic>>(state.statistics.data() + offset,
                                                                     block.width);
    };
    const Eigen::Array<Real, 1, Eigen::Dynamic> scale =
        parameter(block.gamma) / (statistic(block.variance) + static_cast<Real>(norm_epsilon)).sqrt();
    blocks_[b].weights =
        ConstColumnsMap<Real>(state.parameters.data() + block.weights, block.inputs, block.width) *
        scale.matrix().asDiagonal();
    blocks_[b].bias = (parameter(block.beta) - scale * statistic(block.mean)).matrix();
  }
}

template <typename Real>
void Evaluator<Real>::run(const Eigen::Ref<const Columns<Real>>& features, std::span<double> logits) const {
  JSDIV_ASSERT(static_cast<std::size_t>(features.rows()) == logits.size());
  constexpr Eigen::Index block_rows = 1024;  // whose activations stay in the cache
  Columns<Real> activations;
  Columns<Real> next;
  for (Eigen::Index begin = 0; begin < features.rows(); begin += block_rows) {
    activations = features.middleRows(begin, std::min(block_rows, features.rows() - begin));
    for (const Linear& linear : blocks_) {
      next.noalias() = activations * linear.weights;
      next.rowwise() += linear.bias;
      next = next.cwiseMax(static_cast<Real>(leaky_slope) * next);
      activations.swap(next);
    }
    const Vector<Real> output = activations * output_weights_;
    for (Eigen::Index i = 0; i < output.size(); ++i) {
      logits[static_cast<std::size_t>(begin + i)] = static_cast<double>(output[i]) + output_bias_;
    }
  }
}

template struct State<float>;
template struct State<double>;
template class TrainingPass<float>;
template class TrainingPass<double>;
template class Evaluator<float>;
template class Evaluator<double>;

}  // namespace jsdiv::mlp
