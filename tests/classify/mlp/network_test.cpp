#include "classify/mlp/network.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "classify/mlp/block.hpp"
#include "classify/mlp/training.hpp"

namespace jsdiv::mlp {
namespace {

constexpr std::uint32_t keep_all = 0xFFFFFFFF;

TEST(MlpBlock, NormalisesDropsAndBendsByHand) {
  // Mean 2, biased variance 5 and unbiased variance 20/3; rows 1 and 3 are kept.
  double z[4] = {-1, 1, 3, 5};
  double activation[4];
  const std::uint32_t mask = 0b1010;
  const auto found = block_forward<double>(4, 2.0, -1.0, &mask, 2.0, z, activation);
  const double deviation = std::sqrt(5 + 1e-5);
  EXPECT_DOUBLE_EQ(found.mean, 2);
  EXPECT_DOUBLE_EQ(found.inverse_deviation, 1 / deviation);
  EXPECT_DOUBLE_EQ(found.unbiased_variance, 20.0 / 3);
  EXPECT_DOUBLE_EQ(z[0], -3 / deviation);
  EXPECT_DOUBLE_EQ(activation[0], 0);
  EXPECT_DOUBLE_EQ(activation[1], 0.2 * 2 * (2 * -1 / deviation - 1));
  EXPECT_DOUBLE_EQ(activation[2], 0);
  EXPECT_DOUBLE_EQ(activation[3], 2 * (2 * 3 / deviation - 1));
}

TEST(MlpBlock, ASingleRowIsItsOwnMean) {
  float z = 7;
  float activation = 0;
  const auto found = block_forward<float>(1, 1.0F, 0.5F, &keep_all, 2.0F, &z, &activation);
  EXPECT_EQ(found.unbiased_variance, 0);
  EXPECT_FLOAT_EQ(activation, 1);
}

TEST(MlpBlock, FloatAgreesWithDoubleOverManyRows) {
  constexpr std::size_t rows = 77;
  RandomStream random(1);
  std::vector<float> z(rows), activation(rows), gradient(rows);
  std::vector<double> z_reference(rows), activation_reference(rows), gradient_reference(rows);
  const std::uint32_t mask[3] = {random.next_u32(), random.next_u32(), random.next_u32()};
  for (std::size_t i = 0; i < rows; ++i) {
    z_reference[i] = z[i] = static_cast<float>(random.normal());
    gradient_reference[i] = gradient[i] = static_cast<float>(random.normal());
  }
  const auto found = block_forward<float>(rows, 1.3F, 0.2F, mask, 2.0F, z.data(), activation.data());
  const auto expected =
      block_forward<double>(rows, 1.3, 0.2, mask, 2.0, z_reference.data(), activation_reference.data());
  block_backward<float>(rows, 1.3F, found.inverse_deviation, 2.0F, z.data(), activation.data(),
                        gradient.data());
  block_backward<double>(rows, 1.3, expected.inverse_deviation, 2.0, z_reference.data(),
                         activation_reference.data(), gradient_reference.data());
  for (std::size_t i = 0; i < rows; ++i) {
    EXPECT_NEAR(activation[i], activation_reference[i], 1e-5);
    EXPECT_NEAR(gradient[i], gradient_reference[i], 1e-5);
  }
}

TEST(MlpBlock, NoMaskIsOneThatKeepsAll) {
  constexpr std::size_t rows = 45;
  RandomStream random(2);
  std::vector<float> z(rows), activation(rows), masked_activation(rows);
  for (float& value : z) value = static_cast<float>(random.normal());
  std::vector<float> masked = z;
  const std::uint32_t keep[2] = {keep_all, keep_all};
  block_forward<float>(rows, 1.3F, 0.2F, nullptr, 1.0F, z.data(), activation.data());
  block_forward<float>(rows, 1.3F, 0.2F, keep, 1.0F, masked.data(), masked_activation.data());
  EXPECT_EQ(activation, masked_activation);
}

TEST(MlpBlock, WithoutDropoutNothingIsScaled) {
  double z[2] = {-1, 1};
  double activation[2];
  block_forward<double>(2, 1.0, 0.0, nullptr, 1.0, z, activation);
  EXPECT_NEAR(activation[0], -0.2, 1e-5);
  EXPECT_NEAR(activation[1], 1, 1e-5);
  double gradient[2] = {3, 5};
  const auto found = block_backward<double>(2, 1.0, 1.0, 1.0, z, activation, gradient);
  EXPECT_NEAR(found.beta, 0.2 * 3 + 5, 1e-12);
}

/// GetParam(): dropout with probability 2^-bits, 0: none.
class MlpGradient : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Dropout, MlpGradient, testing::Values(0, 1, 3));

TEST_P(MlpGradient, AgreesWithFiniteDifferences) {
  constexpr Eigen::Index rows = 12;
  constexpr Eigen::Index inputs = 3;
  const Layout layout(inputs);
  State<double> state = State<double>::initial(layout, RandomStream(2));
  RandomStream random(3);
  // Away from gamma 1 and beta 0, where some terms vanish.
  for (double& value : state.parameters) value += 0.05 * random.normal();
  Columns<double> features(rows, inputs);
  std::vector<float> labels(rows), weights(rows);
  for (Eigen::Index i = 0; i < rows; ++i) {
    for (Eigen::Index j = 0; j < inputs; ++j) features(i, j) = random.normal();
    labels[i] = i % 2 == 0 ? 1.0F : 0.0F;
    weights[i] = static_cast<float>(0.5 + random.uniform());
  }
  TrainingPass<double> pass(layout, rows, GetParam());
  const auto loss = [&](const State<double>& at) {
    State<double> copy = at;
    RandomStream dropout(4);  // the same masks every time
    return pass.run(copy, features, labels, weights, dropout);
  };
  loss(state);
  const std::vector<double> gradient = pass.gradient();

  std::vector<std::pair<Eigen::Index, Eigen::Index>> tensors;  // begin, size
  for (const Layout::Block& block : layout.blocks) {
    tensors.push_back({block.weights, block.inputs * block.width});
    tensors.push_back({block.gamma, block.width});
    tensors.push_back({block.beta, block.width});
  }
  tensors.push_back({layout.output_weights, hidden_widths.back()});
  tensors.push_back({layout.output_bias, 1});
  for (const auto& [begin, size] : tensors) {
    double largest = 0;
    for (int draw = 0; draw < 20; ++draw) {
      const auto index = static_cast<std::size_t>(begin) + random.below(static_cast<std::uint64_t>(size));
      constexpr double step = 1e-6;
      State<double> moved = state;
      moved.parameters[index] += step;
      const double above = loss(moved);
      moved.parameters[index] -= 2 * step;
      const double below = loss(moved);
      EXPECT_NEAR(gradient[index], (above - below) / (2 * step), 2e-7) << "parameter " << index;
      largest = std::max(largest, std::abs(gradient[index]));
    }
    EXPECT_GT(largest, 1e-6) << "the gradient of the tensor at " << begin << " is not put to the test";
  }
}

TEST(MlpNetwork, RunningStatisticsFollowTheBatchByATenth) {
  const Layout layout(1);
  State<double> state = State<double>::initial(layout, RandomStream(1));
  const double weight = state.parameters[layout.blocks[0].weights];
  Columns<double> features(4, 1);
  features << -1, 1, 3, 5;  // mean 2, unbiased variance 20/3
  const std::vector<float> labels = {1, 0, 1, 0};
  const std::vector<float> weights(4, 1.0F);
  TrainingPass<double> pass(layout, 4);
  RandomStream random(1);
  pass.run(state, features, labels, weights, random);
  EXPECT_NEAR(state.statistics[layout.blocks[0].mean], 0.1 * 2 * weight, 1e-12);
  EXPECT_NEAR(state.statistics[layout.blocks[0].variance], 0.9 + 0.1 * weight * weight * 20 / 3, 1e-12);
}

TEST(MlpNetwork, EvaluationUsesRunningStatisticsAndNoDropout) {
  const Layout layout(2);
  State<double> state = State<double>::initial(layout, RandomStream(5));
  RandomStream random(6);
  for (double& value : state.parameters) value += 0.1 * random.normal();
  for (double& value : state.statistics) value = 0.5 + random.uniform();
  Columns<double> features(1, 2);
  features << 0.3, -1.2;
  std::vector<double> activations = {0.3, -1.2};
  for (const Layout::Block& block : layout.blocks) {
    std::vector<double> next;
    for (Eigen::Index j = 0; j < block.width; ++j) {
      double z = 0;
      for (Eigen::Index i = 0; i < block.inputs; ++i) {
        z += activations[i] * state.parameters[block.weights + j * block.inputs + i];
      }
      const double normalised =
          (z - state.statistics[block.mean + j]) / std::sqrt(state.statistics[block.variance + j] + 1e-5);
      const double output = state.parameters[block.gamma + j] * normalised + state.parameters[block.beta + j];
      next.push_back(output > 0 ? output : 0.2 * output);
    }
    activations = next;
  }
  double expected = state.parameters[layout.output_bias];
  for (std::size_t i = 0; i < activations.size(); ++i) {
    expected += activations[i] * state.parameters[layout.output_weights + static_cast<Eigen::Index>(i)];
  }
  double logit = 0;
  Evaluator<double>(layout, state).run(features, {&logit, 1});
  EXPECT_NEAR(logit, expected, 1e-9);
}

TEST(MlpTraining, AdamsFirstTwoStepsByHand) {
  Adam adam(1);
  std::vector<float> parameter = {1};
  adam.step(0.1, std::vector<float>{4}, parameter);
  EXPECT_NEAR(parameter[0], 0.9, 1e-6);  // the first step has the size of the learning rate
  adam.step(0.1, std::vector<float>{-2}, parameter);
  const double mean = (0.9 * 0.4 - 0.2) / (1 - 0.81);
  const double square = (0.999 * 0.016 + 0.004) / (1 - 0.998001);
  EXPECT_NEAR(parameter[0], 0.9 - 0.1 * mean / std::sqrt(square), 1e-5);
}

TEST(MlpTraining, BatchesAreEvenAndCoverTheRows) {
  EXPECT_EQ(batch_bounds(10, 0, 4), (std::vector<std::size_t>{0, 10}));
  EXPECT_EQ(batch_bounds(130, 256, 4), (std::vector<std::size_t>{0, 65, 130}));
  EXPECT_EQ(batch_bounds(130, 256, 1), (std::vector<std::size_t>{0, 130}));
  EXPECT_EQ(batch_bounds(2, 256, 4), (std::vector<std::size_t>{0, 2}));
  const auto bounds = batch_bounds(10001, 256, 4);
  EXPECT_EQ(bounds.size(), 40U);
  EXPECT_EQ(bounds.back(), 10001U);
}

TEST(MlpTraining, KeepsTheStateOfTheBestEpochAndStopsAfterThePatience) {
  const Layout layout(1);
  TrainingSet rows{Columns<float>(8, 1), {1, 0, 1, 0, 1, 0, 1, 0}, std::vector<float>(8, 1.0F)};
  rows.features.col(0) << 1, -1, 2, -2, 3, -3, 4, -4;
  Schedule schedule;
  schedule.patience = 3;
  schedule.patience_rows = 31;  // of 8 rows: 3 epochs as well
  const double losses[] = {0.5, 0.4, 0.3, 0.6, 0.35, 0.9, 0.1};
  std::vector<State<float>> seen;
  const auto result = train(layout, rows, schedule, RandomStream(1), [&](const State<float>& state) {
    seen.push_back(state);
    return losses[seen.size() - 1];
  });
  EXPECT_EQ(result.epochs, 6U);
  EXPECT_EQ(result.best_epoch, 3U);
  EXPECT_EQ(result.validation_loss, 0.3);
  EXPECT_EQ(result.state.parameters, seen[2].parameters);
  EXPECT_NE(result.state.parameters, seen[5].parameters);

  schedule.patience_rows = 32;  // a fourth epoch, which is better
  seen.clear();
  schedule.max_epochs = 7;
  EXPECT_EQ(train(layout, rows, schedule, RandomStream(1),
                  [&](const State<float>& state) {
                    seen.push_back(state);
                    return losses[seen.size() - 1];
                  })
                .best_epoch,
            7U);
}

}  // namespace
}  // namespace jsdiv::mlp
