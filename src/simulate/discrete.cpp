#include <array>
#include <cmath>
#include <functional>

#include "core/assert.hpp"
#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {
namespace {

using Outcomes = std::span<const std::size_t>;
constexpr std::size_t most_nodes = 8;

/// One column of a Bayesian network, in an order where parents come first.
struct NetworkNode {
  Column column;
  std::size_t outcomes;
  std::vector<std::size_t> parents;
  /// Weight of an outcome given those of the parents; need not be normalised.
  std::function<double(std::size_t, Outcomes)> weight;
  double first_value = 0;  ///< cell value of outcome 0
};

class BayesianNetwork final : public RowwiseDistribution {
 public:
  explicit BayesianNetwork(std::vector<NetworkNode> nodes) : nodes_(std::move(nodes)) {
    JSDIV_ASSERT(nodes_.size() <= most_nodes);
    for (const NetworkNode& node : nodes_) tables_.push_back(conditional_table(node));
  }

  double probability(Outcomes row) const {
    double product = 1;
    for (std::size_t j = 0; j < nodes_.size(); ++j) product *= conditional(j, row)[row[j]];
    return product;
  }

  const std::vector<NetworkNode>& nodes() const { return nodes_; }

 private:
  /// Probabilities, [combinations of the parents' outcomes, outcomes].
  std::vector<double> conditional_table(const NetworkNode& node) const {
    std::size_t combinations = 1;
    for (const std::size_t parent : node.parents) combinations *= nodes_[parent].outcomes;
    std::vector<double> table;
    std::vector<std::size_t> parents(node.parents.size());
    for (std::size_t combination = 0; combination < combinations; ++combination) {
      std::size_t rest = combination;
      for (std::size_t k = parents.size(); k-- > 0;) {
        parents[k] = rest % nodes_[node.parents[k]].outcomes;
        rest /= nodes_[node.parents[k]].outcomes;
      }
      double total = 0;
      for (std::size_t outcome = 0; outcome < node.outcomes; ++outcome)
        total += node.weight(outcome, parents);
      for (std::size_t outcome = 0; outcome < node.outcomes; ++outcome) {
        table.push_back(node.weight(outcome, parents) / total);
      }
    }
    return table;
  }

  std::span<const double> conditional(std::size_t j, Outcomes row) const {
    std::size_t combination = 0;
    for (const std::size_t parent : nodes_[j].parents)
      combination = combination * nodes_[parent].outcomes + row[parent];
    return std::span(tables_[j]).subspan(combination * nodes_[j].outcomes, nodes_[j].outcomes);
  }

  void draw_row(RandomStream& random, std::span<double> row) const override {
    std::array<std::size_t, most_nodes> outcomes{};
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      outcomes[j] = draw_index(random, conditional(j, outcomes));
      row[j] = nodes_[j].first_value + static_cast<double>(outcomes[j]);
    }
  }

  double log_density_of_row(std::span<const double> row) const override {
    std::array<std::size_t, most_nodes> outcomes{};
    for (std::size_t j = 0; j < nodes_.size(); ++j) {
      outcomes[j] = static_cast<std::size_t>(row[j] - nodes_[j].first_value);
    }
    return std::log(probability(outcomes));
  }

  std::vector<NetworkNode> nodes_;
  std::vector<std::vector<double>> tables_;
};

/// Sums over every row that can occur.
double enumerate_jsd(const BayesianNetwork& p, const BayesianNetwork& q) {
  std::vector<std::size_t> row(p.nodes().size(), 0);
  double jsd = 0;
  for (;;) {
    jsd += jsd_of_masses(p.probability(row), q.probability(row));
    std::size_t j = 0;
    while (j < row.size() && ++row[j] == p.nodes()[j].outcomes) row[j++] = 0;
    if (j == row.size()) return jsd;
  }
}

Pair network_pair(std::vector<NetworkNode> nodes_p, std::vector<NetworkNode> nodes_q) {
  Pair pair;
  for (const NetworkNode& node : nodes_p) pair.columns.push_back(node.column);
  auto p = std::make_unique<BayesianNetwork>(std::move(nodes_p));
  auto q = std::make_unique<BayesianNetwork>(std::move(nodes_q));
  pair.reference = {enumerate_jsd(*p, *q), 0, "enumeration"};
  pair.p = std::move(p);
  pair.q = std::move(q);
  return pair;
}

NetworkNode coin(std::string name, double probability) {
  return {{std::move(name), ColumnType::boolean}, 2, {}, [probability](std::size_t value, Outcomes) {
            return value == 1 ? probability : 1 - probability;
          }};
}

/// The exclusive or of its parents with the given probability, else its opposite.
NetworkNode parity(std::string name, std::vector<std::size_t> parents, double probability) {
  return {{std::move(name), ColumnType::boolean},
          2,
          std::move(parents),
          [probability](std::size_t value, Outcomes given) {
            std::size_t sum = value;
            for (const std::size_t outcome : given) sum += outcome;
            return sum % 2 == 0 ? probability : 1 - probability;
          }};
}

std::vector<NetworkNode> shop_network(bool synthetic) {
  const double sign = synthetic ? -1 : 1;
  // 1 where region and product suit each other; Q prefers the opposite.
  const auto suits = [](std::size_t region, std::size_t product) {
    return (region + product) % 3 == 0 ? 1.0 : 0.0;
  };
  std::vector<NetworkNode> nodes;
  nodes.push_back(
      {category_column("region", {"east", "north", "south", "west"}), 4, {}, [](std::size_t value, Outcomes) {
         return std::array{0.3, 0.25, 0.25, 0.2}[value];
       }});
  nodes.push_back(
      {category_column("product", {"basic", "plus", "premium"}),
       3,
       {0},
       [=](std::size_t value, Outcomes given) { return std::exp(0.5 * sign * suits(given[0], value)); }});
  nodes.push_back({{"member", ColumnType::boolean}, 2, {0, 1}, [=](std::size_t value, Outcomes given) {
                     const double preference = (given[0] + given[1]) % 2 == 0 ? 1.0 : -1.0;
                     return value == 1 ? std::exp(0.8 * sign * preference) : 1.0;
                   }});
  nodes.push_back({{"visits", ColumnType::integer}, 6, {2}, [](std::size_t value, Outcomes given) {
                     const auto count = static_cast<double>(value);
                     return std::pow(1.2 + 1.3 * static_cast<double>(given[0]), count) /
                            std::tgamma(count + 1);
                   }});
  nodes.push_back({{"returns", ColumnType::integer}, 4, {1, 3}, [=](std::size_t value, Outcomes given) {
                     const double many = given[1] >= 2 ? 1.0 : -1.0;
                     const double premium = given[0] == 2 ? 1.0 : -1.0;
                     return std::exp(-0.4 * static_cast<double>(value) +
                                     0.35 * sign * many * premium * static_cast<double>(value));
                   }});
  nodes.push_back({{"rating", ColumnType::integer},
                   5,
                   {2, 4},
                   [=](std::size_t value, Outcomes given) {
                     const double liked = (given[0] == 1) == (given[1] == 0) ? 1.0 : -1.0;
                     return std::exp(0.25 * (1 + sign * liked) * static_cast<double>(value));
                   },
                   1});
  return nodes;
}

}  // namespace

// Two fair coins that agree in P and disagree in Q: JSD 1, and nothing to see in the marginals.
Pair xor_pair(const SimulateOptions&) {
  return network_pair({coin("a", 0.5), parity("b", {0}, 1)}, {coin("a", 0.5), parity("b", {0}, 0)});
}

// c = a xor b with probability .9 in P, .1 in Q; five more coins of the same probability in both. JSD = 1 −
// H(.1) = .531.
Pair xor3_pair(const SimulateOptions&) {
  const auto network = [](double probability) {
    return std::vector{coin("a", 0.5), coin("b", 0.5), parity("c", {0, 1}, probability),
                       coin("d", 0.5), coin("e", 0.3), coin("f", 0.7),
                       coin("g", 0.5), coin("h", 0.1)};
  };
  return network_pair(network(0.9), network(0.1));
}

// region → product, (region, product) → member → visits, (product, visits) → returns, (member, returns) →
// rating. Q turns round which regions buy which product, who becomes a member, whether the premium product
// comes back from frequent visitors, and who rates high; regions are alike. The conditional distributions are
// those in shop_network.
Pair discrete_pair(const SimulateOptions&) {
  return network_pair(shop_network(false), shop_network(true));
}

}  // namespace jsdiv::simulate_detail
