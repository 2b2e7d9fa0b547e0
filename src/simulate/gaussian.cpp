#include "simulate/gaussian.hpp"

#include <Eigen/Cholesky>
#include <array>
#include <cmath>
#include <numbers>

#include "core/assert.hpp"
#include "core/symmetric_eigen.hpp"
#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {

Gaussian::Gaussian(Eigen::VectorXd mean, const Eigen::MatrixXd& covariance)
    : mean_(std::move(mean)), covariance_(covariance) {
  const Eigen::LLT<Eigen::MatrixXd> cholesky(covariance);
  JSDIV_ASSERT(cholesky.info() == Eigen::Success);
  factor_ = cholesky.matrixL();
  whitener_ = factor_.triangularView<Eigen::Lower>().solve(
      Eigen::MatrixXd::Identity(covariance.rows(), covariance.cols()));
  log_constant_ = -factor_.diagonal().array().log().sum() -
                  0.5 * static_cast<double>(mean_.size()) * std::log(2 * std::numbers::pi);
}

void Gaussian::draw(RandomStream& random, RowBlock& rows) const {
  RowBlock normals(rows.rows(), rows.cols());
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    for (Eigen::Index j = 0; j < rows.cols(); ++j) normals(i, j) = random.normal();
  }
  rows.noalias() = normals * factor_.transpose();
  rows.rowwise() += mean_.transpose();
}

void Gaussian::log_density(const RowBlock& rows, std::span<double> out) const {
  const RowBlock whitened = (rows.rowwise() - mean_.transpose()) * whitener_.transpose();
  Eigen::Map<Eigen::VectorXd>(out.data(), rows.rows()) =
      (log_constant_ - 0.5 * whitened.rowwise().squaredNorm().array()).matrix();
}

// In coordinates where P is N(0, I) and Q is N(shift, diag(variance)) the affinity ∫ p^a q^(1-a) is a product
// over coordinates of variance^(a/2) v^(-1/2) exp(-a (1-a) shift² / (2 v)), v = a variance + 1 - a. With a =
// 1/2 + it the real part of v is positive, so the principal branch is the right one.
double gaussian_jsd(const Gaussian& p, const Gaussian& q) {
  const auto factor = p.factor().triangularView<Eigen::Lower>();
  const Eigen::MatrixXd half_whitened = factor.solve(q.factor());
  const SymmetricEigen axes = symmetric_eigen(half_whitened * half_whitened.transpose());
  const Eigen::VectorXd& variances = axes.values;
  const Eigen::VectorXd whitened_shift = factor.solve(q.mean() - p.mean());
  const Eigen::VectorXd shifts = axes.vectors.transpose() * whitened_shift;
  return jsd_from_affinity([&](double t) {
    const std::complex<double> a(0.5, t);
    std::complex<double> log_affinity = 0;
    for (Eigen::Index j = 0; j < shifts.size(); ++j) {
      const std::complex<double> v = a * variances[j] + 1.0 - a;
      log_affinity +=
          0.5 * (a * std::log(variances[j]) - std::log(v) - a * (1.0 - a) * shifts[j] * shifts[j] / v);
    }
    return std::exp(log_affinity);
  });
}

namespace {

Pair gaussian_pair(Gaussian p, Gaussian q) {
  Pair pair;
  pair.columns = number_columns(static_cast<std::size_t>(p.mean().size()));
  pair.reference = {gaussian_jsd(p, q), 0, "quadrature"};
  pair.p = std::make_unique<Gaussian>(std::move(p));
  pair.q = std::make_unique<Gaussian>(std::move(q));
  return pair;
}

/// N(mean, A Aᵀ), where A has ones on its diagonal and entries drawn from {.03, .05, .07} off it.
Gaussian random_gaussian(RandomStream random, std::size_t d, bool random_mean) {
  constexpr std::array off_diagonal = {0.03, 0.05, 0.07};
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(d));
  Eigen::MatrixXd a = Eigen::MatrixXd::Identity(mean.size(), mean.size());
  for (Eigen::Index row = 0; row < a.rows(); ++row) {
    for (Eigen::Index col = 0; col < a.cols(); ++col) {
      if (row != col) a(row, col) = off_diagonal[random.below(off_diagonal.size())];
    }
  }
  if (random_mean) {
    for (double& entry : mean) entry = random.uniform();
  }
  return {std::move(mean), a * a.transpose()};
}

Pair random_gaussian_pair(std::uint64_t seed, std::size_t d) {
  const RandomStream random = RandomStream(seed).child("dimension").child("parameters");
  return gaussian_pair(random_gaussian(random.child("p"), d, true),
                       random_gaussian(random.child("q"), d, false));
}

}  // namespace

// P = N(0, I₂), Q = N(0, [[1, ρ], [ρ, 1]]).
Pair dependence_pair(const SimulateOptions& options) {
  const double rho = options.rho.value_or(0.9);
  if (!(std::abs(rho) < 1))
    throw InvalidInput(mention("rho") + " is " + std::to_string(rho) + "; it must lie between -1 and 1");
  const Eigen::Matrix2d correlation{{1, rho}, {rho, 1}};
  Pair pair = gaussian_pair({Eigen::Vector2d::Zero(), Eigen::Matrix2d::Identity()},
                            {Eigen::Vector2d::Zero(), correlation});
  pair.parameters = {{"rho", rho}};
  return pair;
}

// P = N(0, [[1, .25], [.25, 1]]), Q = N(gap·(1, −1), [[1.6, −.35], [−.35, .9]]). The caller sets |Q| =
// ratio·|P|.
Pair imbalance_pair(const SimulateOptions& options) {
  const double gap = option_in_range("gap", options.gap, 0.7, -1000, 1000);
  const Eigen::Matrix2d covariance_p{{1, 0.25}, {0.25, 1}};
  const Eigen::Matrix2d covariance_q{{1.6, -0.35}, {-0.35, 0.9}};
  Pair pair =
      gaussian_pair({Eigen::Vector2d::Zero(), covariance_p}, {Eigen::Vector2d(gap, -gap), covariance_q});
  pair.parameters = {{"gap", gap}};
  return pair;
}

// P = N(μ, A Aᵀ) with μ uniform in [0, 1]^d, Q = N(0, B Bᵀ): μ, A and B belong to the seed, and so does the
// truth.
Pair dimension_pair(const SimulateOptions& options) {
  const std::size_t d = option_in_range("d", options.d, 10, 1, 1000);
  Pair pair = random_gaussian_pair(options.seed, d);
  pair.parameters = {{"d", std::uint64_t{d}}};
  return pair;
}

Pair gaussian10_pair(const SimulateOptions& options) {
  return random_gaussian_pair(options.seed, 10);
}

}  // namespace jsdiv::simulate_detail
