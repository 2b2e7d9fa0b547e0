#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "jsdiv/matrix.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv::kernel {

/// out[i] = scale · cos(2π·(turns[i] - phase)), to some 1e-6 of `scale` for |turns| up to a hundred.
void scaled_cosine(const float* turns, std::size_t count, float phase, float scale, float* out);

/// A map z to `components` features whose products approach a Gaussian kernel,
///     z(x)·z(y) ≈ k(x, y) = exp(-‖x - y‖² / (2·bandwidth²·d)),
/// with x, y standardised and d the columns that vary in training, followed by those columns themselves,
/// divided by √d: the linear kernel on the same scale.
///
/// Random Fourier features (Rahimi & Recht, NIPS 2007), cosine and sine of each frequency, which has the
/// smaller variance (Sutherland & Schneider, UAI 2015). Orthogonal frequencies (Yu et al., NIPS 2016) moved
/// held-out losses by chance only.
class FourierFeatures {
 public:
  /// Learns mean and standard deviation from `rows`, which count as `weights` [rows] says.
  FourierFeatures(MatrixView features, Rows rows, std::span<const double> weights, std::size_t components,
                  double bandwidth, RandomStream random);

  /// [rows, components + varying columns]; no columns at all if none varies.
  Matrix operator()(MatrixView features, Rows rows) const;

 private:
  struct Input {
    std::size_t column;
    double mean;
    double deviation;
  };

  std::vector<Input> inputs_;
  std::vector<float> frequencies_;  ///< [inputs, components / 2], column-major, in turns for each unit of a
                                    ///< standardised input
};

}  // namespace jsdiv::kernel
