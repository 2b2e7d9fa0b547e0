#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "jsdiv/matrix.hpp"

namespace jsdiv::linear {

using FeatureIndex = std::uint32_t;
using Features = std::span<const FeatureIndex>;

/// Arithmetic of the products with a design; sums over tiles are always double.
enum class Precision { single, full };

/// How feature x is brought to mean 0 and root mean square 1: (x · factor - centre) · inverse_scale. Since
/// the intercept is not penalised and the penalty is rescaled along, this changes the conditioning and never
/// the solution. A constant feature has inverse_scale 0.
struct Standardisation {
  std::vector<double> factor;  ///< powers of two that keep products of columns within the range of float
  std::vector<double>
      centre;  ///< each representable as float, so that both precisions subtract the same value
  std::vector<double> inverse_scale;

  static Standardisation identity(std::size_t features);
};

/// The n × p matrix of standardised features of a fit, seen through row tiles that fit the cache: an
/// implementation says how to fill a tile, and nothing else ever needs the whole matrix. Tiles are
/// column-major. Immutable after construction; many threads may use one design.
class Design {
 public:
  virtual ~Design() = default;

  std::size_t rows() const { return rows_; }
  std::size_t features() const { return standardisation_.centre.size(); }
  const Standardisation& standardisation() const { return standardisation_; }
  /// Every feature that is not constant.
  Features usable() const { return usable_; }

  /// Called with the rows [first, first + values.size()) of the product; may change them.
  using RowFunction = std::function<void(std::size_t first, std::span<double> values)>;

  /// One pass over the tiles: z = intercept + X·u on each tile, then transform(z), then
  /// transposed[0] += sum(z) and transposed[1 + k] += X_kᵀ·z, with k over `subset`, theta = (intercept, u).
  /// An empty `transposed` leaves the second half out.
  void sweep(Features subset, std::span<const double> theta, Precision precision,
             const RowFunction& transform, std::span<double> transposed) const;

  /// (1 X)ᵀ·diag(weights)·(1 X) over `subset`, lower triangle and diagonal; [k + 1, k + 1].
  Eigen::MatrixXd gram(Features subset, std::span<const double> weights, Precision precision) const;

 protected:
  Design(std::size_t rows, Standardisation standardisation);

  /// Standardised values of `subset` for rows [first, first + count): column k goes to out + k · stride.
  virtual void fill(std::size_t first, std::size_t count, Features subset, float* out,
                    std::size_t stride) const = 0;
  virtual void fill(std::size_t first, std::size_t count, Features subset, double* out,
                    std::size_t stride) const = 0;

  /// Learns centre and scale from the design's own rows, and keeps the standardised matrix in double
  /// precision if it is small. `factor` is what the implementation has multiplied each feature by. The last
  /// step in the constructor of a design that is to be fitted.
  void standardise(std::vector<double> factor);

 private:
  template <typename T>
  struct Tile;
  template <typename T>
  Tile<T> tile(std::size_t first, std::size_t count, Features subset, std::vector<T>& buffer) const;
  template <typename T>
  void sweep_tiles(Features subset, std::span<const double> theta, const RowFunction& transform,
                   std::span<double> transposed) const;
  template <typename T>
  Eigen::MatrixXd gram_tiles(Features subset, std::span<const double> weights) const;
  void learn_standardisation(Features all);
  void list_usable();

  std::size_t rows_;
  Standardisation standardisation_;
  std::vector<FeatureIndex> usable_;
  std::vector<double> materialised_;  ///< column-major [rows, features], or empty
};

/// A dense float32 matrix in memory, all its rows; the view must outlive the design.
class DenseDesign final : public Design {
 public:
  /// For fitting: learns its standardisation.
  explicit DenseDesign(MatrixView values);
  /// For scoring with what another design has learnt.
  DenseDesign(MatrixView values, const Standardisation& standardisation)
      : Design(values.rows, standardisation), values_(values) {}

 private:
  void fill(std::size_t first, std::size_t count, Features subset, float* out,
            std::size_t stride) const override;
  void fill(std::size_t first, std::size_t count, Features subset, double* out,
            std::size_t stride) const override;

  MatrixView values_;
};

/// For scoring rows that are made a tile at a time and not kept.
class MadeDesign final : public Design {
 public:
  /// The features of rows [first, first + count), as they are.
  using MakeRows = std::function<Matrix(std::size_t first, std::size_t count)>;

  MadeDesign(std::size_t rows, MakeRows make, const Standardisation& standardisation)
      : Design(rows, standardisation), make_(std::move(make)) {}

 private:
  void fill(std::size_t first, std::size_t count, Features subset, float* out,
            std::size_t stride) const override;
  void fill(std::size_t first, std::size_t count, Features subset, double* out,
            std::size_t stride) const override;

  MakeRows make_;
};

}  // namespace jsdiv::linear
