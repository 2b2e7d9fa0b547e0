#pragma once

#include <functional>
#include <vector>

#include "classify/mlp/network.hpp"

namespace jsdiv::mlp {

/// How the network is trained.
struct Schedule {
  /// 0: all rows at once. Where the tables differ on a finer scale than the columns vary, the noise that
  /// small batches bring into batch norm hides the difference.
  std::size_t batch_size = 4096;
  std::size_t fewest_batches = 1;  ///< in an epoch: a small table is cut into smaller batches
  double learning_rate = 2e-3;     ///< Adam's, at the start
  double final_learning_rate = 0;  ///< reached at max_epochs along half a cosine
  std::size_t max_epochs = 3000;
  std::size_t patience = 250;  ///< epochs without a lower validation loss
  /// More, up to 600, until so many rows have gone by: few validation rows are a noisy judge, and an epoch
  /// of few training rows is cheap.
  std::size_t patience_rows = 1'000'000;
  /// Decay of the moving average of the states, which is what is judged and kept; 0: the state itself.
  double averaging = 0.99;
  int dropout_bits = 1;  ///< a value is dropped with probability 2^-dropout_bits; 0: never
};

/// Encoded training rows: features [rows, inputs], labels 1 or 0, weights of mean 1.
struct TrainingSet {
  Columns<float> features;
  std::vector<float> labels;
  std::vector<float> weights;
};

struct TrainingResult {
  State<float> state;      ///< of the epoch with the lowest validation loss
  std::size_t epochs = 0;  ///< run
  std::size_t best_epoch = 0;
  double validation_loss = 0;
};

/// Trains from PyTorch's initialisation. `validate` gives the loss that decides on stopping and on the state
/// to keep.
TrainingResult train(const Layout& layout, const TrainingSet& rows, const Schedule& schedule,
                     const RandomStream& random, const std::function<double(const State<float>&)>& validate);

/// Adam (Kingma & Ba, 2015) with betas 0.9 and 0.999 and epsilon 1e-8, as in PyTorch.
class Adam {
 public:
  explicit Adam(std::size_t parameters) : mean_(parameters), square_(parameters) {}

  void step(double learning_rate, std::span<const float> gradient, std::span<float> parameters);

 private:
  std::vector<float> mean_;
  std::vector<float> square_;
  int steps_ = 0;
};

/// Cuts an epoch into batches of about `batch_size` rows (0: one batch), or of fewer, so that there are at
/// least `fewest`, but not of fewer than 64. Their sizes are almost equal, so that none is left with a single
/// row. Batch k holds the rows bounds[k] … bounds[k + 1] - 1.
std::vector<std::size_t> batch_bounds(std::size_t rows, std::size_t batch_size, std::size_t fewest);

}  // namespace jsdiv::mlp
