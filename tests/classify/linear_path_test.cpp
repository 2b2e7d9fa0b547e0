#include "classify/linear/path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "classify/linear/l1_quadratic.hpp"
#include "classify/linear/logistic_loss.hpp"
#include "classify/linear/polynomial.hpp"
#include "core/numeric.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv::linear {
namespace {

std::vector<RowIndex> all_rows(std::size_t count) {
  std::vector<RowIndex> rows(count);
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  return rows;
}

struct Sample {
  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  Target target() const { return {labels, weights}; }
};

/// Normal columns, the second class shifted and stretched.
Sample normal_sample(std::size_t rows, std::size_t columns, double shift, std::uint64_t seed) {
  Sample sample{Matrix(rows, columns), {}, std::vector<double>(rows, 1.0)};
  RandomStream random(seed);
  for (std::size_t i = 0; i < rows; ++i) {
    sample.labels.push_back(i % 2 == 0 ? 1 : 0);
    for (std::size_t j = 0; j < columns; ++j) {
      const double value = i % 2 == 0 ? random.normal() : shift + 1.3 * random.normal();
      sample.features.at(i, j) = static_cast<float>(value);
    }
  }
  return sample;
}

double product_of(const Sample& sample, const Monomial& monomial, std::size_t row) {
  double product = 1;
  for (std::size_t k = 0; k < monomial.degree; ++k) product *= sample.features.at(row, monomial.columns[k]);
  return product;
}

/// The largest violation of the optimality conditions of C·loss + penalty, by plain sums over the rows.
double optimality_violation(const Sample& sample, const std::vector<Monomial>& monomials,
                            const Coefficients& solution, Penalty penalty, double c) {
  std::vector<double> gradient(monomials.size() + 1, 0.0);
  for (std::size_t i = 0; i < sample.labels.size(); ++i) {
    double score = solution.intercept;
    for (std::size_t j = 0; j < monomials.size(); ++j)
      score += solution.weights[j] * product_of(sample, monomials[j], i);
    const double residual = c * sample.weights[i] * (sigmoid(score) - sample.labels[i]);
    gradient[0] += residual;
    for (std::size_t j = 0; j < monomials.size(); ++j)
      gradient[j + 1] += residual * product_of(sample, monomials[j], i);
  }
  double worst = std::fabs(gradient[0]);
  for (std::size_t j = 0; j < monomials.size(); ++j) {
    const double weight = solution.weights[j];
    double violation = gradient[j + 1] + weight;
    if (penalty == Penalty::l1) {
      violation = weight == 0 ? std::max(0.0, std::fabs(gradient[j + 1]) - 1)
                              : gradient[j + 1] + (weight > 0 ? 1 : -1);
    }
    worst = std::max(worst, std::fabs(violation));
  }
  return worst;
}

TEST(LogisticTerms, MatchTheDefinitionsForEveryLengthAndSize) {
  std::vector<double> eta, sign, weight;
  for (const double size : {0.0, 1e-9, 0.3, 1.0, 5.0, 30.0, 300.0, 900.0}) {
    for (const double s : {1.0, -1.0}) {
      for (const double e : {size, -size}) {
        eta.push_back(e);
        sign.push_back(s);
        weight.push_back(0.5 + static_cast<double>(eta.size() % 3));
      }
    }
  }
  for (int copies = 0; copies < 3; ++copies) {  // more than a block, and not a multiple of one
    eta.insert(eta.end(), eta.begin(), eta.begin() + 31);
    sign.insert(sign.end(), sign.begin(), sign.begin() + 31);
    weight.insert(weight.end(), weight.begin(), weight.begin() + 31);
  }
  std::vector<double> residual = eta, curvature(eta.size());
  const double loss =
      logistic_terms(eta.size(), residual.data(), sign.data(), weight.data(), curvature.data());
  double expected_loss = 0;
  for (std::size_t i = 0; i < eta.size(); ++i) {
    expected_loss += weight[i] * log1p_exp(-sign[i] * eta[i]);
    const double wrong = std::exp(-log1p_exp(sign[i] * eta[i]));
    EXPECT_NEAR(residual[i], -weight[i] * sign[i] * wrong, 1e-14);
    EXPECT_NEAR(curvature[i], weight[i] * wrong * (1 - wrong), 1e-14);
  }
  EXPECT_NEAR(loss, expected_loss, 1e-12 * expected_loss);
}

TEST(L1Quadratic, SoftThresholdsIfCoordinatesAreIndependent) {
  // z_0 free: -g/h = 2; z_1: (4 - 1)/2 = 1.5; z_2: |g| < penalty -> 0; z_3: -(5 - 1)/4 = -1.
  const Eigen::MatrixXd hessian = Eigen::Vector4d(1, 2, 1, 4).asDiagonal();
  const Eigen::VectorXd gradient = Eigen::Vector4d(-2, -4, 0.5, 5);
  const Eigen::VectorXd start = Eigen::Vector4d::Zero();
  const Eigen::VectorXd penalty = Eigen::Vector4d(0, 1, 1, 1);
  const Eigen::VectorXd z = minimise({hessian, gradient, start, penalty}, 1e-12, 0);
  EXPECT_TRUE(z.isApprox(Eigen::Vector4d(2, 1.5, 0, -1), 1e-12));
}

TEST(L1Quadratic, ChoosesTheCheaperOfACollinearPair) {
  // 1 and 2 do the same, 2 costs less: all weight goes to 2, (3 - 0.5)/1 = 2.5.
  Eigen::MatrixXd hessian = Eigen::MatrixXd::Identity(3, 3);
  hessian(1, 2) = hessian(2, 1) = 1 - 1e-10;
  const Eigen::VectorXd gradient = Eigen::Vector3d(0, -3, -3), start = Eigen::Vector3d(0, 2, -1),
                        penalty = Eigen::Vector3d(0, 1, 0.5);
  const Eigen::VectorXd moved = gradient + hessian * start;
  const Eigen::VectorXd z = minimise({hessian, moved, start, penalty}, 1e-12, 0);
  EXPECT_NEAR(z[1], 0, 1e-9);
  EXPECT_NEAR(z[2], 2.5, 1e-6);
}

TEST(Path, OneBinaryFeatureHasTheSolutionOfItsTwoByTwoTable) {
  // x = 1 in 30 of 40 rows of P and 10 of 40 of Q. With hardly any penalty the log-odds are those of the
  // table.
  Sample sample{Matrix(80, 1), {}, std::vector<double>(80, 1.0)};
  for (std::size_t i = 0; i < 80; ++i) {
    sample.labels.push_back(i < 40 ? 1 : 0);
    sample.features.at(i, 0) = i < 30 || (i >= 40 && i < 50) ? 1.0F : 0.0F;
  }
  for (const Penalty penalty : {Penalty::l1, Penalty::l2}) {
    const PolynomialDesign design(sample.features.view(), all_rows(80), polynomial_features(1, 1, false));
    const std::vector<double> c = {1e8};
    const auto fit = fit_path(design, sample.target(), penalty, c, fit_tolerance).back();
    EXPECT_NEAR(fit.intercept, std::log(10.0 / 30), 1e-5);
    EXPECT_NEAR(fit.intercept + fit.weights[0], std::log(30.0 / 10), 1e-5);
  }
}

TEST(Path, L1IsZeroUntilThePenaltyGivesWay) {
  // Two rows a class, x = ±1: the gradient at 0 is C·|Σ x·residual| = C·(4·½) = 2C, so that w = 0 up to C =
  // ½.
  Sample sample{Matrix(4, 1), {1, 1, 0, 0}, std::vector<double>(4, 1.0)};
  for (std::size_t i = 0; i < 4; ++i) sample.features.at(i, 0) = i < 2 ? 1.0F : -1.0F;
  const PolynomialDesign design(sample.features.view(), all_rows(4), polynomial_features(1, 1, false));
  const std::vector<double> c = {0.1, 0.4999, 0.51, 2};
  const auto path = fit_path(design, sample.target(), Penalty::l1, c, fit_tolerance);
  EXPECT_EQ(path[0].weights[0], 0);
  EXPECT_EQ(path[1].weights[0], 0);
  EXPECT_GT(path[2].weights[0], 0);
  EXPECT_NEAR(path[3].weights[0], std::log(7.0), 1e-6);  // 4·C·sigmoid(-w) = 1
}

TEST(Path, SatisfiesTheOptimalityConditionsWithFewAndWithManyFeatures) {
  for (const std::size_t columns : {3U, 20U}) {  // 20 columns: 230 features, the code for many
    const Sample sample = normal_sample(400, columns, 0.2, 11);
    const auto monomials = polynomial_features(columns, 2, false);
    const PolynomialDesign design(sample.features.view(), all_rows(400), monomials);
    for (const Penalty penalty : {Penalty::l1, Penalty::l2}) {
      const std::vector<double> c = {0.003, 0.03, 0.3};
      const auto path = fit_path(design, sample.target(), penalty, c, fit_tolerance);
      for (std::size_t k = 0; k < c.size(); ++k) {
        EXPECT_LT(optimality_violation(sample, monomials, path[k], penalty, c[k]), 2e-3)
            << columns << " columns, C=" << c[k] << (penalty == Penalty::l1 ? " l1" : " l2");
      }
    }
  }
}

TEST(Path, ConvergesWhereHeavyTailsAllButSeparateTheClasses) {
  // Rows with huge values have no curvature left: Newton's step along them is far too long.
  constexpr std::size_t columns = 16;
  Sample sample = normal_sample(400, columns, 0.5, 12);
  for (std::size_t i = 0; i < 400; ++i) {
    for (std::size_t j = 0; j < columns; ++j) {
      sample.features.at(i, j) = std::exp(2 * sample.features.at(i, j));
    }
  }
  const auto monomials = polynomial_features(columns, 2, false);
  const PolynomialDesign design(sample.features.view(), all_rows(400), monomials);
  const auto loss = [&](const Coefficients& fit, double c) {
    double total = 0;
    for (std::size_t i = 0; i < 400; ++i) {
      double score = fit.intercept;
      for (std::size_t j = 0; j < monomials.size(); ++j) {
        score += fit.weights[j] * product_of(sample, monomials[j], i);
      }
      total += c * log1p_exp(sample.labels[i] == 1 ? -score : score);
    }
    for (const double weight : fit.weights) total += std::fabs(weight);
    return total;
  };
  // By whatever way the minimum is reached, it is the same.
  for (const double c : {1.0, 30.0}) {
    const double direct = loss(fit_at(design, sample.target(), Penalty::l1, c, fit_tolerance), c);
    std::vector<double> path;
    for (double value = c / 512; value < 1.5 * c; value *= 2) path.push_back(value);
    const double along = loss(fit_path(design, sample.target(), Penalty::l1, path, fit_tolerance).back(), c);
    EXPECT_NEAR(direct / along, 1, 1e-6) << "C = " << c;
  }
}

TEST(Path, SearchToleranceGivesTheSameLossesAsAFit) {
  const Sample sample = normal_sample(1000, 20, 0.15, 3), other = normal_sample(1000, 20, 0.15, 4);
  const auto monomials = polynomial_features(20, 2, false);
  const PolynomialDesign design(sample.features.view(), all_rows(1000), monomials);
  const auto loss_on_other = [&](const Coefficients& fit) {
    double loss = 0;
    for (std::size_t i = 0; i < 1000; ++i) {
      double score = fit.intercept;
      for (std::size_t j = 0; j < monomials.size(); ++j)
        score += fit.weights[j] * product_of(other, monomials[j], i);
      loss += log1p_exp(other.labels[i] == 1 ? -score : score) / 1000;
    }
    return loss;
  };
  const std::vector<double> c = {1e-3, 1e-2, 1e-1, 1};
  for (const Penalty penalty : {Penalty::l1, Penalty::l2}) {
    const auto search = fit_path(design, sample.target(), penalty, c, search_tolerance);
    const auto tight = fit_path(design, sample.target(), penalty, c, fit_tolerance);
    for (std::size_t k = 0; k < c.size(); ++k)
      EXPECT_NEAR(loss_on_other(search[k]), loss_on_other(tight[k]), 1e-4);
  }
}

TEST(Path, SwappedLabelsNegateTheSolutionExactly) {
  Sample sample = normal_sample(300, 17, 0.3, 5);  // degree 2: 170 features, the code for many
  for (std::size_t i = 0; i < 300; ++i) sample.weights[i] = 0.5 + static_cast<double>(i % 7);
  sample.labels[3] = 0;
  Sample swapped = sample;
  for (auto& label : swapped.labels) label = label == 1 ? 0 : 1;
  for (const int degree : {1, 2}) {
    const PolynomialDesign design(sample.features.view(), all_rows(300),
                                  polynomial_features(17, degree, false));
    const std::vector<double> c = {0.01, 0.1, 1};
    for (const Penalty penalty : {Penalty::l1, Penalty::l2}) {
      for (const Tolerance tolerance : {search_tolerance, fit_tolerance}) {
        const auto one = fit_path(design, sample.target(), penalty, c, tolerance);
        const auto two = fit_path(design, swapped.target(), penalty, c, tolerance);
        for (std::size_t k = 0; k < c.size(); ++k) {
          EXPECT_EQ(one[k].intercept, -two[k].intercept);
          for (std::size_t j = 0; j < design.features(); ++j)
            EXPECT_EQ(one[k].weights[j], -two[k].weights[j]);
        }
      }
    }
  }
}

TEST(Path, DenseAndPolynomialDesignsAgree) {
  const Sample sample = normal_sample(200, 4, 0.5, 8);
  const PolynomialDesign plain(sample.features.view(), all_rows(200), polynomial_features(4, 1, false));
  const DenseDesign dense(sample.features.view());
  const std::vector<double> c = {0.1, 10};
  const auto one = fit_path(plain, sample.target(), Penalty::l2, c, fit_tolerance);
  const auto two = fit_path(dense, sample.target(), Penalty::l2, c, fit_tolerance);
  for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(one[1].weights[j], two[1].weights[j], 1e-9);
}

TEST(Design, TiledProductsEqualPlainSums) {
  // 3,000 × 560 is too much to be kept as a matrix: tiles, and a last one that is not full.
  const Sample sample = normal_sample(3001, 32, 0.3, 9);
  const auto monomials = polynomial_features(32, 2, false);
  const PolynomialDesign design(sample.features.view(), all_rows(3001), monomials);
  const Standardisation& s = design.standardisation();
  const auto value = [&](std::size_t i, std::size_t j) {
    return (product_of(sample, monomials[j], i) * s.factor[j] - s.centre[j]) * s.inverse_scale[j];
  };
  const std::vector<FeatureIndex> subset = {0, 31, 40, 559};
  const std::vector<double> theta = {0.5, 1, -2, 0.25, 3};
  std::vector<double> weights(3001);
  for (std::size_t i = 0; i < weights.size(); ++i) weights[i] = 0.1 + static_cast<double>(i % 5);
  std::vector<double> expected(5, 0.0);
  Eigen::MatrixXd expected_gram = Eigen::MatrixXd::Zero(5, 5);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    Eigen::VectorXd row(5);
    row[0] = 1;
    for (std::size_t k = 0; k < 4; ++k) row[static_cast<Eigen::Index>(k) + 1] = value(i, subset[k]);
    double eta = 0;
    for (std::size_t k = 0; k < 5; ++k) eta += theta[k] * row[static_cast<Eigen::Index>(k)];
    for (std::size_t k = 0; k < 5; ++k) expected[k] += weights[i] * eta * row[static_cast<Eigen::Index>(k)];
    expected_gram += weights[i] * row * row.transpose();
  }
  for (const Precision precision : {Precision::single, Precision::full}) {
    const double tolerance = precision == Precision::full ? 1e-8 : 0.5;  // of sums of about 1e5
    std::vector<double> sums(5, 0.0);
    design.sweep(
        subset, theta, precision,
        [&](std::size_t first, std::span<double> values) {
          for (std::size_t i = 0; i < values.size(); ++i) values[i] *= weights[first + i];
        },
        sums);
    for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(sums[k], expected[k], tolerance);
    const Eigen::MatrixXd gram = design.gram(subset, weights, precision);
    for (Eigen::Index a = 0; a < 5; ++a) {
      for (Eigen::Index b = 0; b <= a; ++b) EXPECT_NEAR(gram(a, b), expected_gram(a, b), tolerance);
    }
  }
}

TEST(Design, RowsMadeATileAtATimeAreThoseOfTheMatrix) {
  const Sample sample = normal_sample(3001, 32, 0.3, 9);
  const MatrixView all = sample.features.view();
  const DenseDesign kept(all, DenseDesign(all).standardisation());
  std::size_t most_at_once = 0;
  const auto make = [&](std::size_t first, std::size_t count) {
    most_at_once = std::max(most_at_once, count);
    Matrix rows(count, all.cols);
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = 0; j < all.cols; ++j) rows.at(i, j) = all.at(first + i, j);
    }
    return rows;
  };
  const MadeDesign made(3001, make, kept.standardisation());
  std::vector<double> theta(33, 0.5);
  theta[7] = -2;
  for (const Precision precision : {Precision::single, Precision::full}) {
    std::array<std::vector<double>, 2> scores;
    for (auto& of_design : scores) of_design.resize(3001);
    const auto into = [](std::vector<double>& out) {
      return [&out](std::size_t first, std::span<double> values) {
        std::copy(values.begin(), values.end(), out.begin() + static_cast<std::ptrdiff_t>(first));
      };
    };
    kept.sweep(kept.usable(), theta, precision, into(scores[0]), {});
    made.sweep(made.usable(), theta, precision, into(scores[1]), {});
    EXPECT_EQ(scores[0], scores[1]);
  }
  EXPECT_LT(most_at_once, 3001U);
}

TEST(PolynomialFeatures, HaveTheOrderOfScikitLearn) {
  const auto names = [](const std::vector<Monomial>& monomials) {
    std::string all;
    for (const Monomial& m : monomials) {
      for (std::size_t k = 0; k < m.degree; ++k) all += static_cast<char>('a' + m.columns[k]);
      all += ' ';
    }
    return all;
  };
  EXPECT_EQ(names(polynomial_features(3, 2, false)), "a b c aa ab ac bb bc cc ");
  EXPECT_EQ(names(polynomial_features(3, 3, true)), "a b c ab ac bc abc ");
  EXPECT_EQ(names(polynomial_features(2, 3, false)), "a b aa ab bb aaa aab abb bbb ");
  EXPECT_EQ(polynomial_feature_count(40, 2), 860);
  EXPECT_EQ(polynomial_feature_count(29, 3), 4959);
  EXPECT_EQ(polynomial_feature_count(30, 3), 5455);
}

}  // namespace
}  // namespace jsdiv::linear
