#include "measure/divergences.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "measure/pareto_tail.hpp"

namespace jsdiv {
namespace {

/// Beyond this the rows where the tables overlap are too few to show the ratio of their densities.
constexpr double largest_overlapping_auc = 0.999;

/// Where the cap holds more of a table than this, it holds the value back.
constexpr double largest_share_at_cap = 0.01;

/// Terms whose mean over P plus mean over Q is the divergence.
template <typename TermOfP, typename TermOfQ>
Measured measure(std::span<const double> log_odds, const HeldOutRows& rows, const TermOfP& term_of_p,
                 const TermOfQ& term_of_q) {
  std::vector<double> terms(log_odds.size());
  for (std::size_t row = 0; row < terms.size(); ++row) {
    terms[row] = rows.labels[row] == 1 ? term_of_p(log_odds[row]) : term_of_q(log_odds[row]);
  }
  return sum_of_class_means(terms, rows);
}

double right_side(double margin) {
  return margin > 0 ? 1.0 : margin == 0 ? 0.5 : 0.0;
}

Measured kl_divergence(std::span<const double> log_odds, const HeldOutRows& rows, std::uint8_t first) {
  std::vector<double> terms(log_odds.size());
  for (std::size_t row = 0; row < terms.size(); ++row) {
    const double log_ratio = first == 1 ? log_odds[row] : -log_odds[row];
    terms[row] = nats_to_bits(rows.labels[row] == first ? log_ratio : -std::expm1(log_ratio));
  }
  return sum_of_class_means(terms, rows);
}

/// Share of the table's weight at log-odds that the cap holds on the table's own side.
double share_at_cap(std::span<const double> log_odds, const HeldOutRows& rows, std::uint8_t label,
                    double cap) {
  const std::vector<double> shares = class_shares(rows);
  double share = 0;
  for (std::size_t row = 0; row < log_odds.size(); ++row) {
    const double own_side = label == 1 ? log_odds[row] : -log_odds[row];
    if (rows.labels[row] == label && own_side >= cap) share += shares[row];
  }
  return share;
}

/// Whether the mean over a table of exp(power * z) is more than its rows can show: what each draw (row, or
/// group of rows) adds to it has too heavy a tail.
bool tail_is_unseen(std::span<const double> log_odds, const HeldOutRows& rows, std::uint8_t label,
                    double power) {
  const Clusters clusters = clusters_of(rows);
  const std::vector<double> shares = class_shares(rows);
  std::vector<double> sums(clusters.count, -1);
  for (std::size_t row = 0; row < log_odds.size(); ++row) {
    if (rows.labels[row] != label || shares[row] == 0) continue;
    double& sum = sums[clusters.of_row[row]];
    sum = std::max(sum, 0.0) + shares[row] * std::exp(power * log_odds[row]);
  }
  std::erase(sums, -1);
  return tail_shape(sums) > largest_trusted_shape(sums.size());
}

Warning disjoint_supports(const std::string& what, char table, double at_cap) {
  return {"disjoint_supports",
          what + " is not reported: " + std::to_string(std::lround(100 * at_cap)) + " % of " + table +
              "'s rows lie where the classifiers expect no rows of the other table, so it "
              "is infinite or cannot be estimated from these rows"};
}

}  // namespace

Measured auc_with_error(std::span<const double> scores, const HeldOutRows& rows) {
  JSDIV_ASSERT(scores.size() == rows.labels.size());
  const std::vector<double> shares = class_shares(rows);
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t row) { return scores[row]; });
  // placement: for a row of P the share of Q below it, for a row of Q the share of P above it; ties half.
  std::vector<double> placement(scores.size());
  std::array<double, 2> below{};
  for (std::size_t begin = 0; begin < order.size();) {
    std::array<double, 2> tied{};
    std::size_t end = begin;
    for (; end < order.size() && scores[order[end]] == scores[order[begin]]; ++end) {
      tied[rows.labels[order[end]]] += shares[order[end]];
    }
    JSDIV_ASSERT(end > begin);  // a NaN is no score
    for (std::size_t i = begin; i < end; ++i) {
      placement[order[i]] =
          rows.labels[order[i]] == 1 ? below[0] + 0.5 * tied[0] : 1 - below[1] - 0.5 * tied[1];
    }
    below[0] += tied[0];
    below[1] += tied[1];
    begin = end;
  }
  double auc = 0;
  for (std::size_t row = 0; row < scores.size(); ++row) {
    if (rows.labels[row] == 1) auc += shares[row] * placement[row];
  }
  std::vector<double> influence(scores.size());
  for (std::size_t row = 0; row < scores.size(); ++row) influence[row] = shares[row] * (placement[row] - auc);
  return {auc, influence_standard_error(influence, rows)};
}

Divergences divergences_from_log_odds(std::span<const double> log_odds, const HeldOutRows& rows, double cap) {
  JSDIV_ASSERT(log_odds.size() == rows.labels.size() && cap > 0);
  Divergences result;
  const auto half_right_p = [](double z) { return 0.5 * right_side(z); };
  const auto half_right_q = [](double z) { return 0.5 * right_side(-z); };
  const auto half_squared_margin = [](double z) { return 0.5 * std::pow(sigmoid(z) - 0.5, 2); };
  result.auc = auc_with_error(log_odds, rows);
  result.accuracy = measure(log_odds, rows, half_right_p, half_right_q);
  result.total_variation = {2 * result.accuracy->value - 1, 2 * result.accuracy->standard_error};
  result.pmse = measure(log_odds, rows, half_squared_margin, half_squared_margin);
  // 1 - e^(-z/2) instead of a constant of 1, so that nothing is lost where both means are near 1.
  result.hellinger = measure(
      log_odds, rows, [](double z) { return -0.5 * std::expm1(-0.5 * z); },
      [](double z) { return -0.5 * std::expm1(0.5 * z); });

  if (result.auc->value > largest_overlapping_auc) {
    result.warnings.push_back({"disjoint_supports",
                               "KL(P || Q), KL(Q || P) and chi2 are not reported: practically all rows (AUC "
                               "above 0.999) lie where the classifiers expect no rows of the other table, so "
                               "they are infinite or cannot be estimated from these rows"});
    return result;
  }
  const double p_at_cap = share_at_cap(log_odds, rows, 1, cap);
  const double q_at_cap = share_at_cap(log_odds, rows, 0, cap);
  if (p_at_cap >= 0.5) {
    result.warnings.push_back(disjoint_supports("KL(P || Q), and with it chi2,", 'P', p_at_cap));
  } else {
    const bool held_back = p_at_cap > largest_share_at_cap;
    result.kl_pq = kl_divergence(log_odds, rows, 1);
    result.kl_pq->at_least = held_back || tail_is_unseen(log_odds, rows, 0, 1);
    result.chi2 = measure(
        log_odds, rows, [](double z) { return 2 * std::expm1(z); },
        [](double z) { return -std::expm1(2 * z); });
    result.chi2->at_least =
        held_back || tail_is_unseen(log_odds, rows, 0, 2) || tail_is_unseen(log_odds, rows, 1, 1);
  }
  if (q_at_cap >= 0.5) {
    result.warnings.push_back(disjoint_supports("KL(Q || P)", 'Q', q_at_cap));
  } else {
    result.kl_qp = kl_divergence(log_odds, rows, 0);
    result.kl_qp->at_least = q_at_cap > largest_share_at_cap || tail_is_unseen(log_odds, rows, 1, -1);
  }
  return result;
}

}  // namespace jsdiv
