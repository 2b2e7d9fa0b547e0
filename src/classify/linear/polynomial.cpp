#include "classify/linear/polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/simd.hpp"

namespace jsdiv::linear {
namespace {

void append_monomials(std::uint32_t columns, bool interaction_only, Monomial prefix, std::uint8_t chosen,
                      std::vector<Monomial>& out) {
  if (chosen == prefix.degree) {
    out.push_back(prefix);
    return;
  }
  std::uint32_t lowest = 0;
  if (chosen > 0) lowest = prefix.columns[chosen - 1U] + (interaction_only ? 1U : 0U);
  for (std::uint32_t column = lowest; column < columns; ++column) {
    prefix.columns[chosen] = column;
    append_monomials(columns, interaction_only, prefix, static_cast<std::uint8_t>(chosen + 1), out);
  }
}

// (a·b·c - centre) · inverse_scale for each row, in the precision of the tile.

JSDIV_SIMD_CLONES void product_column(const float* a, std::size_t count, float centre, float inverse_scale,
                                      float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = (a[i] - centre) * inverse_scale;
}
JSDIV_SIMD_CLONES void product_column(const float* a, const float* b, std::size_t count, float centre,
                                      float inverse_scale, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = (a[i] * b[i] - centre) * inverse_scale;
}
JSDIV_SIMD_CLONES void product_column(const float* a, const float* b, const float* c, std::size_t count,
                                      float centre, float inverse_scale, float* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = (a[i] * b[i] * c[i] - centre) * inverse_scale;
}
JSDIV_SIMD_CLONES void product_column(const float* a, std::size_t count, double centre, double inverse_scale,
                                      double* out) {
  for (std::size_t i = 0; i < count; ++i) out[i] = (static_cast<double>(a[i]) - centre) * inverse_scale;
}
JSDIV_SIMD_CLONES void product_column(const float* a, const float* b, std::size_t count, double centre,
                                      double inverse_scale, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = (static_cast<double>(a[i]) * static_cast<double>(b[i]) - centre) * inverse_scale;
  }
}
JSDIV_SIMD_CLONES void product_column(const float* a, const float* b, const float* c, std::size_t count,
                                      double centre, double inverse_scale, double* out) {
  for (std::size_t i = 0; i < count; ++i) {
    out[i] = (static_cast<double>(a[i]) * static_cast<double>(b[i]) * static_cast<double>(c[i]) - centre) *
             inverse_scale;
  }
}

}  // namespace

std::vector<Monomial> polynomial_features(std::size_t columns, int degree, bool interaction_only) {
  JSDIV_ASSERT(degree >= 1 && degree <= 3);
  std::vector<Monomial> monomials;
  for (int d = 1; d <= degree; ++d) {
    append_monomials(static_cast<std::uint32_t>(columns), interaction_only,
                     Monomial{static_cast<std::uint8_t>(d), {}}, 0, monomials);
  }
  return monomials;
}

double polynomial_feature_count(std::size_t columns, int degree) {
  double count = 1;
  for (int k = 1; k <= degree; ++k) count *= (static_cast<double>(columns) + k) / k;
  return std::round(count) - 1;
}

PolynomialDesign::PolynomialDesign(Base base, std::vector<Monomial> monomials,
                                   Standardisation standardisation)
    : Design(base.values.rows(), std::move(standardisation)),
      base_(std::move(base)),
      monomials_(std::move(monomials)) {
}

PolynomialDesign::PolynomialDesign(MatrixView features, Rows rows, std::vector<Monomial> monomials)
    : Design(rows.size(), Standardisation::identity(monomials.size())),
      base_(gather(features, rows, powers_of_two(features, rows))),
      monomials_(std::move(monomials)) {
  standardise(raw_factors(base_.power_of_two, monomials_));
}

PolynomialDesign::PolynomialDesign(MatrixView features, Rows rows, const PolynomialDesign& fitted)
    : PolynomialDesign(gather(features, rows, fitted.base_.power_of_two), fitted.monomials_,
                       fitted.standardisation()) {
}

PolynomialDesign PolynomialDesign::raw(MatrixView features, Rows rows, std::vector<Monomial> monomials) {
  const std::size_t count = monomials.size();
  return PolynomialDesign(gather(features, rows, std::vector<double>(features.cols, 1.0)),
                          std::move(monomials), Standardisation::identity(count));
}

std::vector<double> PolynomialDesign::powers_of_two(MatrixView features, Rows rows) {
  std::vector<double> powers(features.cols, 1.0);
  for (std::size_t j = 0; j < features.cols; ++j) {
    const auto column = features.column(j);
    float largest = 0;
    for (const RowIndex row : rows) largest = std::max(largest, std::fabs(column[row]));
    if (largest > 0) powers[j] = std::ldexp(1.0, -std::ilogb(largest));
  }
  return powers;
}

PolynomialDesign::Base PolynomialDesign::gather(MatrixView features, Rows rows,
                                                std::vector<double> power_of_two) {
  Base base{Matrix(rows.size(), features.cols), std::move(power_of_two)};
  for (std::size_t j = 0; j < features.cols; ++j) {
    const auto source = features.column(j);
    const auto target = base.values.column(j);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      target[i] = static_cast<float>(static_cast<double>(source[rows[i]]) * base.power_of_two[j]);
    }
  }
  return base;
}

std::vector<double> PolynomialDesign::raw_factors(const std::vector<double>& power_of_two,
                                                  const std::vector<Monomial>& monomials) {
  std::vector<double> factors(monomials.size(), 1.0);
  for (std::size_t j = 0; j < monomials.size(); ++j) {
    for (std::size_t k = 0; k < monomials[j].degree; ++k) factors[j] *= power_of_two[monomials[j].columns[k]];
  }
  return factors;
}

template <typename T>
void PolynomialDesign::fill_tile(std::size_t first, std::size_t count, Features subset, T* out,
                                 std::size_t stride) const {
  const auto column = [&](const Monomial& monomial, std::size_t k) {
    return base_.values.column(monomial.columns[k]).data() + first;
  };
  for (std::size_t k = 0; k < subset.size(); ++k) {
    const Monomial& m = monomials_[subset[k]];
    const T centre = static_cast<T>(standardisation().centre[subset[k]]);
    const T inverse_scale = static_cast<T>(standardisation().inverse_scale[subset[k]]);
    T* target = out + k * stride;
    if (m.degree == 1) {
      product_column(column(m, 0), count, centre, inverse_scale, target);
    } else if (m.degree == 2) {
      product_column(column(m, 0), column(m, 1), count, centre, inverse_scale, target);
    } else {
      product_column(column(m, 0), column(m, 1), column(m, 2), count, centre, inverse_scale, target);
    }
  }
}

void PolynomialDesign::fill(std::size_t first, std::size_t count, Features subset, float* out,
                            std::size_t stride) const {
  fill_tile(first, count, subset, out, stride);
}

void PolynomialDesign::fill(std::size_t first, std::size_t count, Features subset, double* out,
                            std::size_t stride) const {
  fill_tile(first, count, subset, out, stride);
}

}  // namespace jsdiv::linear
