#include "simulate/split.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/content_hash.hpp"
#include "core/format.hpp"
#include "core/numeric.hpp"
#include "jsdiv/error.hpp"
#include "simulate/kinds.hpp"
#include "simulate/reference.hpp"

namespace jsdiv::simulate_detail {
namespace {

constexpr double default_jsd = 0.3;
/// Log-odds that change by more within a thousandth of g's standard deviation are a matter of rounding, not
/// of tables: what is not reached at this strength counts as out of reach.
constexpr double strongest = 1024;

std::vector<double> scaled(std::span<const double> log_ratio, double strength) {
  std::vector<double> result(log_ratio.begin(), log_ratio.end());
  for (double& value : result) value *= strength;
  return result;
}

KnownPosterior posterior_at(std::span<const double> log_ratio, double strength) {
  KnownPosterior posterior{.strength = strength, .log_odds = scaled(log_ratio, strength)};
  posterior.offset = balancing_offset(posterior.log_odds);
  Moments bits;
  for (double& value : posterior.log_odds) bits.add(bits_at_log_ratio(value += posterior.offset));
  posterior.jsd = bits.mean;
  return posterior;
}

/// Rows that fall to one table, in random order, cut to the size that was asked for.
std::vector<std::size_t> take_rows(std::vector<std::size_t> rows, std::optional<std::size_t> wanted,
                                   char table, const RandomStream& random) {
  if (rows.size() < wanted.value_or(1)) {
    throw InvalidInput("only " + std::to_string(rows.size()) + " of the base table's rows are assigned to " +
                       table + ", which needs " + std::to_string(wanted.value_or(1)) +
                       "; ask for fewer rows, or use a larger base table");
  }
  RandomStream draw = random;
  draw.shuffle(std::span(rows));
  rows.resize(wanted.value_or(rows.size()));
  return rows;
}

}  // namespace

double balancing_offset(std::span<const double> log_ratio, double share_p) {
  const auto [least, greatest] = std::ranges::minmax_element(log_ratio);
  // The mean posterior is at most share_p at the low end, at least share_p at the high one.
  double low = logit(share_p) - *greatest, high = logit(share_p) - *least;
  double offset = low + (high - low) / 2;
  const auto rows = static_cast<double>(log_ratio.size());
  for (double step = 1; offset > low && offset < high && step != 0;) {
    double sum = 0, slope = 0;
    for (const double value : log_ratio) {
      const double posterior = sigmoid(value + offset);
      sum += posterior;
      slope += posterior * (1 - posterior);
    }
    const double excess = sum - rows * share_p;
    if (excess == 0) break;
    (excess > 0 ? high : low) = offset;
    // Newton's step where it stays well inside the bracket, else the middle.
    double next = offset - excess / slope;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    step = next - offset;
    if (std::abs(step) <= 1e-15 * std::max(1.0, std::abs(offset))) break;
    offset = next;
  }
  return offset;
}

double strength_with_jsd(const std::function<double(double strength)>& jsd_at, double wanted) {
  if (wanted == 0) return 0;
  double low = 0, strength = 1;
  double jsd = jsd_at(strength);
  while (jsd < wanted && strength < strongest) {
    low = strength;
    strength *= 2;
    jsd = jsd_at(strength);
  }
  if (jsd < wanted) return strength;
  constexpr double tolerance = 1e-10;
  double high = strength;
  while (std::abs(jsd - wanted) > tolerance) {
    const double middle = low + (high - low) / 2;
    if (middle <= low || middle >= high) break;
    strength = middle;
    jsd = jsd_at(strength);
    (jsd > wanted ? high : low) = strength;
  }
  return strength;
}

KnownPosterior posterior_with_jsd(std::span<const double> log_ratio, double wanted) {
  const auto jsd_at = [&](double strength) { return posterior_at(log_ratio, strength).jsd; };
  return posterior_at(log_ratio, strength_with_jsd(jsd_at, wanted));
}

Simulation draw_split(const Table& base, const KnownPosterior& posterior, const SplitSizes& sizes,
                      const RandomStream& random) {
  std::vector<std::size_t> rows_p, rows_q;
  RandomStream labels = random.child("labels");
  for (std::size_t row = 0; row < base.rows; ++row) {
    (labels.uniform() < sigmoid(posterior.log_odds[row]) ? rows_p : rows_q).push_back(row);
  }
  rows_p = take_rows(std::move(rows_p), sizes.n, 'P', random.child("p"));
  rows_q = take_rows(std::move(rows_q), sizes.n_q, 'Q', random.child("q"));

  Simulation result;
  result.p = table_of_rows(base, rows_p);
  result.q = table_of_rows(base, rows_q);
  Moments of_p, of_q;
  for (const std::size_t row : rows_p) {
    result.posteriors.push_back(sigmoid(posterior.log_odds[row]));
    of_p.add(1 - nats_to_bits(log1p_exp(-posterior.log_odds[row])));
  }
  for (const std::size_t row : rows_q) {
    result.posteriors.push_back(sigmoid(posterior.log_odds[row]));
    of_q.add(1 - nats_to_bits(log1p_exp(posterior.log_odds[row])));
  }
  Truth& truth = result.truth;
  truth.jsd = posterior.jsd;
  truth.method = "enumeration";
  truth.oracle = (of_p.mean + of_q.mean) / 2;
  truth.oracle_standard_error = std::sqrt(of_p.variance_of_mean() + of_q.variance_of_mean()) / 2;
  truth.parameters = {{"n", std::uint64_t{rows_p.size()}}, {"n_q", std::uint64_t{rows_q.size()}}};
  return result;
}

Table table_of_rows(const Table& base, std::span<const std::size_t> rows) {
  Table table;
  table.rows = rows.size();
  for (const Column& source : base.columns) {
    Column column{source.name, source.type, {}, source.levels};
    column.values.reserve(rows.size());
    for (const std::size_t row : rows) column.values.push_back(source.values[row]);
    table.columns.push_back(std::move(column));
  }
  table.sha256 = content_hash(table);
  return table;
}

double wanted_jsd(const SimulateOptions& options, double fallback) {
  const double wanted = options.jsd.value_or(fallback);
  if (wanted >= 0 && wanted < 1) return wanted;
  throw InvalidInput(format(
      "jsd is %g; it must be at least 0 and less than 1, which only tables with no values in common reach",
      wanted));
}

void check_base(const Table& base) {
  if (base.columns.empty()) throw InvalidInput("the base table has no columns");
  if (base.rows < 2) {
    throw InvalidInput("the base table has " + std::to_string(base.rows) +
                       (base.rows == 1 ? " row" : " rows") + "; a split needs at least 2");
  }
}

[[noreturn]] void throw_out_of_reach(double wanted, double highest) {
  throw InvalidInput(
      format("no split of this base table by such a log-ratio has a JSD of %g; the highest is %.4g; ask for "
             "less, or use a base table with more distinct rows",
             wanted, highest));
}

Simulation split_pair(const SimulateOptions& options) {
  if (!options.base) throw InvalidInput("split needs a base table whose rows it assigns to P and Q");
  const Table& base = *options.base;
  check_base(base);
  const double wanted = wanted_jsd(options, default_jsd);
  const RandomStream random = RandomStream(options.seed).child("split");
  const CellView cells = view_cells(base, random.child("cells"));

  // A kind that was drawn, not asked for, makes way for another one if it cannot reach the wanted JSD.
  std::vector<std::string_view> candidates = {options.log_ratio.value_or("")};
  if (!options.log_ratio) {
    candidates = names_of(log_ratios(), kinds_to_draw(options));
    RandomStream order = random.child("kind");
    order.shuffle(std::span(candidates));
  }
  double highest = 0;
  for (const std::string_view name : candidates) {
    const LogRatioKind& kind = find_log_ratio(name);
    const auto log_ratio = draw_log_ratio(kind, cells, random.child("log-ratio"));
    const KnownPosterior posterior = posterior_with_jsd(log_ratio, wanted);
    highest = std::max(highest, posterior.jsd);
    if (std::abs(posterior.jsd - wanted) > 1e-9) continue;
    SplitSizes sizes{options.n, options.n_q};
    if (options.n && !options.n_q) sizes.n_q = ratio_of_rows(*options.n, options.ratio.value_or(1));
    if (!options.n && options.ratio)
      throw InvalidInput("ratio sets the rows of Q relative to those of P; give n too");
    Simulation result = draw_split(base, posterior, sizes, random.child("rows"));
    result.truth.parameters.insert(result.truth.parameters.end(), {{"seed", options.seed},
                                                                   {"base", base.source},
                                                                   {"base_rows", std::uint64_t{base.rows}},
                                                                   {"log_ratio", std::string(kind.name)},
                                                                   {"strength", posterior.strength},
                                                                   {"offset", posterior.offset}});
    return result;
  }
  throw_out_of_reach(wanted, highest);
}

}  // namespace jsdiv::simulate_detail
