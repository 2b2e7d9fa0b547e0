#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"
#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {
namespace {

/// The d-variate Student t distribution whose correlations all equal rho.
class StudentT final : public RowwiseDistribution {
 public:
  StudentT(std::size_t d, double rho, double df) : rho_(rho), df_(df), d_(static_cast<double>(d)) {
    common_variance_ = 1 + (d_ - 1) * rho;
    own_ = std::sqrt(1 - rho);
    shared_ = (std::sqrt(common_variance_) - own_) / d_;
    log_constant_ = std::lgamma((df + d_) / 2) - std::lgamma(df / 2) -
                    d_ / 2 * std::log(df * std::numbers::pi) -
                    ((d_ - 1) * std::log1p(-rho) + std::log(common_variance_)) / 2;
  }

  double log_density_of_row(std::span<const double> row) const override {
    double sum = 0, squares = 0;
    for (const double x : row) sum += x, squares += x * x;
    const double distance = (squares - rho_ / common_variance_ * sum * sum) / (1 - rho_);
    return log_constant_ - (df_ + d_) / 2 * std::log1p(distance / df_);
  }

 private:
  // own·z + shared·Σz has unit variances and correlations rho, negative ones included.
  void draw_row(RandomStream& random, std::span<double> row) const override {
    double sum = 0;
    for (double& x : row) sum += x = random.normal();
    const double scale = std::sqrt(df_ / (2 * random.gamma(df_ / 2)));
    for (double& x : row) x = scale * (own_ * x + shared_ * sum);
  }

  double rho_, df_, d_, common_variance_, own_, shared_, log_constant_;
};

/// Independent columns, each Student t.
class IndependentT final : public RowwiseDistribution {
 public:
  explicit IndependentT(double df) : df_(df), marginal_(1, 0, df) {}

  double log_density_of_row(std::span<const double> row) const override {
    double sum = 0;
    for (const double& x : row) sum += marginal_.log_density_of_row({&x, 1});
    return sum;
  }

 private:
  // Bailey's polar method (Mathematics of Computation 62, 1994).
  void draw_row(RandomStream& random, std::span<double> row) const override {
    for (double& x : row) {
      const double radius = std::sqrt(df_ * (std::pow(1 - random.uniform(), -2 / df_) - 1));
      x = radius * std::cos(2 * std::numbers::pi * random.uniform());
    }
  }

  double df_;
  StudentT marginal_;
};

/// In the plane: trapezoidal in y with x = sinh(y), under which the tails fall like exp(−df·|y|).
double plane_t_jsd(const StudentT& p, const IndependentT& q, double df) {
  constexpr std::size_t nodes = 1000;
  const double reach = std::asinh(std::sqrt(df) * std::pow(10, 14 / df));
  const std::vector<Node> axis = trapezoidal_nodes(-reach, reach, nodes);
  std::vector<double> slices(nodes);
  parallel_for(nodes, [&](std::size_t i) {
    for (const Node& inner : axis) {
      const std::array row = {std::sinh(axis[i].x), std::sinh(inner.x)};
      const double volume = std::cosh(axis[i].x) * axis[i].weight * std::cosh(inner.x) * inner.weight;
      slices[i] += jsd_of_masses(std::exp(p.log_density_of_row(row)) * volume,
                                 std::exp(q.log_density_of_row(row)) * volume);
    }
  });
  double sum = 0;
  for (const double slice : slices) sum += slice;
  return sum;
}

}  // namespace

// P: the t copula with t marginals (the multivariate t with equal correlations rho). Q: the same t marginals,
// independent. Marginals agree and are heavy-tailed; the tails of P go together even at rho = 0. Independence
// as the opponent gives 0.26 at the defaults; a Gaussian copula of the same rho gives 0.08, hardly more than
// an estimator's error.
Pair t_copula_pair(const SimulateOptions& options) {
  const double df = option_in_range("df", options.df, 3, 0.5, 1000);
  const std::size_t d = option_in_range("d", options.d, 5, 2, 500);
  const double rho = options.rho.value_or(0.5);
  const double lowest = -1 / (static_cast<double>(d) - 1);
  if (!(rho > lowest && rho < 1)) {
    throw InvalidInput(mention("rho") + " is " + std::to_string(rho) + "; with " + std::to_string(d) +
                       " columns it must lie between " + std::to_string(lowest) + " and 1, both excluded");
  }
  auto p = std::make_unique<StudentT>(d, rho, df);
  auto q = std::make_unique<IndependentT>(df);
  Pair pair;
  pair.columns = number_columns(d);
  // Beyond that correlation the ridge of P is too thin for the grid.
  if (d == 2 && std::abs(rho) <= 0.95) {
    pair.reference = {plane_t_jsd(*p, *q, df), 0, "quadrature"};
  } else {
    pair.reference = monte_carlo_reference(*p, *q, d);
  }
  pair.p = std::move(p);
  pair.q = std::move(q);
  pair.parameters = {{"rho", rho}, {"df", df}, {"d", std::uint64_t{d}}};
  return pair;
}

namespace {

constexpr std::size_t broken_columns = 20;
constexpr double concentration = 0.7;
/// Column j and column j + 10 of P are dependent for j below the number of shapes. The shape counts how often
/// the second one crosses its range while the first one crosses its own once: a V is 2, an N 3.
constexpr std::array shapes = {2.0, 2.0, 3.0};

/// 2π times the density of the wrapped Cauchy distribution.
double wrapped_cauchy(double angle) {
  return (1 - concentration * concentration) /
         (1 + concentration * concentration - 2 * concentration * std::cos(angle));
}

/// Density of (a, b), both uniform on [0, π], where b is a plus wrapped Cauchy noise, folded back into [0,
/// π].
double folded_density(double a, double b) {
  return (wrapped_cauchy(b - a) + wrapped_cauchy(b + a)) / 2;
}

/// Marginals by column: exponential, logistic, uniform, log-logistic.
double quantile(std::size_t column, double u) {
  u = std::clamp(u, 0x1.0p-54, 1 - 0x1.0p-53);  // the ends have probability 0, but a generator reaches them
  switch (column % 4) {
    case 0:
      return -std::log1p(-u);
    case 1:
      return logit(u);
    case 2:
      return u;
    default:
      return u / (1 - u);
  }
}

double distribution_function(std::size_t column, double x) {
  switch (column % 4) {
    case 0:
      return -std::expm1(-x);
    case 1:
      return sigmoid(x);
    case 2:
      return x;
    default:
      return x / (1 + x);
  }
}

/// Densities are against the product of the marginals, which is the independent table itself.
class FoldedPairs final : public RowwiseDistribution {
 public:
  explicit FoldedPairs(bool dependent) : dependent_(dependent) {}

 private:
  void draw_row(RandomStream& random, std::span<double> row) const override {
    std::array<double, broken_columns> u;
    for (double& value : u) value = random.uniform();
    for (std::size_t j = 0; dependent_ && j < shapes.size(); ++j) {
      double& second = u[j + broken_columns / 2];
      const double noise = 2 * std::atan((1 - concentration) / (1 + concentration) *
                                         std::tan(std::numbers::pi * (second - 0.5)));
      const double angle = std::numbers::pi * shapes[j] * u[j] + noise;
      second = std::abs(std::remainder(angle, 2 * std::numbers::pi)) / std::numbers::pi;
    }
    for (std::size_t j = 0; j < broken_columns; ++j) row[j] = quantile(j, u[j]);
  }

  double log_density_of_row(std::span<const double> row) const override {
    if (!dependent_) return 0;
    double product = 1;
    for (std::size_t j = 0; j < shapes.size(); ++j) {
      const std::size_t second = j + broken_columns / 2;
      product *= folded_density(std::numbers::pi * shapes[j] * distribution_function(j, row[j]),
                                std::numbers::pi * distribution_function(second, row[second]));
    }
    return std::log(product);
  }

  bool dependent_;
};

}  // namespace

// Twenty columns with exponential, logistic, uniform and log-logistic marginals, the same in P and Q. In Q
// they are independent; in P three pairs (u, v), in terms of their ranks, follow
//     π v = |π s u + noise|, folded into [0, π],
// with wrapped Cauchy noise of concentration .7 and s = 2, 2, 3: shapes like V and N, of which correlations
// see little. Folding keeps v uniform. Each pair has the same affinity, because a = π s u mod folding is
// uniform for every whole s; the pairs are independent, so the affinities multiply.
Pair broken_pair(const SimulateOptions&) {
  const std::vector<Node> angles = trapezoidal_nodes(0, std::numbers::pi, 96);
  BlockAffinity block;
  for (const Node& a : angles) {
    for (const Node& b : angles) {
      const double volume = a.weight * b.weight / (std::numbers::pi * std::numbers::pi);
      block.add(folded_density(a.x, b.x) * volume, volume);
    }
  }
  Pair pair;
  pair.columns = number_columns(broken_columns);
  pair.p = std::make_unique<FoldedPairs>(true);
  pair.q = std::make_unique<FoldedPairs>(false);
  pair.reference = {
      jsd_from_affinity([&](double t) { return std::pow(block(t), static_cast<int>(shapes.size())); }), 0,
      "quadrature"};
  return pair;
}

}  // namespace jsdiv::simulate_detail
