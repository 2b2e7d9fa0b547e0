#include "calibrate/calibrator.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/numeric.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {
namespace {

using Labels = std::vector<std::uint8_t>;

// Both sides minimise the same function; scikit-learn stops at a gradient of 1e-6.
TEST(Calibrator, EqualsScikitLearn) {
  std::ifstream file(std::string(JSDIV_GOLDEN_DIR) + "/calibrate/calibration.json");
  ASSERT_TRUE(file);
  const auto golden = nlohmann::json::parse(file);
  ASSERT_GE(golden["cases"].size(), 15U);
  for (const auto& expected : golden["cases"]) {
    const auto scores = expected["scores"].get<std::vector<double>>();
    const auto labels = expected["labels"].get<Labels>();
    const auto weights = expected["weights"].get<std::vector<double>>();
    const auto queries = expected["queries"].get<std::vector<double>>();
    for (const Calibration method : {Calibration::isotonic, Calibration::sigmoid}) {
      const std::string name = std::string(to_string(method));
      const auto probabilities = expected[name].get<std::vector<double>>();
      const Calibrator calibrator = Calibrator::fit(method, scores, labels, weights);
      for (std::size_t i = 0; i < queries.size(); ++i) {
        EXPECT_NEAR(calibrator(queries[i]), probabilities[i], 1e-6)
            << expected["name"] << ", " << name << " at " << queries[i];
      }
    }
  }
}

// Scores 1, 2, 3, 4 with labels 0, 1, 0, 1: 2 and 3 violate the order and are pooled at 1/2.
TEST(Isotonic, PoolsViolatorsByHand) {
  const std::vector<double> scores = {4, 2, 1, 3};
  const Labels labels = {1, 1, 0, 0};
  const Calibrator calibrator = Calibrator::fit(Calibration::isotonic, scores, labels);
  EXPECT_EQ(calibrator(-100), 0);
  EXPECT_EQ(calibrator(1), 0);
  EXPECT_DOUBLE_EQ(calibrator(1.5), 0.25);
  EXPECT_DOUBLE_EQ(calibrator(2.5), 0.5);
  EXPECT_DOUBLE_EQ(calibrator(3.5), 0.75);
  EXPECT_EQ(calibrator(100), 1);
}

// Tied scores are averaged by weight before pooling: (3·1 + 1·0) / 4.
TEST(Isotonic, AveragesTiesByWeight) {
  const std::vector<double> scores = {0, 1, 1, 2};
  const Labels labels = {0, 1, 0, 1};
  const std::vector<double> weights = {1, 3, 1, 1};
  EXPECT_DOUBLE_EQ(Calibrator::fit(Calibration::isotonic, scores, labels, weights)(1), 0.75);
}

TEST(Isotonic, NeverDecreasesAndStaysInTheUnitInterval) {
  RandomStream random(3);
  std::vector<double> scores, weights;
  Labels labels;
  for (int i = 0; i < 2000; ++i) {
    labels.push_back(static_cast<std::uint8_t>(random.below(2)));
    scores.push_back(random.normal() + labels.back());
    weights.push_back(random.gamma(1.0));
  }
  const Calibrator calibrator = Calibrator::fit(Calibration::isotonic, scores, labels, weights);
  double previous = 0;
  for (double score = -6; score <= 7; score += 0.001) {
    const double probability = calibrator(score);
    EXPECT_GE(probability, previous - 1e-15);
    EXPECT_LE(probability, 1);
    previous = probability;
  }
}

// With one row a class the smoothed targets are 2/3 and 1/3, and two parameters fit two rows exactly.
TEST(Sigmoid, ReachesPlattsTargetsByHand) {
  const std::vector<double> scores = {-1, 1};
  const Labels labels = {0, 1};
  const Calibrator calibrator = Calibrator::fit(Calibration::sigmoid, scores, labels);
  EXPECT_NEAR(calibrator(1), 2.0 / 3, 1e-12);
  EXPECT_NEAR(calibrator(-1), 1.0 / 3, 1e-12);
  EXPECT_NEAR(calibrator(0), 0.5, 1e-12);
}

TEST(Sigmoid, IsIndifferentToTheScaleOfScores) {
  RandomStream random(4);
  std::vector<double> scores, scaled;
  Labels labels;
  for (int i = 0; i < 300; ++i) {
    labels.push_back(static_cast<std::uint8_t>(i % 2));
    scores.push_back(random.normal() + labels.back());
    scaled.push_back(1000 * scores.back());
  }
  const Calibrator plain = Calibrator::fit(Calibration::sigmoid, scores, labels);
  const Calibrator large = Calibrator::fit(Calibration::sigmoid, scaled, labels);
  for (double score = -4; score < 5; score += 0.1) EXPECT_NEAR(plain(score), large(1000 * score), 1e-10);
}

TEST(Calibrator, AWeightOfTwoIsARowTwice) {
  const std::vector<double> scores = {1, 2, 3, 4, 5}, weights = {1, 2, 1, 2, 1};
  const Labels labels = {0, 1, 0, 0, 1};
  const std::vector<double> repeated_scores = {1, 2, 2, 3, 4, 4, 5};
  const Labels repeated_labels = {0, 1, 1, 0, 0, 0, 1};
  for (const Calibration method : {Calibration::isotonic, Calibration::sigmoid}) {
    const Calibrator weighted = Calibrator::fit(method, scores, labels, weights);
    const Calibrator repeated = Calibrator::fit(method, repeated_scores, repeated_labels);
    for (double score = 0; score < 6; score += 0.25) EXPECT_NEAR(weighted(score), repeated(score), 1e-12);
  }
}

TEST(Calibrator, WithoutCalibrationLogOddsBecomeProbabilities) {
  const Calibrator calibrator = Calibrator::fit(Calibration::none, {}, {});
  EXPECT_DOUBLE_EQ(calibrator(0), 0.5);
  EXPECT_DOUBLE_EQ(calibrator(std::log(3)), 0.75);
}

TEST(Calibrator, OneClassIsTheUsersMistake) {
  const std::vector<double> scores = {1, 2};
  const std::vector<double> no_weight_for_q = {1, 0};
  for (const Calibration method : {Calibration::isotonic, Calibration::sigmoid}) {
    EXPECT_THROW(Calibrator::fit(method, scores, Labels{1, 1}), InvalidInput);
    EXPECT_THROW(Calibrator::fit(method, scores, Labels{0, 0}), InvalidInput);
    EXPECT_THROW(Calibrator::fit(method, scores, Labels{1, 0}, no_weight_for_q), InvalidInput);
    EXPECT_THROW(Calibrator::fit(method, {}, {}), InvalidInput);
  }
  try {
    Calibrator::fit(Calibration::sigmoid, scores, Labels{0, 0});
  } catch (const InvalidInput& error) {
    EXPECT_NE(std::string(error.what()).find("no row of P"), std::string::npos);
  }
}

TEST(Calibrator, ScoresThatAreNotFiniteAreOurBug) {
  const std::vector<double> scores = {1, std::nan("")};
  EXPECT_THROW(Calibrator::fit(Calibration::isotonic, scores, Labels{1, 0}), InternalError);
  EXPECT_THROW(Calibrator::fit(Calibration::sigmoid, scores, Labels{1, 0, 1}), InternalError);
}

}  // namespace
}  // namespace jsdiv
