#pragma once

#include <Eigen/Core>
#include <array>
#include <vector>

#include "classify/pfn/views.hpp"

namespace jsdiv::pfn {

inline constexpr Eigen::Index simple_experts = 21;
inline constexpr std::size_t stacks = 2;
/// Scores of a row: those of the simple experts, then those of the stacks of them.
inline constexpr Eigen::Index expert_count = simple_experts + static_cast<Eigen::Index>(stacks);

/// Ridge regression of the labels.
struct LinearExpert {
  Eigen::VectorXd slope;  ///< [1 + columns], the intercept first
  Eigen::VectorXd known;

  LinearExpert(const Eigen::MatrixXd& x, const Eigen::VectorXd& labels, const Eigen::VectorXd& weights,
               double ridge);
  Eigen::VectorXd operator()(const Eigen::MatrixXd& x) const;
};

/// Two Gaussians whose covariances are shrunk to that of all rows, which knows no labels.
struct QuadraticExpert {
  struct Class {
    Eigen::RowVectorXd mean;
    Eigen::MatrixXd inverse;
    double log_determinant = 0;
  };
  std::array<Class, 2> classes;  ///< P, Q
  Eigen::VectorXd known;

  QuadraticExpert(const Eigen::MatrixXd& x, const Eigen::VectorXd& labels, const Eigen::VectorXd& weights,
                  double shrinkage);
  Eigen::VectorXd operator()(const Eigen::MatrixXd& x) const;
};

/// Independent Gaussians, one for each column.
struct NormalColumnsExpert {
  std::array<Eigen::RowVectorXd, 2> mean, variance;
  Eigen::VectorXd known;

  NormalColumnsExpert(const Eigen::MatrixXd& x, const Eigen::VectorXd& labels,
                      const Eigen::VectorXd& weights);
  Eigen::VectorXd operator()(const Eigen::MatrixXd& x) const;
};

/// Independent histograms of the ranks, one for each column.
struct BinnedExpert {
  int bins = 0;
  std::array<Eigen::MatrixXd, 2> counts;  ///< [bins, columns]
  std::array<double, 2> rows{};
  Eigen::VectorXd known;

  BinnedExpert(const Eigen::MatrixXd& ranks, const Eigen::VectorXd& labels, const Eigen::VectorXd& weights,
               int bin_count);
  Eigen::VectorXd operator()(const Eigen::MatrixXd& ranks) const;
};

/// What a logistic regression makes of the scores of the simple experts.
struct StackExpert {
  Eigen::VectorXd slope;
  Eigen::VectorXd known;

  StackExpert(const Eigen::MatrixXd& scores, const Eigen::VectorXd& labels, const Eigen::VectorXd& weights,
              double penalty);
};

/// The closed-form experts of tools/pfn/experts.py. Each scores a context row from all other context rows,
/// and any other row from the whole context; all change their sign when P and Q change places.
class Experts {
 public:
  /// labels: [rows] +1 for a row of P, -1 for one of Q, both there; weights: [rows] positive, 1 on average.
  /// The context has at least one column.
  Experts(ViewedRows context, const Eigen::VectorXd& labels, const Eigen::VectorXd& weights);

  /// [context rows, expert_count]
  const Eigen::MatrixXd& of_context() const { return of_context_; }
  /// [rows, expert_count]
  Eigen::MatrixXd operator()(const ViewedRows& rows) const;

 private:
  static constexpr std::size_t kernels = 8;

  /// Between `rows` and the context: squared distances of the normal scores, and the kernels.
  struct Nearness {
    Eigen::MatrixXd squares;
    std::array<Eigen::MatrixXd, kernels> kernel;
  };
  Nearness nearness(const ViewedRows& rows) const;
  Eigen::VectorXd votes(const Eigen::MatrixXd& squares, Eigen::Index count) const;

  ViewedRows context_;
  Eigen::VectorXd labels_;
  Eigen::VectorXd weights_;  ///< those of both classes add up to half of the rows
  Eigen::RowVectorXd relevance_;
  std::vector<LinearExpert> linear_;        ///< the last one on normal scores, the others on values
  std::vector<QuadraticExpert> quadratic_;  ///< likewise
  std::vector<NormalColumnsExpert> normal_columns_;
  std::vector<BinnedExpert> binned_;
  std::array<Eigen::VectorXd, kernels> dual_;
  std::vector<StackExpert> stacks_;
  Eigen::MatrixXd of_context_;
};

}  // namespace jsdiv::pfn
