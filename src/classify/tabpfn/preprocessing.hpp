#pragma once

#include <cstddef>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv::tabpfn {

/// The table transformations of an ensemble member, fitted on training rows. After the package's default,
/// with two differences: there is no fingerprint column (it tells duplicate rows apart by a hash, and carries
/// nothing about P and Q), and columns are shuffled by our own random streams.
class MemberTransform {
 public:
  /// quantiles: append each column's training quantile and the leading singular directions of all columns.
  MemberTransform(MatrixView features, Rows rows, bool quantiles, RandomStream random);

  /// [rows, columns()], NaN where missing.
  Matrix apply(MatrixView features, Rows rows) const;
  std::size_t columns() const { return order_.size(); }

 private:
  struct Clip {
    double low;
    double high;
  };

  std::vector<std::vector<double>> expand(MatrixView features, Rows rows) const;

  bool quantiles_;
  std::vector<std::size_t> kept_;                ///< columns that are not constant in training
  std::vector<std::vector<double>> references_;  ///< quantiles of each kept column, increasing
  std::vector<double> fill_, deviation_;         ///< of each column before the singular directions
  std::vector<std::vector<double>> directions_;  ///< [k][columns], orthonormal
  std::vector<Clip> clips_;
  std::vector<std::size_t> order_;
};

/// Where `value` lies among the increasing `references`, in [0, 1]: linear between them, the middle of a run
/// of equal ones.
double quantile_of(double value, const std::vector<double>& references);

}  // namespace jsdiv::tabpfn
