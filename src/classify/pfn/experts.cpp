#include "classify/pfn/experts.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/assert.hpp"
#include "core/stop.hpp"

namespace jsdiv::pfn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::RowVectorXd;
using Eigen::VectorXd;

/// The settings that the network was trained with; tools/pfn/experts.py has the same.
constexpr double largest_score = 5;
constexpr double ridges[] = {3, 30, 300};
constexpr double ridge_on_scores = 30;
constexpr double shrinkages[] = {0.05, 0.3, 0.7};
constexpr double shrinkage_on_scores = 0.3;
constexpr int bin_counts[] = {4, 12};
constexpr Index neighbour_counts[] = {7, 25};
constexpr double kernel_ridges[] = {1, 0.1, 0.3, 0.3, 0.1, 0.3, 0.3, 0.3};
constexpr double stack_penalties[stacks] = {3, 30};
constexpr int newton_steps = 8;
constexpr int relevance_bins = 4;

/// +1 for P, -1 for Q: the order of every pair of classes here.
constexpr double signs[] = {1, -1};

/// The weights of a class: 0 for the rows of the other one.
VectorXd class_weights(const VectorXd& labels, const VectorXd& weights, double sign) {
  return (labels.array() == sign).select(weights, 0);
}

/// The diagonal of x a xᵀ.
VectorXd squared_lengths(const MatrixXd& x, const MatrixXd& a) {
  return (x * a).cwiseProduct(x).rowwise().sum();
}

MatrixXd inverse_of(const MatrixXd& positive_definite) {
  return positive_definite.llt().solve(
      MatrixXd::Identity(positive_definite.rows(), positive_definite.rows()));
}

MatrixXd with_intercept(const MatrixXd& x) {
  MatrixXd result(x.rows(), x.cols() + 1);
  result << VectorXd::Ones(x.rows()), x;
  return result;
}

int bin_of(double rank, int bins) {
  return std::min(static_cast<int>(bins * rank), bins - 1);
}

/// [bins, columns] weights of a class in each bin.
MatrixXd bin_weights(const MatrixXd& ranks, const VectorXd& weights, int bins) {
  MatrixXd sums = MatrixXd::Zero(bins, ranks.cols());
  for (Index j = 0; j < ranks.cols(); ++j) {
    for (Index i = 0; i < ranks.rows(); ++i) sums(bin_of(ranks(i, j), bins), j) += weights[i];
  }
  return sums;
}

/// A share for each column: by how much four bins of it differ between the classes, beyond chance.
RowVectorXd relevance_of(const MatrixXd& ranks, const VectorXd& labels, const VectorXd& weights) {
  std::array<MatrixXd, 2> shares;
  double chance = 0;
  for (std::size_t c = 0; c < 2; ++c) {
    const VectorXd own = class_weights(labels, weights, signs[c]);
    shares[c] = bin_weights(ranks, own, relevance_bins) / own.sum();
    chance += (relevance_bins - 1) * own.squaredNorm() / (2 * own.sum() * own.sum());
  }
  const auto total = (shares[0] + shares[1]).array();
  const RowVectorXd differences =
      ((shares[0] - shares[1]).array().square() / (total > 0).select(total, 1)).colwise().sum();
  const RowVectorXd relevance = (differences.array() - chance).cwiseMax(0) + 0.25 * chance;
  return relevance / relevance.sum();
}

MatrixXd squared_distances(const MatrixXd& a, const MatrixXd& b) {
  MatrixXd result = -2 * a * b.transpose();
  result.colwise() += VectorXd(a.rowwise().squaredNorm());
  result.rowwise() += RowVectorXd(b.rowwise().squaredNorm().transpose());
  return result.cwiseMax(0);
}

/// Sums over the columns, by shares of the columns: of |u - v|, of the centred kernel of it, and of the
/// square of that. Each [rows of u, rows of v].
struct RankSums {
  MatrixXd distance, first, second;

  RankSums(Index rows, Index others)
      : distance(MatrixXd::Zero(rows, others)),
        first(MatrixXd::Zero(rows, others)),
        second(MatrixXd::Zero(rows, others)) {}
};

std::array<RankSums, 2> rank_sums(const MatrixXd& u, const MatrixXd& v,
                                  const std::array<RowVectorXd, 2>& shares) {
  std::array<RankSums, 2> sums = {RankSums(u.rows(), v.rows()), RankSums(u.rows(), v.rows())};
  const MatrixXd bend = 3 * (u.array().square() - u.array()) + 2;
  Eigen::ArrayXd difference(u.rows()), centred(u.rows());
  for (Index k = 0; k < v.rows(); ++k) {
    for (Index j = 0; j < u.cols(); ++j) {
      const double other = v(k, j);
      difference = (u.col(j).array() - other).abs();
      // -|u - v| less its means over uniform ranks, scaled to 1 on average on the diagonal.
      centred = bend.col(j).array() + 3 * (other * other - other) - 3 * difference;
      for (std::size_t s = 0; s < 2; ++s) {
        const double share = shares[s][j];
        sums[s].distance.col(k).array() += share * difference;
        sums[s].first.col(k).array() += share * centred;
        sums[s].second.col(k).array() += share * share * centred.square();
      }
    }
  }
  return sums;
}

/// Half of the columns one by one, half of all pairs of columns; one column alone has no pairs.
MatrixXd pair_kernel(const RankSums& sums, const RowVectorXd& share) {
  constexpr double no_pairs = 1e-6;
  const double pairs = (1 - share.squaredNorm()) / 2;
  if (pairs < no_pairs) return sums.first;
  return 0.5 * sums.first + (0.25 / pairs) * (sums.first.array().square() - sums.second.array()).matrix();
}

MatrixXd gaussian_kernel(const MatrixXd& squares, Index columns, double width) {
  return (squares.array() / (-width * static_cast<double>(columns))).exp();
}

template <typename Scores>
MatrixXd flattened(const Scores& scores) {
  return largest_score * (scores.array() / largest_score).tanh();
}

/// Curvature of the logistic loss at these log-odds.
VectorXd curvature(const VectorXd& probability, const VectorXd& weights) {
  return weights.array() * (probability.array() * (1 - probability.array())).cwiseMax(1e-3);
}

VectorXd probabilities(const VectorXd& log_odds) {
  return 0.5 * (1 + (0.5 * log_odds.array()).tanh());
}

/// What a class of this weight loses with one of its rows: the scatter loses `lost_scatter` times the square
/// of the row's distance from the mean, which itself grows by the factor `farther`.
struct WithoutRow {
  WithoutRow(double total, double weight) {
    const double others = total - weight;
    if (others <= 1e-9 * total) return;  // the only row is its own mean
    farther = total / others;
    lost_scatter = weight * farther;
  }
  double farther = 1;
  double lost_scatter = 1;
};

}  // namespace

LinearExpert::LinearExpert(const MatrixXd& x, const VectorXd& labels, const VectorXd& weights, double ridge) {
  const MatrixXd design = with_intercept(x);
  MatrixXd normal = design.transpose() * weights.asDiagonal() * design;
  normal.diagonal().array() += ridge;
  const MatrixXd inverse = inverse_of(normal);
  slope = inverse * (design.transpose() * weights.cwiseProduct(labels));
  const Eigen::ArrayXd leverage = weights.cwiseProduct(squared_lengths(design, inverse));
  known = 2 * ((design * slope).array() - leverage * labels.array()) / (1 - leverage);
}

VectorXd LinearExpert::operator()(const MatrixXd& x) const {
  return 2 * (with_intercept(x) * slope);
}

QuadraticExpert::QuadraticExpert(const MatrixXd& x, const VectorXd& labels, const VectorXd& weights,
                                 double shrinkage)
    : known(VectorXd::Zero(x.rows())) {
  const auto columns = static_cast<double>(x.cols());
  const MatrixXd total = 0.5 * (MatrixXd::Identity(x.cols(), x.cols()) +
                                x.transpose() * weights.asDiagonal() * x / weights.sum());
  for (std::size_t c = 0; c < 2; ++c) {
    Class& here = classes[c];
    const VectorXd own = class_weights(labels, weights, signs[c]);
    const double count = own.sum();
    here.mean = own.transpose() * x / count;
    const MatrixXd centred = x.rowwise() - here.mean;
    // As if so many rows of all stood beside those of the class.
    const double prior = shrinkage * (count + 2 * columns);
    const Eigen::LLT<MatrixXd> factor((centred.transpose() * own.asDiagonal() * centred + prior * total) /
                                      (count + prior));
    here.inverse = factor.solve(MatrixXd::Identity(x.cols(), x.cols()));
    here.log_determinant = 2 * MatrixXd(factor.matrixL()).diagonal().array().log().sum();

    const VectorXd squares = squared_lengths(centred, here.inverse);
    for (Index i = 0; i < x.rows(); ++i) {
      double distance = squares[i], log_determinant = here.log_determinant;
      if (labels[i] == signs[c]) {
        const WithoutRow without(count, weights[i]);
        const double kept = (count - weights[i] + prior) / (count + prior);
        const double remaining = std::max(1 - without.lost_scatter * squares[i] / (count + prior), 1e-3);
        distance = without.farther * without.farther * kept * squares[i] / remaining;
        log_determinant += std::log(remaining) - columns * std::log(kept);
      }
      known[i] -= signs[c] * 0.5 * (distance + log_determinant);
    }
  }
}

VectorXd QuadraticExpert::operator()(const MatrixXd& x) const {
  VectorXd result = VectorXd::Zero(x.rows());
  for (std::size_t c = 0; c < 2; ++c) {
    const VectorXd squares = squared_lengths(x.rowwise() - classes[c].mean, classes[c].inverse);
    result.array() -= signs[c] * 0.5 * (squares.array() + classes[c].log_determinant);
  }
  return result;
}

NormalColumnsExpert::NormalColumnsExpert(const MatrixXd& x, const VectorXd& labels, const VectorXd& weights)
    : known(VectorXd::Zero(x.rows())) {
  constexpr double prior = 5;  // as if so many rows of variance 1 stood beside the class
  for (std::size_t c = 0; c < 2; ++c) {
    const VectorXd own = class_weights(labels, weights, signs[c]);
    const double count = own.sum();
    mean[c] = own.transpose() * x / count;
    const MatrixXd distances = (x.rowwise() - mean[c]).array().square();
    const RowVectorXd squares = own.transpose() * distances;
    variance[c] = (squares.array() + prior) / (count + prior);
    for (Index i = 0; i < x.rows(); ++i) {
      const auto distance = distances.row(i).array();
      if (labels[i] == signs[c]) {
        const WithoutRow without(count, weights[i]);
        const Eigen::ArrayXXd left =
            (squares.array() - without.lost_scatter * distance + prior) / (count - weights[i] + prior);
        known[i] -= signs[c] * 0.5 * (without.farther * without.farther * distance / left + left.log()).sum();
      } else {
        known[i] -= signs[c] * 0.5 * (distance / variance[c].array() + variance[c].array().log()).sum();
      }
    }
  }
}

VectorXd NormalColumnsExpert::operator()(const MatrixXd& x) const {
  VectorXd result = VectorXd::Zero(x.rows());
  for (std::size_t c = 0; c < 2; ++c) {
    const MatrixXd squares = (x.rowwise() - mean[c]).array().square().matrix();
    result -= signs[c] * 0.5 * (squares * variance[c].cwiseInverse().transpose());
    result.array() -= signs[c] * 0.5 * variance[c].array().log().sum();
  }
  return result;
}

BinnedExpert::BinnedExpert(const MatrixXd& ranks, const VectorXd& labels, const VectorXd& weights,
                           int bin_count)
    : bins(bin_count), known(VectorXd::Zero(ranks.rows())) {
  for (std::size_t c = 0; c < 2; ++c) {
    const VectorXd own = class_weights(labels, weights, signs[c]);
    counts[c] = bin_weights(ranks, own, bins);
    rows[c] = own.sum();
    for (Index j = 0; j < ranks.cols(); ++j) {
      for (Index i = 0; i < ranks.rows(); ++i) {
        const double others = std::max(counts[c](bin_of(ranks(i, j), bins), j) - own[i], 0.0);
        known[i] += signs[c] * std::log((others + 1) / (rows[c] - own[i] + bins));
      }
    }
  }
}

VectorXd BinnedExpert::operator()(const MatrixXd& ranks) const {
  VectorXd result = VectorXd::Zero(ranks.rows());
  for (std::size_t c = 0; c < 2; ++c) {
    for (Index j = 0; j < ranks.cols(); ++j) {
      for (Index i = 0; i < ranks.rows(); ++i) {
        result[i] += signs[c] * std::log((counts[c](bin_of(ranks(i, j), bins), j) + 1) / (rows[c] + bins));
      }
    }
  }
  return result;
}

StackExpert::StackExpert(const MatrixXd& scores, const VectorXd& labels, const VectorXd& weights,
                         double penalty)
    : slope(VectorXd::Zero(scores.cols())) {
  const VectorXd in_p = (labels.array() + 1) / 2;
  const auto hessian = [&](const VectorXd& curves) {
    MatrixXd result = scores.transpose() * curves.asDiagonal() * scores;
    result.diagonal().array() += penalty;
    return result;
  };
  for (int step = 0; step < newton_steps; ++step) {
    const VectorXd probability = probabilities(scores * slope);
    const VectorXd gradient = scores.transpose() * weights.cwiseProduct(in_p - probability) - penalty * slope;
    slope += hessian(curvature(probability, weights)).llt().solve(gradient);
  }
  const VectorXd log_odds = scores * slope;
  const VectorXd probability = probabilities(log_odds);
  const VectorXd curves = curvature(probability, weights);
  // Without the row itself, to first order.
  const Eigen::ArrayXd leverage =
      curves.cwiseProduct(squared_lengths(scores, inverse_of(hessian(curves)))).array().cwiseMin(0.9);
  const Eigen::ArrayXd residual = weights.array() * (in_p - probability).array() / curves.array();
  known = log_odds.array() - leverage / (1 - leverage) * residual;
}

Experts::Experts(ViewedRows context, const VectorXd& labels, const VectorXd& weights)
    : context_(std::move(context)), labels_(labels), weights_(weights) {
  JSDIV_ASSERT(context_.values.cols() > 0 && context_.values.rows() == labels.size());
  for (const double sign : signs) {
    const double factor =
        static_cast<double>(labels.size()) / (2 * class_weights(labels, weights, sign).sum());
    for (Index i = 0; i < labels.size(); ++i) {
      if (labels[i] == sign) weights_[i] *= factor;
    }
  }
  relevance_ = relevance_of(context_.ranks, labels, weights);

  for (const double ridge : ridges) linear_.emplace_back(context_.values, labels, weights_, ridge);
  linear_.emplace_back(context_.scores, labels, weights_, ridge_on_scores);
  for (const double shrinkage : shrinkages)
    quadratic_.emplace_back(context_.values, labels, weights, shrinkage);
  quadratic_.emplace_back(context_.scores, labels, weights, shrinkage_on_scores);
  normal_columns_.emplace_back(context_.values, labels, weights);
  for (const int bins : bin_counts) binned_.emplace_back(context_.ranks, labels, weights, bins);

  MatrixXd known(labels.size(), simple_experts);
  Index next = 0;
  const auto add = [&](const auto& experts) {
    for (const auto& expert : experts) known.col(next++) = expert.known;
  };
  add(linear_);
  add(quadratic_);
  add(normal_columns_);
  add(binned_);
  Nearness near = nearness(context_);
  near.squares.diagonal().setConstant(std::numeric_limits<double>::infinity());
  for (const Index count : neighbour_counts) known.col(next++) = votes(near.squares, count);
  for (std::size_t k = 0; k < kernels; ++k) {
    throw_if_interrupted();
    MatrixXd& gram = near.kernel[k];
    gram.array() += 1;  // an intercept
    gram.diagonal().array() += kernel_ridges[k] / weights_.array();
    const Eigen::LLT<Eigen::Ref<MatrixXd>> factor(gram);
    MatrixXd half =
        MatrixXd::Identity(gram.rows(), gram.rows());  // its columns' squares add up to the inverse
    factor.matrixL().solveInPlace(half);
    dual_[k] = half.transpose() * (half * labels);
    known.col(next++) =
        2 * (labels.array() - dual_[k].array() / half.colwise().squaredNorm().transpose().array());
  }
  known = flattened(known);

  of_context_.resize(labels.size(), expert_count);
  of_context_.leftCols(simple_experts) = known;
  for (std::size_t s = 0; s < stacks; ++s) {
    stacks_.emplace_back(known, labels, weights_, stack_penalties[s]);
    of_context_.col(simple_experts + static_cast<Index>(s)) = flattened(stacks_[s].known);
  }
}

Experts::Nearness Experts::nearness(const ViewedRows& rows) const {
  const Index columns = context_.ranks.cols();
  const RowVectorXd equal = RowVectorXd::Constant(columns, 1 / static_cast<double>(columns));
  const RowVectorXd root = (relevance_ * static_cast<double>(columns)).array().sqrt();
  Nearness near;
  near.squares = squared_distances(rows.scores, context_.scores);
  const auto sums = rank_sums(rows.ranks, context_.ranks, {equal, relevance_});
  const MatrixXd relevant =
      squared_distances(rows.scores * root.asDiagonal(), context_.scores * root.asDiagonal());
  near.kernel = {
      (1 + (rows.scores * context_.scores.transpose()).array() / static_cast<double>(columns)).square() / 2,
      gaussian_kernel(near.squares, columns, 4),
      gaussian_kernel(near.squares, columns, 1),
      (-6 * sums[0].distance.array()).exp(),
      sums[0].first,
      pair_kernel(sums[0], equal),
      gaussian_kernel(relevant, columns, 1),
      pair_kernel(sums[1], relevance_)};
  return near;
}

VectorXd Experts::votes(const MatrixXd& squares, Index count) const {
  const Index nearest = std::min(count, squares.cols() - 1);
  VectorXd result(squares.rows());
  for (Index i = 0; i < squares.rows(); ++i) {
    RowVectorXd ordered = squares.row(i);
    std::nth_element(ordered.begin(), ordered.begin() + (nearest - 1), ordered.end());
    // All rows that are as near as the last one count.
    const double limit = ordered[nearest - 1] * (1 + 1e-9) + 1e-12;
    std::array<double, 2> sums = {1, 1};
    for (Index k = 0; k < squares.cols(); ++k) {
      if (squares(i, k) <= limit) sums[labels_[k] > 0 ? 0 : 1] += weights_[k];
    }
    result[i] = std::log(sums[0] / sums[1]);
  }
  return result;
}

MatrixXd Experts::operator()(const ViewedRows& rows) const {
  MatrixXd scores(rows.values.rows(), expert_count);
  Index next = 0;
  const auto add = [&](const auto& experts, const MatrixXd& view, const MatrixXd& last_view) {
    for (const auto& expert : experts) {
      scores.col(next++) = expert(&expert == &experts.back() ? last_view : view);
    }
  };
  add(linear_, rows.values, rows.scores);
  add(quadratic_, rows.values, rows.scores);
  add(normal_columns_, rows.values, rows.values);
  add(binned_, rows.ranks, rows.ranks);
  const Nearness near = nearness(rows);
  for (const Index count : neighbour_counts) scores.col(next++) = votes(near.squares, count);
  for (std::size_t k = 0; k < kernels; ++k) {
    scores.col(next++) = 2 * ((near.kernel[k] * dual_[k]).array() + dual_[k].sum());
  }
  const MatrixXd simple = flattened(scores.leftCols(simple_experts));
  scores.leftCols(simple_experts) = simple;
  for (const StackExpert& stack : stacks_) scores.col(next++) = flattened(simple * stack.slope);
  return scores;
}

}  // namespace jsdiv::pfn
