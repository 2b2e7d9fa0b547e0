#include "classify/linear/design.hpp"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"

namespace jsdiv::linear {
namespace {

constexpr std::size_t tile_bytes = std::size_t{1} << 18;  // a quarter of a usual L2 cache
constexpr std::size_t gram_tile_bytes = std::size_t{1}
                                        << 22;   // BLAS blocks by itself; adding up tiles is the cost
constexpr std::size_t gram_block_columns = 128;  // of the work that threads share
constexpr std::size_t materialised_values = std::size_t{1} << 20;
constexpr double smallest_spread = 1e-30;  // below it 1 / spread leaves the range of float

std::size_t rows_per_tile(std::size_t bytes, std::size_t columns, std::size_t value_size, std::size_t rows) {
  const std::size_t fitting = bytes / (std::max<std::size_t>(columns, 1) * value_size);
  return std::min(rows, std::max<std::size_t>(64, fitting / 64 * 64));
}

// One name for both precisions of the BLAS calls. X is column-major [rows, cols].

void multiply(int rows, int cols, const float* x, int stride, const float* v, float* out) {
  cblas_sgemv(CblasColMajor, CblasNoTrans, rows, cols, 1, x, stride, v, 1, 1, out, 1);
}
void multiply(int rows, int cols, const double* x, int stride, const double* v, double* out) {
  cblas_dgemv(CblasColMajor, CblasNoTrans, rows, cols, 1, x, stride, v, 1, 1, out, 1);
}
void multiply_transposed(int rows, int cols, const float* x, int stride, const float* v, float* out) {
  cblas_sgemv(CblasColMajor, CblasTrans, rows, cols, 1, x, stride, v, 1, 0, out, 1);
}
void multiply_transposed(int rows, int cols, const double* x, int stride, const double* v, double* out) {
  cblas_dgemv(CblasColMajor, CblasTrans, rows, cols, 1, x, stride, v, 1, 0, out, 1);
}
/// Lower triangle of X'X into out [size, size].
void lower_gram(int rows, int cols, const float* x, int stride, float* out, int size) {
  cblas_ssyrk(CblasColMajor, CblasLower, CblasTrans, cols, rows, 1, x, stride, 0, out, size);
}
void lower_gram(int rows, int cols, const double* x, int stride, double* out, int size) {
  cblas_dsyrk(CblasColMajor, CblasLower, CblasTrans, cols, rows, 1, x, stride, 0, out, size);
}
/// X'Y into out, a part of a matrix of `size` rows; `cols` of X and `other_cols` of Y.
void cross_gram(int rows, int cols, int other_cols, const float* x, const float* y, int stride, float* out,
                int size) {
  cblas_sgemm(CblasColMajor, CblasTrans, CblasNoTrans, cols, other_cols, rows, 1, x, stride, y, stride, 0,
              out, size);
}
void cross_gram(int rows, int cols, int other_cols, const double* x, const double* y, int stride, double* out,
                int size) {
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, cols, other_cols, rows, 1, x, stride, y, stride, 0,
              out, size);
}

/// Sum of term(value) in eight chains: a fixed order, fast enough to keep up with memory.
template <typename Term>
double chained_sum(std::span<const float> values, const Term& term) {
  double partial[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= values.size(); i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) partial[lane] += term(values[i + lane]);
  }
  for (; i < values.size(); ++i) partial[0] += term(values[i]);
  return std::accumulate(partial, partial + 8, 0.0);
}

template <typename T>
void fill_standardised(MatrixView values, const Standardisation& standardisation, std::size_t first,
                       std::size_t count, Features subset, T* out, std::size_t stride) {
  for (std::size_t k = 0; k < subset.size(); ++k) {
    const float* source = values.column(subset[k]).data() + first;
    const T centre = static_cast<T>(standardisation.centre[subset[k]]);
    const T inverse_scale = static_cast<T>(standardisation.inverse_scale[subset[k]]);
    T* target = out + k * stride;
    for (std::size_t i = 0; i < count; ++i) target[i] = (static_cast<T>(source[i]) - centre) * inverse_scale;
  }
}

}  // namespace

template <typename T>
struct Design::Tile {
  const T* data;
  std::size_t stride;
};

Standardisation Standardisation::identity(std::size_t features) {
  return {std::vector<double>(features, 1.0), std::vector<double>(features, 0.0),
          std::vector<double>(features, 1.0)};
}

Design::Design(std::size_t rows, Standardisation standardisation)
    : rows_(rows), standardisation_(std::move(standardisation)) {
  list_usable();
}

void Design::list_usable() {
  usable_.clear();
  for (std::size_t j = 0; j < features(); ++j) {
    if (standardisation_.inverse_scale[j] != 0) usable_.push_back(static_cast<FeatureIndex>(j));
  }
}

void Design::standardise(std::vector<double> factor) {
  JSDIV_ASSERT(factor.size() == features());
  standardisation_.factor = std::move(factor);
  std::vector<FeatureIndex> all(features());
  std::iota(all.begin(), all.end(), FeatureIndex{0});
  learn_standardisation(all);
  list_usable();
  if (rows_ * features() > materialised_values) return;
  std::vector<double> values(rows_ * features());
  fill(0, rows_, all, values.data(), rows_);
  materialised_ = std::move(values);
}

void Design::learn_standardisation(Features all) {
  const std::size_t tile_rows = rows_per_tile(tile_bytes, all.size(), sizeof(float), rows_);
  std::vector<float> buffer(tile_rows * all.size());
  const auto each_column = [&](auto&& visit) {
    for (std::size_t first = 0; first < rows_; first += tile_rows) {
      const std::size_t count = std::min(tile_rows, rows_ - first);
      fill(first, count, all, buffer.data(), tile_rows);
      for (const FeatureIndex j : all) visit(j, std::span<const float>(&buffer[j * tile_rows], count));
    }
  };
  std::vector<double> centre(all.size(), 0.0), square(all.size(), 0.0), first_value(all.size());
  std::vector<bool> varies(all.size(), false);
  fill(0, 1, all, buffer.data(), 1);
  std::copy_n(buffer.begin(), all.size(), first_value.begin());
  each_column([&](FeatureIndex j, std::span<const float> values) {
    const auto reference = static_cast<float>(first_value[j]);
    centre[j] += chained_sum(values, [](float value) { return static_cast<double>(value); });
    varies[j] = varies[j] ||
                std::any_of(values.begin(), values.end(), [=](float value) { return value != reference; });
  });
  for (double& value : centre) value = static_cast<float>(value / static_cast<double>(rows_));
  each_column([&](FeatureIndex j, std::span<const float> values) {
    const double middle = centre[j];
    square[j] += chained_sum(values, [middle](float value) { return (value - middle) * (value - middle); });
  });
  for (const FeatureIndex j : all) {
    const double spread = std::sqrt(square[j] / static_cast<double>(rows_));
    standardisation_.inverse_scale[j] = varies[j] && spread > smallest_spread ? 1.0 / spread : 0.0;
  }
  standardisation_.centre = std::move(centre);
}

template <typename T>
Design::Tile<T> Design::tile(std::size_t first, std::size_t count, Features subset,
                             std::vector<T>& buffer) const {
  if constexpr (std::is_same_v<T, double>) {
    if (!materialised_.empty()) {
      const bool contiguous = !subset.empty() && subset.back() - subset.front() + 1 == subset.size();
      if (contiguous) return {materialised_.data() + subset.front() * rows_ + first, rows_};
      buffer.resize(count * subset.size());
      for (std::size_t k = 0; k < subset.size(); ++k) {
        std::copy_n(materialised_.data() + subset[k] * rows_ + first, count, buffer.data() + k * count);
      }
      return {buffer.data(), count};
    }
  }
  buffer.resize(count * subset.size());
  fill(first, count, subset, buffer.data(), count);
  return {buffer.data(), count};
}

template <typename T>
void Design::sweep_tiles(Features subset, std::span<const double> theta, const RowFunction& transform,
                         std::span<double> transposed) const {
  throw_if_interrupted();
  const std::size_t cols = subset.size();
  const std::size_t tile_rows = rows_per_tile(tile_bytes, cols, sizeof(T), rows_);
  std::vector<T> buffer, product(tile_rows), column_sums(cols);
  std::vector<T> coefficients(theta.begin() + 1, theta.end());
  std::vector<double> values(tile_rows);
  for (std::size_t first = 0; first < rows_; first += tile_rows) {
    const std::size_t count = std::min(tile_rows, rows_ - first);
    const Tile<T> x = tile<T>(first, count, subset, buffer);
    const int blas_rows = static_cast<int>(count), blas_cols = static_cast<int>(cols),
              stride = static_cast<int>(x.stride);
    std::fill_n(product.begin(), count, T{0});
    if (cols > 0) multiply(blas_rows, blas_cols, x.data, stride, coefficients.data(), product.data());
    for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(product[i]) + theta[0];
    transform(first, std::span<double>(values.data(), count));
    if (transposed.empty()) continue;
    transposed[0] +=
        std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), 0.0);
    if (cols == 0) continue;
    for (std::size_t i = 0; i < count; ++i) product[i] = static_cast<T>(values[i]);
    multiply_transposed(blas_rows, blas_cols, x.data, stride, product.data(), column_sums.data());
    for (std::size_t k = 0; k < cols; ++k) transposed[k + 1] += static_cast<double>(column_sums[k]);
  }
}

void Design::sweep(Features subset, std::span<const double> theta, Precision precision,
                   const RowFunction& transform, std::span<double> transposed) const {
  JSDIV_ASSERT(theta.size() == subset.size() + 1);
  if (precision == Precision::full || !materialised_.empty()) {
    sweep_tiles<double>(subset, theta, transform, transposed);
  } else {
    sweep_tiles<float>(subset, theta, transform, transposed);
  }
}

template <typename T>
Eigen::MatrixXd Design::gram_tiles(Features subset, std::span<const double> weights) const {
  throw_if_interrupted();
  const std::size_t cols = subset.size() + 1;
  const std::size_t blocks = (cols + gram_block_columns - 1) / gram_block_columns;
  const std::size_t tile_rows = rows_per_tile(gram_tile_bytes, cols, sizeof(T), rows_);
  const auto size = static_cast<Eigen::Index>(cols);
  std::vector<T> root(tile_rows), weighted(tile_rows * cols);
  std::vector<std::vector<T>> buffers(blocks);
  Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic> part(size, size);
  Eigen::MatrixXd total = Eigen::MatrixXd::Zero(size, size);
  for (std::size_t first = 0; first < rows_; first += tile_rows) {
    const std::size_t count = std::min(tile_rows, rows_ - first);
    for (std::size_t i = 0; i < count; ++i) root[i] = static_cast<T>(std::sqrt(weights[first + i]));
    std::copy_n(root.begin(), count, weighted.begin());  // the column of the intercept
    parallel_for(blocks, [&](std::size_t block) {
      const std::size_t begin = std::max<std::size_t>(1, block * gram_block_columns);
      const std::size_t end = std::min(cols, (block + 1) * gram_block_columns);
      if (begin >= end) return;
      const Tile<T> x = tile<T>(first, count, subset.subspan(begin - 1, end - begin), buffers[block]);
      for (std::size_t k = begin; k < end; ++k) {
        const T* source = x.data + (k - begin) * x.stride;
        T* target = weighted.data() + k * count;
        for (std::size_t i = 0; i < count; ++i) target[i] = source[i] * root[i];
      }
    });
    parallel_for(blocks, [&](std::size_t block) {
      const std::size_t begin = block * gram_block_columns;
      const std::size_t end = std::min(cols, begin + gram_block_columns);
      const T* columns = weighted.data() + begin * count;
      T* out = part.data() + begin * cols + begin;
      const int rows = static_cast<int>(count), width = static_cast<int>(end - begin),
                below = static_cast<int>(cols - end);
      lower_gram(rows, width, columns, rows, out, static_cast<int>(cols));
      if (below > 0) {
        cross_gram(rows, below, width, weighted.data() + end * count, columns, rows, out + width,
                   static_cast<int>(cols));
      }
      for (auto j = static_cast<Eigen::Index>(begin); j < static_cast<Eigen::Index>(end); ++j) {
        total.col(j).tail(size - j) += part.col(j).tail(size - j).template cast<double>();
      }
    });
  }
  return total;
}

Eigen::MatrixXd Design::gram(Features subset, std::span<const double> weights, Precision precision) const {
  JSDIV_ASSERT(weights.size() == rows_);
  if (precision == Precision::full) return gram_tiles<double>(subset, weights);
  return gram_tiles<float>(subset, weights);
}

DenseDesign::DenseDesign(MatrixView values)
    : Design(values.rows, Standardisation::identity(values.cols)), values_(values) {
  standardise(std::vector<double>(values.cols, 1.0));
}

void DenseDesign::fill(std::size_t first, std::size_t count, Features subset, float* out,
                       std::size_t stride) const {
  fill_standardised(values_, standardisation(), first, count, subset, out, stride);
}

void DenseDesign::fill(std::size_t first, std::size_t count, Features subset, double* out,
                       std::size_t stride) const {
  fill_standardised(values_, standardisation(), first, count, subset, out, stride);
}

void MadeDesign::fill(std::size_t first, std::size_t count, Features subset, float* out,
                      std::size_t stride) const {
  fill_standardised(make_(first, count).view(), standardisation(), 0, count, subset, out, stride);
}

void MadeDesign::fill(std::size_t first, std::size_t count, Features subset, double* out,
                      std::size_t stride) const {
  fill_standardised(make_(first, count).view(), standardisation(), 0, count, subset, out, stride);
}

}  // namespace jsdiv::linear
