#include "uncertainty/permutation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "uncertainty/fold_rows.hpp"
#include "uncertainty/standard_error.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t permutations_per_job = 64;
constexpr double highest_combined_p = 0.99;

/// Uniform in {0, …, bound - 1} from 32 bits (Lemire, "Fast random integer generation in an interval", 2019).
std::uint32_t below_32(RandomStream& random, std::uint32_t bound) {
  std::uint64_t product = std::uint64_t{random.next_u32()} * bound;
  if (static_cast<std::uint32_t>(product) < bound) {
    const std::uint32_t threshold = (0U - bound) % bound;
    while (static_cast<std::uint32_t>(product) < threshold)
      product = std::uint64_t{random.next_u32()} * bound;
  }
  return static_cast<std::uint32_t>(product >> 32);
}

/// What each row's term is under either label, and how the fold is labelled.
struct FoldTerms {
  std::vector<double> as_p, as_q;  // [rows]
  std::array<std::size_t, 2> rows{};
  double observed = 0;
  bool constant = true;  // one log-odds for every row

  std::size_t size() const { return as_p.size(); }
};

FoldTerms fold_terms(const FoldRows& fold) {
  const JsdTerms terms = jsd_terms(fold.log_odds, fold.labels);
  FoldTerms result;
  result.as_p.resize(fold.labels.size());
  result.as_q.resize(fold.labels.size());
  std::array<double, 2> sum{};
  for (std::size_t row = 0; row < fold.labels.size(); ++row) {
    const bool of_p = fold.labels[row] == 1;
    result.as_p[row] = of_p ? terms.own[row] : terms.swapped[row];
    result.as_q[row] = of_p ? terms.swapped[row] : terms.own[row];
    ++result.rows[fold.labels[row]];
    sum[fold.labels[row]] += terms.own[row];
    if (fold.log_odds[row] != fold.log_odds[0]) result.constant = false;
  }
  JSDIV_ASSERT(result.rows[0] > 0 && result.rows[1] > 0);
  result.observed =
      0.5 * (sum[1] / static_cast<double>(result.rows[1]) + sum[0] / static_cast<double>(result.rows[0]));
  return result;
}

/// The value under a labelling is base + the sum of `gain` over the rows labelled with the smaller table.
struct SubsetSum {
  double base = 0;
  std::vector<double> gain;  // [rows]
  std::size_t subset = 0;    // rows of the smaller table
};

SubsetSum subset_sum(const FoldTerms& fold) {
  const bool smaller_is_p = fold.rows[1] <= fold.rows[0];
  const double weight_p = 0.5 / static_cast<double>(fold.rows[1]);
  const double weight_q = 0.5 / static_cast<double>(fold.rows[0]);
  SubsetSum result;
  result.subset = std::min(fold.rows[0], fold.rows[1]);
  result.gain.resize(fold.size());
  for (std::size_t row = 0; row < fold.size(); ++row) {
    const double as_p = weight_p * fold.as_p[row];
    const double as_q = weight_q * fold.as_q[row];
    result.base += smaller_is_p ? as_q : as_p;
    result.gain[row] = smaller_is_p ? as_p - as_q : as_q - as_p;
  }
  return result;
}

/// Values under random labellings: a partial Fisher-Yates shuffle goes on from where the last one ended.
void permute_rows(const SubsetSum& sums, RandomStream random, std::span<double> values) {
  std::vector<double> gain = sums.gain;
  for (double& value : values) {
    double sum = 0;
    for (std::size_t k = 0; k < sums.subset; ++k) {
      std::swap(gain[k], gain[k + below_32(random, static_cast<std::uint32_t>(gain.size() - k))]);
      sum += gain[k];
    }
    value = sums.base + sum;
  }
}

/// A group's part of the two means: sums of terms and numbers of rows that it adds to P and to Q.
struct GroupPart {
  double sum_p = 0, sum_q = 0;
  double rows_p = 0, rows_q = 0;

  GroupPart& operator+=(const GroupPart& other) {
    sum_p += other.sum_p;
    sum_q += other.sum_q;
    rows_p += other.rows_p;
    rows_q += other.rows_q;
    return *this;
  }
  double value() const { return 0.5 * (sum_p / rows_p + sum_q / rows_q); }
};

struct GroupTerms {
  /// Groups of one table; labelled P they add [1], labelled Q [0].
  std::vector<std::array<GroupPart, 2>> single;
  std::size_t single_of_p = 0;
  /// Groups of both tables, as they are [0] and with the labels swapped [1].
  std::vector<std::array<GroupPart, 2>> mixed;
};

GroupTerms group_terms(const FoldTerms& fold, const FoldRows& rows) {
  const Clusters clusters = clusters_of(rows.rows());
  std::vector<std::array<GroupPart, 2>> parts(clusters.count);  // as labelled, and swapped
  for (std::size_t row = 0; row < fold.size(); ++row) {
    const GroupPart as_p = {fold.as_p[row], 0, 1, 0};
    const GroupPart as_q = {0, fold.as_q[row], 0, 1};
    const bool of_p = rows.labels[row] == 1;
    parts[clusters.of_row[row]][0] += of_p ? as_p : as_q;
    parts[clusters.of_row[row]][1] += of_p ? as_q : as_p;
  }
  GroupTerms result;
  for (const auto& [labelled, swapped] : parts) {
    if (labelled.rows_p > 0 && labelled.rows_q > 0) {
      result.mixed.push_back({labelled, swapped});
    } else if (labelled.rows_p > 0) {
      result.single.push_back({swapped, labelled});
      ++result.single_of_p;
    } else {
      result.single.push_back({labelled, swapped});
    }
  }
  return result;
}

/// Sets of equal rows, which P and Q hold any number of times; all rows of a set have the same terms.
struct EqualRows {
  std::vector<std::array<double, 2>> term;  ///< [sets] of one row, labelled Q [0] and P [1]
  std::vector<std::array<double, 2>> rows;  ///< [sets] in Q [0] and in P [1]
  /// Ends of the runs of sets that the fuller table holds equally often.
  std::vector<std::size_t> run_ends;
};

/// Empty unless each group is a set of equal rows and some set has rows of both tables.
std::optional<EqualRows> equal_rows(const FoldTerms& fold, const FoldRows& rows) {
  const Clusters clusters = clusters_of(rows.rows());
  std::vector<std::array<double, 2>> term(clusters.count), count(clusters.count);
  for (std::size_t row = 0; row < fold.size(); ++row) {
    const std::size_t set = clusters.of_row[row];
    const std::array<double, 2> own = {fold.as_q[row], fold.as_p[row]};
    if (count[set][0] + count[set][1] > 0 && term[set] != own) return std::nullopt;
    term[set] = own;
    ++count[set][rows.labels[row]];
  }
  if (std::ranges::none_of(count, [](const auto& held) { return held[0] > 0 && held[1] > 0; })) {
    return std::nullopt;
  }
  std::vector<std::size_t> order(clusters.count);
  for (std::size_t set = 0; set < order.size(); ++set) order[set] = set;
  const auto held_by_fuller = [&](std::size_t set) { return std::ranges::max(count[set]); };
  std::ranges::stable_sort(order, {}, held_by_fuller);
  EqualRows sets;
  for (std::size_t i = 0; i < order.size(); ++i) {
    sets.term.push_back(term[order[i]]);
    sets.rows.push_back(count[order[i]]);
    if (i + 1 == order.size() || held_by_fuller(order[i]) != held_by_fuller(order[i + 1])) {
      sets.run_ends.push_back(i + 1);
    }
  }
  return sets;
}

/// Who holds a set how often says nothing about its values if P = Q. If one table was drawn from the other,
/// how often a value occurs there is given: sets change places only with those that the fuller table holds as
/// often.
void permute_equal_rows(const EqualRows& sets, RandomStream random, std::span<double> values) {
  std::vector<std::array<double, 2>> rows = sets.rows;
  for (double& value : values) {
    std::size_t begin = 0;
    GroupPart total;
    for (const std::size_t end : sets.run_ends) {
      for (std::size_t set = begin; set < end; ++set) {
        std::swap(rows[set], rows[set + below_32(random, static_cast<std::uint32_t>(end - set))]);
        const bool swapped = rows[set][0] > 0 && rows[set][1] > 0 && random.next_u32() >> 31 == 1;
        const double of_p = rows[set][swapped ? 0 : 1], of_q = rows[set][swapped ? 1 : 0];
        total += {of_p * sets.term[set][1], of_q * sets.term[set][0], of_p, of_q};
      }
      begin = end;
    }
    value = total.value();
  }
}

void permute_groups(const GroupTerms& groups, RandomStream random, std::span<double> values) {
  std::vector<std::uint32_t> order(groups.single.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::uint32_t>(i);
  for (double& value : values) {
    GroupPart total;
    for (std::size_t k = 0; k < order.size(); ++k) {
      if (k < groups.single_of_p) {
        std::swap(order[k], order[k + below_32(random, static_cast<std::uint32_t>(order.size() - k))]);
      }
      total += groups.single[order[k]][k < groups.single_of_p ? 1 : 0];
    }
    for (const auto& group : groups.mixed) total += group[random.next_u32() >> 31];
    value = total.value();
  }
}

/// The null of one fold's value by `permutations` labellings. Each job draws from a stream of its own.
std::vector<double> permuted_values(const FoldTerms& fold, const FoldRows& rows, const RandomStream& random,
                                    std::size_t permutations) {
  const bool grouped = !rows.groups.empty();
  const SubsetSum sums = grouped ? SubsetSum{} : subset_sum(fold);
  const std::optional<EqualRows> sets = grouped ? equal_rows(fold, rows) : std::nullopt;
  const GroupTerms groups = grouped && !sets ? group_terms(fold, rows) : GroupTerms{};
  std::vector<double> values(permutations);
  parallel_for((permutations + permutations_per_job - 1) / permutations_per_job, [&](std::size_t job) {
    throw_if_interrupted();
    const std::size_t begin = job * permutations_per_job;
    const auto slot = std::span(values).subspan(begin, std::min(permutations_per_job, permutations - begin));
    if (sets) {
      permute_equal_rows(*sets, random.child(job), slot);
    } else if (grouped) {
      permute_groups(groups, random.child(job), slot);
    } else {
      permute_rows(sums, random.child(job), slot);
    }
  });
  return values;
}

double smallest_p_value(std::size_t permutations) {
  return 1 / (1 + static_cast<double>(permutations));
}

double share_at_least(std::span<const double> values, double observed) {
  // A labelling equal to the observed one may differ in the last bits.
  const double limit = observed - 1e-10 * std::max(1.0, std::abs(observed));
  const auto reached = std::ranges::count_if(values, [&](double value) { return value >= limit; });
  return (1 + static_cast<double>(reached)) / (1 + static_cast<double>(values.size()));
}

PermutationTest by_permutation(std::span<const FoldTerms> folds, std::span<const FoldRows> rows,
                               const RandomStream& random, std::size_t permutations) {
  PermutationTest test;
  for (std::size_t fold = 0; fold < folds.size(); ++fold) {
    const std::vector<double> null =
        permuted_values(folds[fold], rows[fold], random.child("permutation").child(fold), permutations);
    test.fold_p_values.push_back(share_at_least(null, folds[fold].observed));
  }
  return test;
}

PermutationTest by_normal_law(std::span<const FoldTerms> folds, std::size_t permutations) {
  PermutationTest test;
  for (const FoldTerms& fold : folds) {
    const SubsetSum sums = subset_sum(fold);
    const double count = static_cast<double>(sums.gain.size());
    const double subset = static_cast<double>(sums.subset);
    double mean_gain = 0;
    for (const double gain : sums.gain) mean_gain += gain / count;
    double squares = 0;
    for (const double gain : sums.gain) squares += (gain - mean_gain) * (gain - mean_gain);
    const double mean = sums.base + subset * mean_gain;
    const double variance = subset * (count - subset) / count * squares / (count - 1);
    const double deviation = variance > 0 ? (fold.observed - mean) / std::sqrt(variance) : 0.0;
    const double tail = 0.5 * std::erfc(deviation / std::numbers::sqrt2);
    // No smaller than permuted labels could make it: the law is not to be trusted further out.
    test.fold_p_values.push_back(std::max(tail, smallest_p_value(permutations)));
  }
  return test;
}

}  // namespace

double cauchy_combination(std::span<const double> p_values) {
  JSDIV_ASSERT(!p_values.empty());
  double sum = 0;
  for (const double p : p_values) {
    JSDIV_ASSERT(p > 0 && p <= 1);
    sum += std::tan((0.5 - std::min(p, highest_combined_p)) * std::numbers::pi);
  }
  return 0.5 - std::atan(sum / static_cast<double>(p_values.size())) / std::numbers::pi;
}

std::optional<PermutationTest> permutation_test(std::span<const double> log_odds, const HeldOutRows& rows,
                                                std::span<const std::uint32_t> folds,
                                                const RandomStream& random,
                                                const PermutationOptions& options) {
  JSDIV_ASSERT(options.permutations > 0);
  if (!rows.weights.empty()) return std::nullopt;
  const std::vector<FoldRows> parts = split_by_fold(log_odds, rows, folds);
  JSDIV_ASSERT(!parts.empty());
  std::vector<FoldTerms> terms;
  terms.reserve(parts.size());
  for (const FoldRows& part : parts) terms.push_back(fold_terms(part));
  const bool normal = rows.groups.empty() && rows.labels.size() > options.normal_above_rows;
  PermutationTest test = normal ? by_normal_law(terms, options.permutations)
                                : by_permutation(terms, parts, random, options.permutations);
  std::vector<double> informative;
  for (std::size_t fold = 0; fold < terms.size(); ++fold) {
    if (!terms[fold].constant) informative.push_back(test.fold_p_values[fold]);
  }
  test.p_value = informative.empty() ? 1.0 : cauchy_combination(informative);
  const double smallest = smallest_p_value(options.permutations);
  test.p_value_is_bound = !informative.empty() && std::ranges::max(informative) <= smallest;
  return test;
}

}  // namespace jsdiv
