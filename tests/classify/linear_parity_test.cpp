// Against scikit-learn: tools/fixtures/linear.py makes the reference solutions.

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <cmath>
#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "classify/linear/families.hpp"
#include "classify/linear/path.hpp"
#include "classify/linear/polynomial.hpp"
#include "core/numeric.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv::linear {
namespace {

std::vector<std::vector<std::string>> read_csv(const std::string& name) {
  std::ifstream file(std::string(JSDIV_GOLDEN_DIR) + "/linear/" + name);
  std::vector<std::vector<std::string>> rows;
  std::string line, cell;
  while (std::getline(file, line)) {
    rows.emplace_back();
    std::istringstream cells(line);
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
  }
  return rows;
}

/// What the model has learnt, intercept first, from its log-odds at points of our own: more of them than
/// monomials, so that the coefficients follow.
std::vector<double> coefficients_of(const Model& model, const std::vector<Monomial>& monomials,
                                    std::size_t columns) {
  const auto terms = static_cast<Eigen::Index>(monomials.size() + 1);
  Matrix points(4 * monomials.size() + 8, columns);
  std::vector<RowIndex> rows(points.rows());
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  RandomStream random(1);
  Eigen::MatrixXd design = Eigen::MatrixXd::Ones(static_cast<Eigen::Index>(rows.size()), terms);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) points.at(i, j) = static_cast<float>(random.normal());
    for (std::size_t j = 0; j < monomials.size(); ++j) {
      double& product = design(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j + 1));
      for (std::size_t k = 0; k < monomials[j].degree; ++k) product *= points.at(i, monomials[j].columns[k]);
    }
  }
  Eigen::VectorXd scores(design.rows());
  model.log_odds(points.view(), rows, {scores.data(), rows.size()});
  const Eigen::VectorXd solution = design.householderQr().solve(scores);
  return {solution.begin(), solution.end()};
}

class Parity : public testing::TestWithParam<const char*> {};

TEST_P(Parity, CoefficientsAndProbabilitiesAreThoseOfScikitLearn) {
  const auto cells = read_csv(std::string(GetParam()) + ".csv");
  ASSERT_FALSE(cells.empty());
  const std::size_t columns = cells[0].size() - 2;
  Matrix features(cells.size(), columns);
  std::vector<std::uint8_t> labels;
  std::vector<double> weights;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    for (std::size_t j = 0; j < columns; ++j) features.at(i, j) = std::stof(cells[i][j]);
    labels.push_back(cells[i][columns] == "1" ? 1 : 0);
    weights.push_back(std::stod(cells[i][columns + 1]));
  }
  std::vector<RowIndex> rows(cells.size());
  std::iota(rows.begin(), rows.end(), RowIndex{0});
  const Problem problem{features.view(), labels, weights, rows};
  const auto trainer = lr_pol_family().prepare(problem);

  const auto fits = read_csv(std::string(GetParam()) + ".fits.csv");
  ASSERT_FALSE(fits.empty());
  for (const auto& expected : fits) {
    SCOPED_TRACE(expected[0] + " " + expected[1] + " C=" + expected[2] + " degree " + expected[3] + " " +
                 expected[4]);
    Config config;
    config.set("penalty", expected[0]);
    config.set("class_weight", expected[1]);
    config.set("C", std::stod(expected[2]));
    config.set("degree", std::int64_t{std::stoi(expected[3])});
    config.set("interaction_only", expected[4]);
    const auto model = trainer->fit(rows, config, {RandomStream(0), {}, Loss::plain});
    std::vector<double> scores(rows.size());
    model->log_odds(problem.features, rows, scores);

    const auto monomials = polynomial_features(columns, std::stoi(expected[3]), expected[4] == "true");
    ASSERT_EQ(expected.size(), monomials.size() + 6);
    double coefficient_error = 0, probability_error = 0;
    const std::vector<double> coefficients = coefficients_of(*model, monomials, columns);
    for (std::size_t j = 0; j < coefficients.size(); ++j) {
      coefficient_error =
          std::max(coefficient_error, std::fabs(coefficients[j] - std::stod(expected[5 + j])));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double score = std::stod(expected[5]);
      for (std::size_t j = 0; j < monomials.size(); ++j) {
        double product = std::stod(expected[6 + j]);
        for (std::size_t k = 0; k < monomials[j].degree; ++k)
          product *= features.at(i, monomials[j].columns[k]);
        score += product;
      }
      probability_error = std::max(probability_error, std::fabs(sigmoid(score) - sigmoid(scores[i])));
    }
    EXPECT_LT(coefficient_error, 1e-4);
    EXPECT_LT(probability_error, 1e-5);
  }
}

INSTANTIATE_TEST_SUITE_P(ScikitLearn, Parity, testing::Values("dependence", "imbalance", "weighted", "wide"));

}  // namespace
}  // namespace jsdiv::linear
