#include "classify/kernel/fourier_features.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/assert.hpp"
#include "core/simd.hpp"
#include "core/stop.hpp"

namespace jsdiv::kernel {
namespace {

/// A value this many standard deviations out says no more than that it is far out; the cosines of greater
/// ones would be noise, and the linear part would let single rows decide.
constexpr double largest_value = 8;
constexpr std::size_t block_rows = 512;

}  // namespace

JSDIV_SIMD_CLONES void scaled_cosine(const float* turns, std::size_t count, float phase, float scale,
                                     float* out) {
  // Adding 1.5·2^23 rounds to a whole number. With u = |fraction| - ¼ the cosine is -sin(2πu), here by the
  // polynomial of degree 9 with the least largest error, 4e-9.
  constexpr float rounding = 12582912.0F;
  for (std::size_t i = 0; i < count; ++i) {
    const float shifted = turns[i] - phase;
    const float fraction = shifted - ((shifted + rounding) - rounding);
    const float u = std::fabs(fraction) - 0.25F;
    const float square = u * u;
    const float sine =
        u *
        ((((39.536705F * square + -76.5497818F) * square + 81.6010056F) * square + -41.3416557F) * square +
         6.28318501F);
    out[i] = -scale * sine;
  }
}

FourierFeatures::FourierFeatures(MatrixView features, Rows rows, std::span<const double> weights,
                                 std::size_t components, double bandwidth, RandomStream random) {
  JSDIV_ASSERT(weights.size() == rows.size() && components % 2 == 0 && bandwidth > 0);
  double total = 0;
  for (const double weight : weights) total += weight;
  for (std::size_t j = 0; j < features.cols; ++j) {
    const auto column = features.column(j);
    if (std::ranges::all_of(rows, [&](RowIndex row) { return column[row] == column[rows[0]]; })) continue;
    double sum = 0, squares = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) sum += weights[i] * column[rows[i]];
    const double mean = sum / total;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      squares += weights[i] * (column[rows[i]] - mean) * (column[rows[i]] - mean);
    }
    const double deviation = std::sqrt(squares / total);
    if (deviation > 0) inputs_.push_back({.column = j, .mean = mean, .deviation = deviation});
  }
  if (inputs_.empty()) return;
  const double scale =
      1 / (bandwidth * std::sqrt(static_cast<double>(inputs_.size())) * 2 * std::numbers::pi);
  for (std::size_t k = 0; k < inputs_.size() * (components / 2); ++k) {
    frequencies_.push_back(static_cast<float>(scale * random.normal()));
  }
}

Matrix FourierFeatures::operator()(MatrixView features, Rows rows) const {
  if (inputs_.empty()) return Matrix(rows.size(), 0);
  const std::size_t inputs = inputs_.size();
  const std::size_t count = frequencies_.size() / inputs;
  const float unit = 1 / std::sqrt(static_cast<float>(count));
  const float linear_unit = 1 / std::sqrt(static_cast<float>(inputs));
  Matrix out(rows.size(), 2 * count + inputs);
  Matrix values(block_rows, inputs), turns(block_rows, count);
  for (std::size_t first = 0; first < rows.size(); first += block_rows) {
    throw_if_interrupted();
    const Rows block = rows.subspan(first, std::min(block_rows, rows.size() - first));
    for (std::size_t k = 0; k < inputs; ++k) {
      const Input& input = inputs_[k];
      const auto source = features.column(input.column);
      for (std::size_t i = 0; i < block.size(); ++i) {
        const auto value = static_cast<float>(
            std::clamp((source[block[i]] - input.mean) / input.deviation, -largest_value, largest_value));
        values.at(i, k) = value;
        out.at(first + i, 2 * count + k) = linear_unit * value;
      }
    }
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, static_cast<int>(block.size()),
                static_cast<int>(count), static_cast<int>(inputs), 1, values.view().data, block_rows,
                frequencies_.data(), static_cast<int>(inputs), 0, turns.column(0).data(), block_rows);
    for (std::size_t k = 0; k < count; ++k) {
      const float* angles = turns.column(k).data();
      scaled_cosine(angles, block.size(), 0.0F, unit, &out.at(first, 2 * k));
      scaled_cosine(angles, block.size(), 0.25F, unit, &out.at(first, 2 * k + 1));
    }
  }
  return out;
}

}  // namespace jsdiv::kernel
