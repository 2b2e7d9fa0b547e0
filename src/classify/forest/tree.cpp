#include "classify/forest/tree.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <numeric>
#include <optional>
#include <utility>

#include "classify/forest/node_histogram.hpp"
#include "core/assert.hpp"
#include "core/stop.hpp"

namespace jsdiv::forest {
namespace {

struct BinRange {
  std::uint32_t low;
  std::uint32_t high;
};

/// The bins of a feature that hold rows of a node, in increasing order, with running sums of the rows'
/// records.
template <typename Packed>
struct OccupiedBins {
  std::size_t size;
  std::array<Packed, max_bins> sums;
  std::array<Bin, max_bins> bins;
};

/// A node's split: the first `left_size` occupied bins of `feature` go left.
template <typename Packed>
struct Split {
  std::uint32_t feature = 0;
  std::size_t left_size = 0;
  double gain = -1;
  const OccupiedBins<Packed>* occupied = nullptr;

  bool found() const { return gain >= 0; }
  Bin last_left() const { return occupied->bins[left_size - 1]; }
  Bin first_right() const { return occupied->bins[left_size]; }
  Packed left_sum() const { return occupied->sums[left_size - 1]; }
};

/// The bins of the feature that a node's parent was split on, which the child can have without looking at its
/// rows.
template <typename Packed>
struct Inherited {
  std::uint32_t feature;
  const OccupiedBins<Packed>* parent;
  std::size_t first;
  std::size_t last;  // exclusive
};

/// Grows one tree after the other in the same memory. Packed is the type of the records (histogram.hpp).
template <typename Packed>
class TreeGrower {
 public:
  TreeGrower(const TrainingSet& set, const ForestParameters& parameters)
      : set_(set),
        parameters_(parameters),
        features_(set.columns.size()),
        ranges_(set.columns.size()),
        counts_(set.rows),
        records_(set.rows + 1),
        spare_(set.rows + 1),
        occupied_(2 * std::min(parameters.max_depth, set.rows)) {}

  Tree grow(const RandomStream& stream) {
    random_.emplace(stream);
    const std::size_t distinct = draw_bootstrap();
    const std::span<Packed> root = std::span(records_).first(distinct);
    const NodeCounts counts = unpack(std::accumulate(root.begin(), root.end(), Packed{0}));
    weights_ = {1, 1};
    if (parameters_.class_weighting == ClassWeighting::balanced_subsample && counts.p > 0 && counts.q > 0) {
      weights_ = {1.0 / counts.p, 1.0 / counts.q};
    }
    std::iota(features_.begin(), features_.end(), 0U);
    for (std::size_t feature = 0; feature < ranges_.size(); ++feature) {
      ranges_[feature] = {0, static_cast<std::uint32_t>(set_.columns[feature]->size() - 1)};
    }
    tree_ = Tree{};
    add_nodes(1);
    grow_node(root, std::span(spare_).first(distinct), counts, 0, 0, nullptr);
    return std::move(tree_);
  }

 private:
  using Fields = RecordFields<Packed>;

  /// Fills records_ with the rows drawn; their number is returned.
  std::size_t draw_bootstrap() {
    random_ = set_.sampler.draw_counts(*random_, set_.draws, std::span(counts_));
    std::size_t distinct = 0;
    for (std::size_t row = 0; row < set_.rows; ++row) {
      records_[distinct] = Fields::make(row, set_.labels[row], counts_[row]);
      distinct += counts_[row] > 0;
    }
    return distinct;
  }

  std::uint32_t add_nodes(std::size_t count) {
    const auto first = static_cast<std::uint32_t>(tree_.nodes.size());
    for (std::size_t i = 0; i < count; ++i) {
      tree_.nodes.push_back({.left = first + static_cast<std::uint32_t>(i)});
      tree_.share_p.push_back(0);
    }
    return first;
  }

  bool is_leaf(const NodeCounts& counts, std::size_t depth) const {
    return depth >= parameters_.max_depth || counts.distinct < parameters_.min_samples_split ||
           counts.distinct / 2 < parameters_.min_samples_leaf || counts.p == 0 || counts.q == 0;
  }

  void make_leaf(std::uint32_t node, const NodeCounts& counts, std::size_t depth) {
    const double weight_p = weights_.p * counts.p;
    tree_.share_p[node] = weight_p / (weight_p + weights_.q * counts.q);
    tree_.depth = std::max(tree_.depth, depth);
  }

  /// `rows` are the node's; `spare` is room for as many, where the children will be.
  void grow_node(std::span<Packed> rows, std::span<Packed> spare, const NodeCounts& counts, std::size_t depth,
                 std::uint32_t node, const Inherited<Packed>* inherited) {
    if (is_leaf(counts, depth)) return make_leaf(node, counts, depth);
    const Split<Packed> split = find_split(rows, counts, depth, inherited);
    if (!split.found()) return make_leaf(node, counts, depth);

    const std::uint32_t left = add_nodes(2);
    tree_.nodes[node] = {threshold(split), split.feature, left};
    const NodeCounts left_counts = unpack(split.left_sum());
    const NodeCounts right_counts = counts - left_counts;
    const bool left_ends = is_leaf(left_counts, depth + 1);
    const bool right_ends = is_leaf(right_counts, depth + 1);
    if (left_ends) make_leaf(left, left_counts, depth + 1);
    if (right_ends) make_leaf(left + 1, right_counts, depth + 1);
    if (left_ends && right_ends) return;

    partition(rows, spare, split);
    const std::size_t middle = left_counts.distinct;
    const BinRange range = ranges_[split.feature];
    if (!left_ends) {
      ranges_[split.feature] = {range.low, split.last_left()};
      const Inherited<Packed> bins{split.feature, split.occupied, 0, split.left_size};
      grow_node(spare.first(middle), rows.first(middle), left_counts, depth + 1, left, &bins);
    }
    if (!right_ends) {
      ranges_[split.feature] = {split.first_right(), range.high};
      const Inherited<Packed> bins{split.feature, split.occupied, split.left_size, split.occupied->size};
      grow_node(spare.subspan(middle), rows.subspan(middle), right_counts, depth + 1, left + 1, &bins);
    }
    ranges_[split.feature] = range;
  }

  /// Looks at max_features features drawn without replacement, constant ones included; if all of these are
  /// constant it goes on until one is not (scikit-learn's rule). The bins of the result stay as they are
  /// until the next node of the same depth is split.
  Split<Packed> find_split(std::span<const Packed> rows, const NodeCounts& counts, std::size_t depth,
                           const Inherited<Packed>* inherited) {
    Split<Packed> best;
    OccupiedBins<Packed>* trial = &occupied_[2 * depth];
    OccupiedBins<Packed>* other = &occupied_[2 * depth + 1];
    bool all_constant = true;
    for (std::size_t visited = 0; visited < features_.size(); ++visited) {
      if (visited >= parameters_.max_features && !all_constant) break;
      const std::size_t remaining = features_.size() - visited;
      const std::size_t drawn =
          visited + (remaining > 1 ? random_->below(static_cast<std::uint32_t>(remaining)) : 0);
      std::swap(features_[visited], features_[drawn]);
      const std::uint32_t feature = features_[visited];
      if (ranges_[feature].low == ranges_[feature].high) continue;
      if (inherited != nullptr && inherited->feature == feature) {
        inherit(*inherited, *trial);
      } else {
        count_rows(feature, rows, *trial);
      }
      if (trial->size == 1) continue;
      all_constant = false;
      const Cut cut = best_allowed_cut(*trial, counts);
      if (cut.gain > best.gain) {
        best = {feature, cut.bin + 1, cut.gain, trial};
        std::swap(trial, other);
      }
    }
    return best;
  }

  /// The best cut that leaves min_samples_leaf rows on both sides.
  Cut best_allowed_cut(const OccupiedBins<Packed>& occupied, const NodeCounts& counts) const {
    const auto holds_fewer = [](Packed sum, std::uint32_t rows) { return Fields::distinct(sum) < rows; };
    const std::uint32_t leaf = parameters_.min_samples_leaf;
    const Packed* sums = occupied.sums.data();
    const Packed* first = std::lower_bound(sums, sums + occupied.size - 1, leaf, holds_fewer);
    const Packed* last =
        std::lower_bound(first, sums + occupied.size - 1, counts.distinct - leaf + 1, holds_fewer);
    if (first == last) return {};
    return best_cut(sums, static_cast<std::size_t>(first - sums), static_cast<std::size_t>(last - sums) - 1,
                    counts, weights_);
  }

  static void inherit(const Inherited<Packed>& inherited, OccupiedBins<Packed>& out) {
    const OccupiedBins<Packed>& parent = *inherited.parent;
    const Packed before = inherited.first == 0 ? Packed{0} : parent.sums[inherited.first - 1];
    out.size = inherited.last - inherited.first;
    for (std::size_t i = 0; i < out.size; ++i) out.sums[i] = parent.sums[inherited.first + i] - before;
    std::copy_n(parent.bins.begin() + static_cast<std::ptrdiff_t>(inherited.first), out.size,
                out.bins.begin());
  }

  /// The bins of `feature` that hold `rows`.
  void count_rows(std::uint32_t feature, std::span<const Packed> rows, OccupiedBins<Packed>& out) {
    const auto [low, high] = ranges_[feature];
    const Bin* column = set_.column(feature);
    Packed* histogram = histogram_.data();
    Packed sum = 0;
    std::size_t size = 0;
    if (rows.size() * 2 < high - low + 1) {
      // Fewer rows than bins: walk through the occupied bins only.
      for (const Packed record : rows) {
        const Bin bin = column[Fields::row(record)];
        histogram[bin] += record;
        is_occupied_[bin] = 1;
      }
      for (std::size_t start = low / 64 * 64; start <= high; start += 64) {
        for (std::uint64_t rest = take_flags(start); rest != 0; rest &= rest - 1) {
          const std::size_t bin = start + static_cast<std::size_t>(std::countr_zero(rest));
          sum += std::exchange(histogram[bin], Packed{0});
          out.sums[size] = sum;
          out.bins[size] = static_cast<Bin>(bin);
          ++size;
        }
      }
    } else {
      for (const Packed record : rows) histogram[column[Fields::row(record)]] += record;
      for (std::size_t bin = low; bin <= high; ++bin) {
        sum += histogram[bin];
        out.sums[size] = sum;
        out.bins[size] = static_cast<Bin>(bin);
        size += histogram[bin] != 0;
      }
      std::fill(histogram + low, histogram + high + 1, Packed{0});
    }
    out.size = size;
  }

  /// One bit for each of the 64 bins from `start` on: is it occupied? Clears the flags.
  std::uint64_t take_flags(std::size_t start) {
    static_assert(std::endian::native == std::endian::little);
    std::uint64_t bits = 0;
    for (std::size_t byte = 0; byte < 8; ++byte) {
      std::uint64_t flags;
      std::memcpy(&flags, &is_occupied_[start + 8 * byte], 8);
      // The product's top byte gathers the lowest bits of the eight flags.
      bits |= ((flags * 0x0102040810204080U) >> 56) << (8 * byte);
    }
    std::memset(&is_occupied_[start], 0, 64);
    return bits;
  }

  void partition(std::span<const Packed> rows, std::span<Packed> out, const Split<Packed>& split) const {
    const Bin* column = set_.column(split.feature);
    const Bin last_left = split.last_left();
    Packed* right = out.data() + out.size() - 1;
    std::size_t left_size = 0;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Packed record = rows[i];
      out[left_size] = record;
      right[static_cast<std::ptrdiff_t>(left_size) - static_cast<std::ptrdiff_t>(i)] = record;
      left_size += column[Fields::row(record)] <= last_left;
    }
  }

  /// The middle between the two neighbouring values, moved to the nearest edge between bins: rows that are
  /// not in the node fall on the side that scikit-learn gives them.
  float threshold(const Split<Packed>& split) const {
    const ColumnBins& bins = *set_.columns[split.feature];
    const float middle = between(bins.high[split.last_left()], bins.low[split.first_right()]);
    std::size_t bin = split.last_left();
    while (bin + 1 < split.first_right() && bins.high[bin + 1] <= middle) ++bin;
    return bins.edges[bin];
  }

  const TrainingSet& set_;
  const ForestParameters& parameters_;
  std::vector<std::uint32_t> features_;  // in the order of the last draws
  std::vector<BinRange> ranges_;         // [features] the bins that rows of the present node can be in
  using Count = std::conditional_t<sizeof(Packed) == 8, std::uint16_t, std::uint32_t>;
  std::vector<Count> counts_;
  std::vector<Packed> records_;
  std::vector<Packed> spare_;
  std::array<Packed, max_bins> histogram_{};          // all 0 between uses
  std::array<std::uint8_t, max_bins> is_occupied_{};  // likewise
  std::vector<OccupiedBins<Packed>> occupied_;  // two for each depth: the best so far and the one on trial
  std::optional<TreeRandom> random_;
  ClassWeights weights_;
  Tree tree_;
};

}  // namespace

template <typename Packed>
std::vector<Tree> grow_trees_with(const TrainingSet& set, const ForestParameters& parameters,
                                  const RandomStream& stream, std::size_t first, std::size_t count) {
  TreeGrower<Packed> grower(set, parameters);
  std::vector<Tree> trees;
  trees.reserve(count);
  for (std::size_t i = first; i < first + count; ++i) {
    throw_if_interrupted();
    trees.push_back(grower.grow(stream.child(i)));
  }
  return trees;
}

template std::vector<Tree> grow_trees_with<NarrowRecord>(const TrainingSet&, const ForestParameters&,
                                                         const RandomStream&, std::size_t, std::size_t);
template std::vector<Tree> grow_trees_with<WideRecord>(const TrainingSet&, const ForestParameters&,
                                                       const RandomStream&, std::size_t, std::size_t);

std::vector<Tree> grow_trees(const TrainingSet& set, const ForestParameters& parameters,
                             const RandomStream& stream, std::size_t first, std::size_t count) {
  constexpr auto narrow_limit = RecordFields<NarrowRecord>::mask;
  const bool narrow = set.rows <= narrow_limit && set.draws <= narrow_limit;
  return narrow ? grow_trees_with<NarrowRecord>(set, parameters, stream, first, count)
                : grow_trees_with<WideRecord>(set, parameters, stream, first, count);
}

namespace {

/// Rows on their way through a tree at the same time, so that the loads of one hide behind those of the
/// others.
template <std::size_t size>
void add_shares_of_block(const Tree& tree, const float* values, std::size_t features, double* sums) {
  const TreeNode* nodes = tree.nodes.data();
  std::array<std::uint32_t, size> position{};
  for (std::size_t level = 0; level < tree.depth; ++level) {
#pragma GCC unroll 8
    for (std::size_t i = 0; i < size; ++i) {
      const TreeNode& node = nodes[position[i]];
      position[i] = node.left + (values[i * features + node.feature] > node.threshold);
    }
  }
  for (std::size_t i = 0; i < size; ++i) sums[i] += tree.share_p[position[i]];
}

}  // namespace

void add_shares(const Tree& tree, const float* values, std::size_t features, std::size_t rows, double* sums) {
  constexpr std::size_t block = 8;
  std::size_t row = 0;
  for (; row + block <= rows; row += block) {
    add_shares_of_block<block>(tree, values + row * features, features, sums + row);
  }
  for (; row < rows; ++row) add_shares_of_block<1>(tree, values + row * features, features, sums + row);
}

}  // namespace jsdiv::forest
