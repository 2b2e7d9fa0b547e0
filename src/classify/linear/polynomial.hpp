#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "classify/linear/design.hpp"

namespace jsdiv::linear {

/// A product of one to three columns; indices ascend.
struct Monomial {
  std::uint8_t degree = 1;
  std::array<std::uint32_t, 3> columns{};
};

/// The monomials of scikit-learn's PolynomialFeatures(degree, interaction_only, include_bias=False), in its
/// order: by degree, then lexicographically.
std::vector<Monomial> polynomial_features(std::size_t columns, int degree, bool interaction_only);

/// How many there are without `interaction_only`: (columns + degree choose degree) - 1.
double polynomial_feature_count(std::size_t columns, int degree);

/// A polynomial expansion of some rows of a matrix; degree 1 is the plain columns. Holds a copy of the rows'
/// columns and never the expansion, which is made tile by tile.
class PolynomialDesign final : public Design {
 public:
  /// For fitting: learns its standardisation.
  PolynomialDesign(MatrixView features, Rows rows, std::vector<Monomial> monomials);

  /// The same features of other rows, standardised as `fitted` is.
  PolynomialDesign(MatrixView features, Rows rows, const PolynomialDesign& fitted);

  /// Without any standardisation, for scoring in full precision with coefficients of the features as they
  /// are.
  static PolynomialDesign raw(MatrixView features, Rows rows, std::vector<Monomial> monomials);

 private:
  struct Base {
    Matrix values;  ///< [rows, columns], each column times its power of two
    std::vector<double> power_of_two;
  };
  PolynomialDesign(Base base, std::vector<Monomial> monomials, Standardisation standardisation);
  static Base gather(MatrixView features, Rows rows, std::vector<double> power_of_two);
  static std::vector<double> powers_of_two(MatrixView features, Rows rows);
  static std::vector<double> raw_factors(const std::vector<double>& power_of_two,
                                         const std::vector<Monomial>& monomials);

  template <typename T>
  void fill_tile(std::size_t first, std::size_t count, Features subset, T* out, std::size_t stride) const;
  void fill(std::size_t first, std::size_t count, Features subset, float* out,
            std::size_t stride) const override;
  void fill(std::size_t first, std::size_t count, Features subset, double* out,
            std::size_t stride) const override;

  Base base_;
  std::vector<Monomial> monomials_;
};

}  // namespace jsdiv::linear
