#include "jsdiv/simulate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/assert.hpp"
#include "core/content_hash.hpp"
#include "core/format.hpp"
#include "core/message.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "simulate/kinds.hpp"
#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"
#include "simulate/split.hpp"

namespace jsdiv {
namespace {

using namespace simulate_detail;

/// One row of the registry.
struct Scenario {
  ScenarioInfo info;
  Pair (*pair)(const SimulateOptions&);  ///< two distributions, of which rows are drawn
  double default_ratio = 1;              ///< |Q| / |P| where the caller gives neither n_q nor ratio
  Simulation (*split)(const SimulateOptions&) = nullptr;  ///< or one table, whose rows are given to P and Q
};

const std::vector<Scenario>& registry() {
  static const std::vector<Scenario> rows = {
      {{"dependence", "standard Gaussians: independent against correlated (rho)", {"rho"}}, dependence_pair},
      {{"imbalance", "Gaussians with different means and covariances, |Q| = ratio |P|", {"gap", "ratio"}},
       imbalance_pair},
      {{"dimension", "random Gaussians in d dimensions, new for each seed", {"d"}}, dimension_pair},
      {{"finite", "a Gaussian mixture against one fitted to fit_rows of its points", {"fit_rows"}},
       finite_pair},
      {{"gaussian10", "dimension with d = 10", {}}, gaussian10_pair},
      {{"gmm2", "two mixtures of two round Gaussians in the plane", {}}, gmm2_pair},
      {{"xor", "two binary columns, equal against opposite", {}}, xor_pair},
      {{"t-copula",
        "heavy-tailed dependent columns against the same columns made independent",
        {"rho", "df", "d"}},
       t_copula_pair},
      {{"rings", "concentric rings in the plane against rings with other radii", {}}, rings_pair},
      {{"mixture", "two mixtures of five Gaussians in four dimensions", {}}, mixture_pair},
      {{"discrete", "categories, integers and booleans of two Bayesian networks", {}}, discrete_pair},
      {{"xor3", "a noisy parity of three binary columns among irrelevant ones", {}}, xor3_pair},
      {{"missing", "cells missing for a reason against cells missing at random", {}}, missing_pair},
      {{"lattice", "shifted columns, one of them rounded in some of Q's rows", {}}, lattice_pair},
      {{"broken", "20 columns with equal marginals: non-linear pairs against independent columns", {}},
       broken_pair},
      {{"demo", "customers against a synthetic twin with equal marginals but no dependence", {}},
       demo_pair,
       0.75},
      {{"split",
        "rows of your own table, assigned to P and Q with known probabilities",
        {"base", "log_ratio", "jsd", "ratio", "kinds"}},
       nullptr,
       1,
       split_pair},
      {{"random",
        "a pair from the population that the intervals are calibrated on, chosen by seed "
        "(docs/population.md)",
        {"base", "log_ratio", "jsd", "ratio", "d", "kinds"}},
       nullptr,
       1,
       random_pair},
  };
  return rows;
}

const Scenario& find_scenario(std::string_view name) {
  const auto found = std::ranges::find(registry(), name, [](const Scenario& row) { return row.info.name; });
  if (found != registry().end()) return *found;
  std::vector<std::string> known;
  for (const std::string_view scenario : scenario_names()) known.emplace_back(scenario);
  throw InvalidInput(unknown_name("scenario", name, known));
}

void reject_options_not_taken(const ScenarioInfo& info, const SimulateOptions& options) {
  const std::array given = {
      std::pair("rho", options.rho.has_value()),     std::pair("gap", options.gap.has_value()),
      std::pair("ratio", options.ratio.has_value()), std::pair("df", options.df.has_value()),
      std::pair("d", options.d.has_value()),         std::pair("fit_rows", options.fit_rows.has_value()),
      std::pair("jsd", options.jsd.has_value()),     std::pair("log_ratio", options.log_ratio.has_value()),
      std::pair("kinds", options.kinds.has_value()), std::pair("base", options.base != nullptr)};
  for (const auto& [name, present] : given) {
    if (!present || std::ranges::find(info.options, name) != info.options.end()) continue;
    Message message = "scenario " + quoted(info.name) + " does not take " + mention(name) + "; it takes " +
                      mention("n") + ", " + mention("n_q") + ", " + mention("seed");
    for (const std::string_view taken : info.options) message += ", " + mention(taken);
    throw InvalidInput(std::move(message), {.option = name});
  }
}

constexpr std::size_t most_rows = 100'000'000;

void check_sizes(const SimulateOptions& options) {
  option_in_range("n", options.n, default_simulated_rows, std::size_t{1}, most_rows);
  if (options.ratio && options.n_q)
    throw InvalidInput(mention("ratio") + " and " + mention("n_q") +
                       " both set the rows of Q; give one of them");
  option_in_range("n_q", options.n_q, 1, std::size_t{1}, most_rows);
}

std::size_t rows_of_q(const Scenario& scenario, const SimulateOptions& options) {
  if (options.n_q) return *options.n_q;
  return ratio_of_rows(options.n.value_or(default_simulated_rows),
                       options.ratio.value_or(scenario.default_ratio));
}

/// A table with the oracle's terms of its rows: log2(2 own / (own + other)).
struct DrawnTable {
  Table table;
  Moments terms;
};

DrawnTable draw_table(const Pair& pair, const Distribution& own, const Distribution& other, std::size_t rows,
                      const RandomStream& stream) {
  constexpr std::size_t chunk_rows = 4096;
  DrawnTable drawn;
  drawn.table.rows = rows;
  drawn.table.columns = pair.columns;
  for (Column& column : drawn.table.columns) column.values.resize(rows);
  const std::size_t columns = pair.columns.size();
  std::vector<Moments> terms((rows + chunk_rows - 1) / chunk_rows);
  parallel_for(terms.size(), [&](std::size_t chunk) {
    const std::size_t begin = chunk * chunk_rows, count = std::min(chunk_rows, rows - begin);
    RandomStream random = stream.child(chunk);
    RowBlock block(count, columns);
    own.draw(random, block);
    std::vector<double> log_own(count), log_other(count);
    own.log_density(block, log_own);
    other.log_density(block, log_other);
    for (std::size_t i = 0; i < count; ++i) {
      JSDIV_ASSERT(std::isfinite(log_own[i]));
      terms[chunk].add(1 - nats_to_bits(log1p_exp(log_other[i] - log_own[i])));
    }
    for (std::size_t j = 0; j < columns; ++j) {
      std::ranges::copy(block.col(static_cast<Eigen::Index>(j)),
                        drawn.table.columns[j].values.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  });
  for (const Moments& chunk : terms) drawn.terms.merge(chunk);
  drawn.table.sha256 = content_hash(drawn.table);
  return drawn;
}

}  // namespace

std::size_t simulate_detail::ratio_of_rows(std::size_t n, double ratio) {
  option_in_range("ratio", ratio, 1, 1e-6, 1e6);
  const double rows = std::max(1.0, std::round(ratio * static_cast<double>(n)));
  if (rows > static_cast<double>(most_rows)) {
    throw InvalidInput("ratio times n is more than " + std::to_string(most_rows) +
                       " rows; give a smaller one");
  }
  return static_cast<std::size_t>(rows);
}

std::span<const ScenarioInfo> scenarios() {
  static const std::vector<ScenarioInfo> infos = [] {
    std::vector<ScenarioInfo> result;
    for (const Scenario& row : registry()) result.push_back(row.info);
    return result;
  }();
  return infos;
}

std::vector<std::string_view> scenario_names() {
  std::vector<std::string_view> names;
  for (const Scenario& row : registry()) names.push_back(row.info.name);
  return names;
}

Simulation simulate(std::string_view scenario_name, const SimulateOptions& options) {
  const Scenario& scenario = find_scenario(scenario_name);
  reject_options_not_taken(scenario.info, options);
  check_sizes(options);
  if (scenario.split != nullptr) {
    Simulation result;
    with_threads(0, [&] { result = scenario.split(options); });
    result.truth.scenario = scenario_name;
    return result;
  }
  const std::size_t n = options.n.value_or(default_simulated_rows);
  const std::size_t n_q = rows_of_q(scenario, options);
  Pair pair;
  DrawnTable p, q;
  // Holds BLAS to one thread for callers who did not; a limit that they have set stays in force.
  with_threads(0, [&] {
    pair = scenario.pair(options);
    const RandomStream random = RandomStream(options.seed).child(scenario_name);
    p = draw_table(pair, *pair.p, *pair.q, n, random.child("p"));
    q = draw_table(pair, *pair.q, *pair.p, n_q, random.child("q"));
  });

  Simulation result;
  Truth& truth = result.truth;
  truth.jsd = pair.reference.jsd;
  truth.standard_error = pair.reference.standard_error;
  truth.method = pair.reference.method;
  truth.oracle = (p.terms.mean + q.terms.mean) / 2;
  truth.oracle_standard_error = std::sqrt(p.terms.variance_of_mean() + q.terms.variance_of_mean()) / 2;
  truth.scenario = scenario_name;
  truth.parameters = {{"n", std::uint64_t{n}}, {"n_q", std::uint64_t{n_q}}, {"seed", options.seed}};
  truth.parameters.insert(truth.parameters.end(), pair.parameters.begin(), pair.parameters.end());
  if (options.ratio) truth.parameters.emplace_back("ratio", *options.ratio);
  result.p = std::move(p.table);
  result.q = std::move(q.table);
  return result;
}

std::string to_json(const Truth& truth) {
  nlohmann::ordered_json parameters = nlohmann::ordered_json::object();
  for (const auto& [name, value] : truth.parameters) {
    std::visit([&, key = name](const auto& setting) { parameters[key] = setting; }, value);
  }
  const nlohmann::ordered_json json = {{"jsd", truth.jsd},
                                       {"standard_error", truth.standard_error},
                                       {"method", truth.method},
                                       {"oracle", truth.oracle},
                                       {"oracle_standard_error", truth.oracle_standard_error},
                                       {"scenario", truth.scenario},
                                       {"parameters", parameters}};
  return json.dump(2) + "\n";
}

}  // namespace jsdiv
