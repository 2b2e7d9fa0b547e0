#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace jsdiv {

/// Rows are addressed by 32-bit indices into the pooled sample.
using RowIndex = std::uint32_t;
using Rows = std::span<const RowIndex>;

/// The array convention of the whole library: encoded features are float32 and column-major. Column j is
/// contiguous, it starts at data + j * stride and holds `rows` values. Kernels that take a view state its
/// shape as [rows, cols].
struct MatrixView {
  const float* data = nullptr;
  std::size_t rows = 0;
  std::size_t cols = 0;
  std::size_t stride = 0;

  std::span<const float> column(std::size_t j) const { return {data + j * stride, rows}; }
  float at(std::size_t row, std::size_t col) const { return data[col * stride + row]; }
};

/// An owning matrix in the same layout.
class Matrix {
 public:
  Matrix() = default;
  Matrix(std::size_t rows, std::size_t cols) : rows_(rows), cols_(cols), values_(rows * cols) {}

  std::size_t rows() const { return rows_; }
  std::size_t cols() const { return cols_; }
  std::span<float> column(std::size_t j) { return {values_.data() + j * rows_, rows_}; }
  std::span<const float> column(std::size_t j) const { return {values_.data() + j * rows_, rows_}; }
  float& at(std::size_t row, std::size_t col) { return values_[col * rows_ + row]; }
  float at(std::size_t row, std::size_t col) const { return values_[col * rows_ + row]; }
  MatrixView view() const { return {values_.data(), rows_, cols_, rows_}; }

 private:
  std::size_t rows_ = 0;
  std::size_t cols_ = 0;
  std::vector<float> values_;
};

}  // namespace jsdiv
