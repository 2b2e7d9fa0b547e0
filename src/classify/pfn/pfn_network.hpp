#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <span>

namespace jsdiv::pfn {

/// Learnt stacking of the experts' scores; tools/pfn/model.py says how it works and trains it. In float32,
/// like the training.
class Network {
 public:
  /// A safetensors file. Throws InvalidInput if a tensor is missing or of another shape.
  explicit Network(std::span<const std::byte> bytes);

  /// The one that is part of the library.
  static const Network& embedded();

  /// What the context tells about the table: scores [rows, experts] of the context rows, labels [rows] in
  /// {-1, +1}, weights [rows].
  Eigen::RowVectorXf summarise(const Eigen::MatrixXd& scores, const Eigen::VectorXd& labels,
                               const Eigen::VectorXd& weights, std::size_t columns) const;

  /// Log-odds of P at equal priors for scores [rows, experts]. Negated scores give the negated answer.
  Eigen::VectorXd log_odds(const Eigen::RowVectorXf& summary, const Eigen::MatrixXd& scores) const;

 private:
  struct Layer {
    Eigen::MatrixXf weight;  ///< [inputs, outputs]
    Eigen::RowVectorXf bias;

    Eigen::MatrixXf operator()(const Eigen::MatrixXf& x) const { return (x * weight).rowwise() + bias; }
  };

  Layer rows_0_, rows_1_, table_0_, table_1_, head_scores_, head_table_, head_1_, head_2_;
};

}  // namespace jsdiv::pfn
