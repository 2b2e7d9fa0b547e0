#include "classify/forest/tree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "classify/forest/node_histogram.hpp"

namespace jsdiv::forest {
namespace {

struct Data {
  Matrix features;
  std::vector<std::uint8_t> labels;

  std::vector<float> row_major() const {
    std::vector<float> values;
    for (std::size_t row = 0; row < features.rows(); ++row) {
      for (std::size_t j = 0; j < features.cols(); ++j) values.push_back(features.at(row, j));
    }
    return values;
  }
};

/// Columns of several kinds in turn: continuous, few values, mostly one value, constant.
Data make_data(std::size_t rows, std::size_t columns, std::uint64_t seed) {
  RandomStream random(seed);
  Data data{Matrix(rows, columns), std::vector<std::uint8_t>(rows)};
  for (std::size_t row = 0; row < rows; ++row) {
    data.labels[row] = random.uniform() < 0.4;
    for (std::size_t j = 0; j < columns; ++j) {
      const double value = random.normal() + 0.7 * data.labels[row];
      const bool rare = random.uniform() < 0.03;
      const double kinds[] = {value, std::round(2 * value), rare ? 1.0 : 0.0, 5.0};
      data.features.at(row, j) = static_cast<float>(kinds[j % 4]);
    }
  }
  return data;
}

TrainingSet make_set(const Data& data, const BinnedColumns& binned, std::size_t draws) {
  const std::size_t rows = data.labels.size();
  TrainingSet set{.rows = rows,
                  .bins = {},
                  .columns = {},
                  .labels = data.labels,
                  .sampler = RowSampler(rows),
                  .draws = draws};
  for (std::size_t j = 0; j < binned.columns(); ++j) {
    set.bins.insert(set.bins.end(), binned.column(j).begin(), binned.column(j).end());
    set.columns.push_back(&binned.bins(j));
  }
  return set;
}

std::vector<RowIndex> all_rows(std::size_t rows) {
  std::vector<RowIndex> indices(rows);
  std::iota(indices.begin(), indices.end(), 0U);
  return indices;
}

/// The textbook algorithm on raw values, drawing the same random numbers: for each node and feature drawn,
/// rows in the order of their values and the exact gain of each cut as a fraction of whole numbers.
class NaiveTree {
 public:
  NaiveTree(const Data& data, const ForestParameters& parameters, std::size_t draws,
            const RandomStream& stream)
      : data_(data),
        parameters_(parameters),
        random_(stream),
        copies_(data.labels.size()),
        order_(data.features.cols()) {
    random_ = RowSampler(data.labels.size()).draw_counts(random_, draws, std::span(copies_));
    std::iota(order_.begin(), order_.end(), 0U);
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < copies_.size(); ++row) {
      if (copies_[row] > 0) rows.push_back(row);
    }
    const Totals totals = count(rows);
    if (parameters.class_weighting == ClassWeighting::balanced_subsample) {
      weight_p_ = totals.q;  // in proportion to 1 / totals.p : 1 / totals.q, and whole
      weight_q_ = totals.p;
    }
    tree.nodes.push_back({});
    tree.share_p.push_back(0);
    grow(rows, 0, 0);
  }

  Tree tree;

 private:
  __extension__ using Whole = __int128;
  struct Totals {
    std::int64_t p = 0;
    std::int64_t q = 0;
  };
  struct Fraction {
    Whole numerator = -1;
    Whole denominator = 1;
    bool operator>(const Fraction& other) const {
      return numerator * other.denominator > other.numerator * denominator;
    }
  };

  Totals count(std::span<const std::size_t> rows) const {
    Totals totals;
    for (const std::size_t row : rows) (data_.labels[row] == 1 ? totals.p : totals.q) += copies_[row];
    return totals;
  }

  Fraction gain(const Totals& left, const Totals& node) const {
    const Whole imbalance = Whole{left.p} * node.q - Whole{left.q} * node.p;
    const Whole left_weight = weight_p_ * left.p + weight_q_ * left.q;
    const Whole right_weight = weight_p_ * (node.p - left.p) + weight_q_ * (node.q - left.q);
    return {imbalance * imbalance, left_weight * right_weight};
  }

  void grow(std::vector<std::size_t> rows, std::size_t depth, std::uint32_t node) {
    const Totals totals = count(rows);
    const double weighted_p = static_cast<double>(weight_p_ * totals.p);
    const double share = weighted_p / (weighted_p + static_cast<double>(weight_q_ * totals.q));
    const auto leaf = [&] {
      tree.nodes[node].left = node;
      tree.share_p[node] = share;
      tree.depth = std::max(tree.depth, depth);
    };
    const std::size_t smallest = parameters_.min_samples_leaf;
    if (depth >= parameters_.max_depth || rows.size() < parameters_.min_samples_split ||
        rows.size() < 2 * smallest || totals.p == 0 || totals.q == 0) {
      return leaf();
    }

    Fraction best;
    std::uint32_t best_feature = 0;
    float best_threshold = 0;
    bool all_constant = true;
    for (std::size_t visited = 0; visited < order_.size(); ++visited) {
      if (visited >= parameters_.max_features && !all_constant) break;
      const auto remaining = static_cast<std::uint32_t>(order_.size() - visited);
      std::swap(order_[visited], order_[visited + (remaining > 1 ? random_.below(remaining) : 0)]);
      const std::uint32_t feature = order_[visited];
      const auto value = [&](std::size_t row) { return data_.features.at(row, feature); };
      std::sort(rows.begin(), rows.end(), [&](std::size_t a, std::size_t b) { return value(a) < value(b); });
      if (value(rows.front()) == value(rows.back())) continue;
      // the same.
      all_constant = false;
      for (std::size_t i = smallest; i + smallest <= rows.size(); ++i) {
        if (value(rows[i - 1]) == value(rows[i])) continue;
        const Fraction candidate = gain(count(std::span(rows).first(i)), totals);
        if (candidate > best) {
          best = candidate;
          best_feature = feature;
          best_threshold = between(value(rows[i - 1]), value(rows[i]));
        }
      }
    }
    if (best.numerator < 0) return leaf();

    const auto left = static_cast<std::uint32_t>(tree.nodes.size());
    tree.nodes.resize(left + 2);
    tree.share_p.resize(left + 2);
    tree.nodes[node] = {best_threshold, best_feature, left};
    std::vector<std::size_t> sides[2];
    for (const std::size_t row : rows)
      sides[data_.features.at(row, best_feature) > best_threshold].push_back(row);
    grow(sides[0], depth + 1, left);
    grow(sides[1], depth + 1, left + 1);
  }

  const Data& data_;
  ForestParameters parameters_;
  TreeRandom random_;
  std::vector<std::uint32_t> copies_;
  std::vector<std::uint32_t> order_;
  Whole weight_p_ = 1;
  Whole weight_q_ = 1;
};

std::vector<double> shares(const Tree& tree, const Data& data) {
  std::vector<double> sums(data.labels.size());
  add_shares(tree, data.row_major().data(), data.features.cols(), sums.size(), sums.data());
  return sums;
}

/// Same features, same children, and every row in the same leaf, whether or not it was in the bootstrap
/// sample.
void expect_same_tree(const Tree& tree, const Tree& expected, const Data& data) {
  ASSERT_EQ(tree.nodes.size(), expected.nodes.size());
  EXPECT_EQ(tree.depth, expected.depth);
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    EXPECT_EQ(tree.nodes[i].left, expected.nodes[i].left) << "node " << i;
    EXPECT_EQ(tree.nodes[i].feature, expected.nodes[i].feature) << "node " << i;
    EXPECT_NEAR(tree.share_p[i], expected.share_p[i], 1e-12) << "node " << i;
  }
  const std::vector<double> got = shares(tree, data);
  const std::vector<double> wanted = shares(expected, data);
  for (std::size_t row = 0; row < got.size(); ++row)
    EXPECT_NEAR(got[row], wanted[row], 1e-12) << "row " << row;
}

struct Setting {
  std::size_t rows;
  std::size_t columns;
  ForestParameters parameters;
  std::size_t draws;
};

class GrownTree : public testing::TestWithParam<Setting> {};

TEST_P(GrownTree, IsTheNaiveTreeWhileEveryValueHasABin) {
  const auto& [rows, columns, parameters, draws] = GetParam();
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE(seed);
    const Data data = make_data(rows, columns, seed);
    const BinnedColumns binned(data.features.view(), all_rows(rows));
    const TrainingSet set = make_set(data, binned, draws);
    const RandomStream stream = RandomStream(seed).child("forest");
    const std::vector<Tree> narrow = grow_trees_with<NarrowRecord>(set, parameters, stream, 0, 3);
    const std::vector<Tree> wide = grow_trees_with<WideRecord>(set, parameters, stream, 0, 3);
    for (std::size_t i = 0; i < narrow.size(); ++i) {
      expect_same_tree(narrow[i], NaiveTree(data, parameters, draws, stream.child(i)).tree, data);
      EXPECT_EQ(wide[i].nodes, narrow[i].nodes);
      EXPECT_EQ(wide[i].share_p, narrow[i].share_p);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    Settings, GrownTree,
    testing::Values(
        Setting{200, 1, {.max_depth = 10, .min_samples_leaf = 1, .max_features = 1}, 200},
        Setting{256, 2, {.max_depth = 10, .min_samples_leaf = 5, .max_features = 1}, 200},
        Setting{
            256, 4, {.max_depth = 4, .min_samples_leaf = 3, .min_samples_split = 30, .max_features = 2}, 256},
        Setting{150, 9, {.max_depth = 6, .min_samples_leaf = 1, .max_features = 3}, 90},
        Setting{256, 9, {.max_depth = 8, .min_samples_leaf = 4, .max_features = 9}, 250},
        Setting{240,
                5,
                {.max_depth = 6,
                 .min_samples_leaf = 10,
                 .max_features = 2,
                 .class_weighting = ClassWeighting::balanced_subsample},
                240}));

TEST(GrownTree, IsAStumpWhereNoSplitIsAllowed) {
  const Data data = make_data(60, 2, 1);
  const BinnedColumns binned(data.features.view(), all_rows(60));
  const TrainingSet set = make_set(data, binned, 60);
  const auto trees =
      grow_trees(set, {.max_depth = 10, .min_samples_leaf = 100, .max_features = 2}, RandomStream(0), 0, 1);
  EXPECT_EQ(trees[0].nodes.size(), 1U);
  EXPECT_EQ(trees[0].depth, 0U);
  EXPECT_GT(trees[0].share_p[0], 0);
  EXPECT_LT(trees[0].share_p[0], 1);
}

TEST(GrownTree, DoesNotDependOnTheTreesGrownBefore) {
  const Data data = make_data(500, 7, 2);
  const BinnedColumns binned(data.features.view(), all_rows(500));
  const TrainingSet set = make_set(data, binned, 400);
  const ForestParameters parameters{.max_depth = 8, .min_samples_leaf = 5, .max_features = 2};
  const auto together = grow_trees(set, parameters, RandomStream(9), 0, 5);
  for (std::size_t i = 0; i < together.size(); ++i) {
    const auto alone = grow_trees(set, parameters, RandomStream(9), i, 1);
    EXPECT_EQ(alone[0].nodes, together[i].nodes);
    EXPECT_EQ(alone[0].share_p, together[i].share_p);
  }
}

// All features but one are constant: scikit-learn draws on until it has found that one.
TEST(GrownTree, LooksPastConstantFeatures) {
  Data data{Matrix(40, 20), std::vector<std::uint8_t>(40)};
  for (std::size_t row = 0; row < 40; ++row) {
    data.labels[row] = row >= 20;
    data.features.at(row, 13) = static_cast<float>(row);
  }
  const BinnedColumns binned(data.features.view(), all_rows(40));
  const TrainingSet set = make_set(data, binned, 40);
  for (const Tree& tree : grow_trees(set, {.max_depth = 3, .max_features = 1}, RandomStream(0), 0, 10)) {
    ASSERT_EQ(tree.nodes.size(), 3U);
    EXPECT_EQ(tree.nodes[0].feature, 13U);
    EXPECT_EQ(tree.share_p[1], 0);
    EXPECT_EQ(tree.share_p[2], 1);
  }
}

}  // namespace
}  // namespace jsdiv::forest
