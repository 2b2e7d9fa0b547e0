#include "classify/mlp/training.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "core/assert.hpp"
#include "core/simd.hpp"
#include "core/stop.hpp"

namespace jsdiv::mlp {
namespace {

constexpr float mean_decay = 0.9F;
constexpr float square_decay = 0.999F;
constexpr float adam_epsilon = 1e-8F;

constexpr std::size_t smallest_batch = 64;  // batch norm needs some rows
constexpr std::size_t longest_patience = 600;

JSDIV_SIMD_CLONES void adam_kernel(std::size_t count, float step_size, float square_correction,
                                   const float* gradient, float* mean, float* square, float* parameters) {
  for (std::size_t i = 0; i < count; ++i) {
    mean[i] += (1 - mean_decay) * (gradient[i] - mean[i]);
    square[i] = square_decay * square[i] + (1 - square_decay) * gradient[i] * gradient[i];
    parameters[i] -= step_size * mean[i] / (std::sqrt(square[i]) * square_correction + adam_epsilon);
  }
}

JSDIV_SIMD_CLONES void follow_kernel(std::size_t count, float share, const float* current, float* average) {
  for (std::size_t i = 0; i < count; ++i) average[i] += share * (current[i] - average[i]);
}

/// Moves the average of the states a step towards the current one. The running statistics are averaged with
/// the weights that they belong to.
void follow(const State<float>& current, double decay, std::size_t step, State<float>& average) {
  // Early on a shorter memory, lest the initial state stays in the average.
  const auto steps = static_cast<double>(step);
  const auto share = static_cast<float>(1 - std::min(decay, (1 + steps) / (10 + steps)));
  follow_kernel(current.parameters.size(), share, current.parameters.data(), average.parameters.data());
  follow_kernel(current.statistics.size(), share, current.statistics.data(), average.statistics.data());
}

double prior_log_odds(const TrainingSet& rows) {
  double weight[2] = {0, 0};
  for (std::size_t i = 0; i < rows.labels.size(); ++i) weight[rows.labels[i] > 0 ? 1 : 0] += rows.weights[i];
  return std::log(weight[1]) - std::log(weight[0]);
}

double cosine_decay(const Schedule& schedule, double progress) {
  return schedule.final_learning_rate + (schedule.learning_rate - schedule.final_learning_rate) * 0.5 *
                                            (1 + std::cos(std::numbers::pi * progress));
}

}  // namespace

void Adam::step(double learning_rate, std::span<const float> gradient, std::span<float> parameters) {
  JSDIV_ASSERT(gradient.size() == mean_.size() && parameters.size() == mean_.size());
  ++steps_;
  const double step_size = learning_rate / (1 - std::pow(double{mean_decay}, steps_));
  const double square_correction = 1 / std::sqrt(1 - std::pow(double{square_decay}, steps_));
  adam_kernel(gradient.size(), static_cast<float>(step_size), static_cast<float>(square_correction),
              gradient.data(), mean_.data(), square_.data(), parameters.data());
}

std::vector<std::size_t> batch_bounds(std::size_t rows, std::size_t batch_size, std::size_t fewest) {
  std::size_t batches = 1;
  if (batch_size > 0) {
    const std::size_t size = std::min(batch_size, std::max(smallest_batch, rows / fewest));
    batches = std::max<std::size_t>(1, rows / size);
  }
  std::vector<std::size_t> bounds(batches + 1);
  for (std::size_t k = 0; k <= batches; ++k) bounds[k] = k * rows / batches;
  return bounds;
}

TrainingResult train(const Layout& layout, const TrainingSet& rows, const Schedule& schedule,
                     const RandomStream& random, const std::function<double(const State<float>&)>& validate) {
  const std::size_t row_count = rows.labels.size();
  const std::vector<std::size_t> bounds =
      batch_bounds(row_count, schedule.batch_size, schedule.fewest_batches);
  std::size_t largest = 0;
  for (std::size_t k = 0; k + 1 < bounds.size(); ++k) largest = std::max(largest, bounds[k + 1] - bounds[k]);

  State<float> current = State<float>::initial(layout, random.child("initial state"));
  // The few steps that a small table gets would not carry the bias from 0 to the class ratio.
  current.parameters[static_cast<std::size_t>(layout.output_bias)] +=
      static_cast<float>(prior_log_odds(rows));
  State<float> average = current;
  TrainingPass<float> pass(layout, static_cast<Eigen::Index>(largest), schedule.dropout_bits);
  Adam adam(current.parameters.size());
  RandomStream order_random = random.child("order");
  RandomStream dropout_random = random.child("dropout");

  std::vector<std::size_t> order(row_count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  Columns<float> batch_features(static_cast<Eigen::Index>(largest), rows.features.cols());
  std::vector<float> batch_labels(largest);
  std::vector<float> batch_weights(largest);

  TrainingResult result;
  result.state = current;
  result.validation_loss = std::numeric_limits<double>::infinity();
  std::size_t steps = 0;
  const std::size_t patience =
      std::max(schedule.patience, std::min(longest_patience, schedule.patience_rows / row_count));
  const double all_steps = static_cast<double>(schedule.max_epochs * (bounds.size() - 1));
  for (std::size_t epoch = 1; epoch <= schedule.max_epochs; ++epoch) {
    if (bounds.size() > 2) order_random.shuffle(std::span<std::size_t>(order));
    for (std::size_t k = 0; k + 1 < bounds.size(); ++k) {
      throw_if_interrupted();
      const std::span<const std::size_t> batch(order.data() + bounds[k], bounds[k + 1] - bounds[k]);
      for (std::size_t i = 0; i < batch.size(); ++i) {
        batch_labels[i] = rows.labels[batch[i]];
        batch_weights[i] = rows.weights[batch[i]];
      }
      for (Eigen::Index j = 0; j < rows.features.cols(); ++j) {
        const float* from = rows.features.col(j).data();
        float* to = batch_features.col(j).data();
        for (std::size_t i = 0; i < batch.size(); ++i) to[i] = from[batch[i]];
      }
      pass.run(current, batch_features.topRows(static_cast<Eigen::Index>(batch.size())), batch_labels,
               batch_weights, dropout_random);
      adam.step(cosine_decay(schedule, static_cast<double>(steps) / all_steps), pass.gradient(),
                current.parameters);
      ++steps;
      follow(current, schedule.averaging, steps, average);
    }
    const State<float>& judged = schedule.averaging > 0 ? average : current;
    const double loss = validate(judged);
    result.epochs = epoch;
    if (loss < result.validation_loss) {
      result.validation_loss = loss;
      result.best_epoch = epoch;
      result.state = judged;
    } else if (epoch - result.best_epoch >= patience) {
      break;
    }
  }
  return result;
}

}  // namespace jsdiv::mlp
