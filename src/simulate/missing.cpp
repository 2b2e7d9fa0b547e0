#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {
namespace {

constexpr double income_slope = 0.6, income_sd = 0.8;  // income has variance 1
constexpr double income_limit = 0.6, income_softness = 0.25;
constexpr double spend_width = 0.6, lowest_rate = 0.05, rate_range = 0.9;

double normal_cdf(double z) {
  return std::erfc(-z / std::numbers::sqrt2) / 2;
}

double normal_density(double z) {
  return std::exp(-0.5 * z * z) / std::sqrt(2 * std::numbers::pi);
}

/// Probability of a missing income, given the income itself or, once that is integrated out, the spending.
double informative_income_rate(double income) {
  return normal_cdf((income - income_limit) / income_softness);
}
double informative_income_rate_given_spend(double spend) {
  return normal_cdf((income_slope * spend - income_limit) / std::hypot(income_softness, income_sd));
}
double informative_score_rate(double spend) {
  return lowest_rate + rate_range * -std::expm1(-0.5 * spend * spend / (spend_width * spend_width));
}

/// The same rates over the whole table.
double income_rate() {
  return normal_cdf(-income_limit / std::hypot(income_softness, 1));
}
double score_rate() {
  return lowest_rate + rate_range * (1 - spend_width / std::hypot(spend_width, 1));
}

/// Columns spend, income, score. The measure of a row is, for each pattern of missing cells, the distribution
/// of the complete table's observed cells; so the density is the probability of the pattern given what is
/// observed.
class PartlyMissing final : public RowwiseDistribution {
 public:
  explicit PartlyMissing(bool informative) : informative_(informative) {}

  double probability_of_income(double income) const {
    return informative_ ? normal_cdf((income_limit - income) / income_softness) : 1 - income_rate();
  }
  double probability_of_no_income(double spend) const {
    return informative_ ? informative_income_rate_given_spend(spend) : income_rate();
  }
  double probability_of_no_score(double spend) const {
    return informative_ ? informative_score_rate(spend) : score_rate();
  }

 private:
  void draw_row(RandomStream& random, std::span<double> row) const override {
    constexpr double missing = std::numeric_limits<double>::quiet_NaN();
    const double spend = random.normal();
    const double income = income_slope * spend + income_sd * random.normal();
    const double score = random.normal() - 0.5 * spend;
    const double no_income = informative_ ? informative_income_rate(income) : income_rate();
    row[0] = spend;
    row[1] = random.uniform() < no_income ? missing : income;
    row[2] = random.uniform() < probability_of_no_score(spend) ? missing : score;
  }

  double log_density_of_row(std::span<const double> row) const override {
    const double spend = row[0], income = row[1], score = row[2];
    const double no_score = probability_of_no_score(spend);
    return std::log(std::isnan(income) ? probability_of_no_income(spend) : probability_of_income(income)) +
           std::log(std::isnan(score) ? no_score : 1 - no_score);
  }

  bool informative_;
};

}  // namespace

// Complete rows are alike: spend ~ N(0, 1), income ~ N(.6 spend, .8²), score ~ N(−.5 spend, 1). In P an
// income is missing with probability Φ((income − .6)/.25), so that high incomes are kept back, and a score
// with probability .05 + .9 (1 − exp(−spend²/(2·.6²))), so that unusual spenders have none. In Q both are
// missing at the same overall rates, at random.
Pair missing_pair(const SimulateOptions&) {
  auto p = std::make_unique<PartlyMissing>(true);
  auto q = std::make_unique<PartlyMissing>(false);
  double jsd = 0;
  for (const Node& spend : trapezoidal_nodes(-9, 9, 400)) {
    const double mass = normal_density(spend.x) * spend.weight;
    const double no_score_p = p->probability_of_no_score(spend.x),
                 no_score_q = q->probability_of_no_score(spend.x);
    for (const auto& [score_p, score_q] :
         {std::pair(no_score_p, no_score_q), std::pair(1 - no_score_p, 1 - no_score_q)}) {
      jsd += jsd_of_masses(mass * score_p * p->probability_of_no_income(spend.x),
                           mass * score_q * q->probability_of_no_income(spend.x));
      for (const Node& z : trapezoidal_nodes(-9, 9, 400)) {
        const double income = income_slope * spend.x + income_sd * z.x;
        const double cell = mass * normal_density(z.x) * z.weight;
        jsd += jsd_of_masses(cell * score_p * p->probability_of_income(income),
                             cell * score_q * q->probability_of_income(income));
      }
    }
  }
  Pair pair;
  for (const char* name : {"spend", "income", "score"}) pair.columns.push_back({name});
  pair.p = std::move(p);
  pair.q = std::move(q);
  pair.reference = {jsd, 0, "quadrature"};
  return pair;
}

}  // namespace jsdiv::simulate_detail
