#include "classify/tabpfn/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include "core/assert.hpp"

namespace jsdiv::tabpfn {
namespace {

constexpr std::size_t normal_block = 16;

float uniform24(std::mt19937& engine) {
  return static_cast<float>(engine() & 0xFFFFFFU) * 0x1.0p-24F;
}

double uniform53(std::mt19937& engine) {
  const std::uint64_t high = engine();
  const std::uint64_t word = (high << 32) | engine();
  return static_cast<double>(word & ((std::uint64_t{1} << 53) - 1)) * 0x1.0p-53;
}

/// Box-Muller on a block of uniforms: the first half gives radii, the second half angles.
void block_to_normals(float* values) {
  for (std::size_t j = 0; j < normal_block / 2; ++j) {
    const double radius = std::sqrt(-2 * std::log1p(-static_cast<double>(values[j])));
    const double angle = 2 * std::numbers::pi * static_cast<double>(values[j + normal_block / 2]);
    values[j] = static_cast<float>(radius * std::cos(angle));
    values[j + normal_block / 2] = static_cast<float>(radius * std::sin(angle));
  }
}

/// The means and deviations of the model are those of float32 values clipped to what it was trained on.
constexpr double standardised_limit = 100;
constexpr float missing_mark = -2;
constexpr float positive_infinity_mark = 2;
constexpr float negative_infinity_mark = 4;

float mark_of(float value) {
  if (std::isnan(value)) return missing_mark;
  if (std::isinf(value)) return value > 0 ? positive_infinity_mark : negative_infinity_mark;
  return 0;
}

bool is_constant(std::span<const float> column, Rows rows) {
  return std::all_of(rows.begin(), rows.end(), [&](RowIndex row) { return column[row] == column[rows[0]]; });
}

struct Moments {
  double mean = 0;
  double deviation = 1;
};

/// Mean of the finite values; standard deviation (ddof 1) over all rows with the others replaced by that
/// mean.
Moments training_moments(std::span<const float> column, Rows rows) {
  double sum = 0;
  std::size_t finite = 0;
  for (const RowIndex row : rows) {
    if (!std::isfinite(column[row])) continue;
    sum += column[row];
    ++finite;
  }
  Moments moments;
  if (finite > 0) moments.mean = sum / static_cast<double>(finite);
  double squares = 0;
  for (const RowIndex row : rows) {
    if (!std::isfinite(column[row])) continue;
    squares += (column[row] - moments.mean) * (column[row] - moments.mean);
  }
  if (rows.size() > 1 && squares > 0)
    moments.deviation = std::sqrt(squares / static_cast<double>(rows.size() - 1));
  return moments;
}

bool finite_values_differ(std::span<const float> column, Rows rows) {
  const auto first =
      std::find_if(rows.begin(), rows.end(), [&](RowIndex row) { return std::isfinite(column[row]); });
  return std::any_of(first, rows.end(), [&](RowIndex row) {
    return std::isfinite(column[row]) && column[row] != column[*first];
  });
}

}  // namespace

std::vector<float> torch_normals(std::size_t count, std::uint32_t seed) {
  std::mt19937 engine(seed);
  std::vector<float> values(count);
  if (count >= normal_block) {
    for (float& value : values) value = uniform24(engine);
    for (std::size_t first = 0; first + normal_block <= count; first += normal_block) {
      block_to_normals(values.data() + first);
    }
    if (count % normal_block != 0) {
      float* last = values.data() + count - normal_block;
      for (std::size_t j = 0; j < normal_block; ++j) last[j] = uniform24(engine);
      block_to_normals(last);
    }
    return values;
  }
  for (std::size_t i = 0; i < count; i += 2) {
    const double angle = 2 * std::numbers::pi * uniform53(engine);
    const double radius = std::sqrt(-2 * std::log1p(-uniform53(engine)));
    values[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < count) values[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
  return values;
}

FeatureScaling::FeatureScaling(MatrixView features, Rows rows, std::size_t features_per_group)
    : features_per_group_(features_per_group) {
  JSDIV_ASSERT(!rows.empty());
  for (std::size_t j = 0; j < features.cols; ++j) {
    const auto column = features.column(j);
    if (is_constant(column, rows)) continue;
    const Moments moments = training_moments(column, rows);
    columns_.push_back({.source = j,
                        .mean = moments.mean,
                        .deviation = moments.deviation,
                        .scale = finite_values_differ(column, rows) ? 1.0F : 0.0F});
  }
  groups_ = (columns_.size() + features_per_group - 1) / features_per_group;
  // A group with fewer varying columns than places is scaled up to the variance of a full one.
  for (std::size_t first = 0; first < columns_.size(); first += features_per_group) {
    const auto group =
        std::span(columns_).subspan(first, std::min(features_per_group, columns_.size() - first));
    const auto varying =
        std::count_if(group.begin(), group.end(), [](const Column& c) { return c.scale != 0; });
    const float scale =
        std::sqrt(static_cast<float>(features_per_group) / static_cast<float>(std::max(varying, {1})));
    for (Column& column : group) column.scale *= scale;
  }
}

void FeatureScaling::apply(MatrixView features, Rows rows, float* out) const {
  const std::size_t row_width = groups_ * 2 * features_per_group_;
  std::fill_n(out, rows.size() * row_width, 0.0F);
  for (std::size_t j = 0; j < columns_.size(); ++j) {
    const Column& column = columns_[j];
    const auto values = features.column(column.source);
    float* target = out + (j / features_per_group_) * 2 * features_per_group_ + j % features_per_group_;
    for (const RowIndex row : rows) {
      const float value = values[row];
      const double present = std::isfinite(value) ? static_cast<double>(value) : column.mean;
      const double standardised =
          std::clamp((present - column.mean) / column.deviation, -standardised_limit, standardised_limit);
      target[0] = static_cast<float>(standardised) * column.scale;
      target[features_per_group_] = mark_of(value);
      target += row_width;
    }
  }
}

TargetScaling::TargetScaling(std::span<const std::uint8_t> labels) : distinct_(labels.begin(), labels.end()) {
  JSDIV_ASSERT(!labels.empty());
  double sum = 0;
  for (const std::uint8_t label : labels) sum += label;
  std::sort(distinct_.begin(), distinct_.end());
  distinct_.erase(std::unique(distinct_.begin(), distinct_.end()), distinct_.end());
  const double mean = sum / static_cast<double>(labels.size());
  unknown_ =
      static_cast<float>(std::count_if(distinct_.begin(), distinct_.end(), [&](int c) { return c < mean; }));
}

float TargetScaling::known(std::uint8_t label) const {
  return static_cast<float>(std::lower_bound(distinct_.begin(), distinct_.end(), label) - distinct_.begin());
}

std::vector<float> positional_embeddings(const Weights& weights, std::size_t groups) {
  const std::size_t width = weights.shape.width;
  const std::size_t noise_width = width / 4;
  const auto noise = torch_normals(groups * noise_width, weights.shape.noise_seed);
  std::vector<float> embeddings(groups * width);
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t e = 0; e < width; ++e) {
      double sum = weights.position_bias[e];
      for (std::size_t k = 0; k < noise_width; ++k) {
        sum += static_cast<double>(weights.position[e * noise_width + k]) * noise[group * noise_width + k];
      }
      embeddings[group * width + e] = static_cast<float>(sum);
    }
  }
  return embeddings;
}

}  // namespace jsdiv::tabpfn
