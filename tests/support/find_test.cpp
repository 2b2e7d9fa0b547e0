#include <gtest/gtest.h>

#include <cmath>

#include "core/parallel.hpp"
#include "tables.hpp"

namespace jsdiv {
namespace {

std::vector<double> repeated(double value, std::size_t n) {
  return std::vector<double>(n, value);
}

std::vector<double> appended(std::vector<double> a, const std::vector<double>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

double poisson(RandomStream& random, double mean) {
  double product = random.uniform();
  double count = 0;
  for (const double limit = std::exp(-mean); product > limit; product *= random.uniform()) ++count;
  return count;
}

/// Level k with probability proportional to 1 / (k + 1)^2: a long tail of rare levels.
double zipf(RandomStream& random) {
  return std::floor(1 / (1 - random.uniform())) - 1;
}

TEST(FindSupport, EqualDistributionsGiveNoFinding) {
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const std::size_t n_p = seed % 2 ? 1500 : 400, n_q = seed % 3 ? 1500 : 300;
    std::uint64_t stream = 100 * seed;  // each column its own: of one stream they would determine each other
    const auto pair = [&](const std::string& name, ColumnType type, auto draw) {
      const std::uint64_t first = stream;
      stream += 2;
      return joined(name, drawn(n_p, first, draw), drawn(n_q, first + 1, draw), type);
    };
    std::vector<Column> columns;
    columns.push_back(pair("normal", ColumnType::number, [](RandomStream& r) { return r.normal(); }));
    columns.push_back(pair("float32", ColumnType::number, [](RandomStream& r) {
      return static_cast<double>(static_cast<float>(r.normal()));
    }));
    columns.push_back(
        pair("heavy", ColumnType::number, [](RandomStream& r) { return r.normal() / r.normal(); }));
    columns.push_back(pair("poisson", ColumnType::integer, [](RandomStream& r) { return poisson(r, 4); }));
    columns.push_back(
        pair("rounded", ColumnType::number, [](RandomStream& r) { return rounded(r.normal(), 0.01); }));
    columns.push_back(pair("decimals", ColumnType::number,
                           [](RandomStream& r) { return std::round(r.normal() * 1e6) / 1e6; }));
    columns.push_back(pair("tenths and others", ColumnType::number, [](RandomStream& r) {
      return r.uniform() < 0.9 ? rounded(r.normal(), 0.1) : r.normal();
    }));
    columns.push_back(pair("zeros", ColumnType::number,
                           [](RandomStream& r) { return r.uniform() < 0.6 ? 0 : r.normal(); }));
    columns.push_back(pair("rarely missing", ColumnType::number,
                           [](RandomStream& r) { return r.uniform() < 0.003 ? missing : r.normal(); }));
    columns.push_back(
        pair("rarely true", ColumnType::boolean, [](RandomStream& r) { return r.uniform() < 0.004; }));
    Column levels = pair("levels", ColumnType::category, zipf);
    double most = 0;
    for (const double code : levels.values) most = std::max(most, code);
    for (double code = 0; code <= std::min(most, 1e4); ++code) levels.levels.push_back(std::to_string(code));
    columns.push_back(std::move(levels));
    const auto findings = find_support_mismatches(sample_of(n_p, n_q, std::move(columns)));
    EXPECT_TRUE(findings.empty()) << "seed " << seed << "\n" << listed(findings);
  }
}

TEST(FindSupport, Lattice) {
  const std::vector<double> p =
      standardised(drawn(2000, 1, [](RandomStream& r) { return std::round(17 + 70 * r.uniform()); }));
  const auto findings = find_support_mismatches(pair_of(p, normal_values(1500, 2)));
  const SupportFinding* lattice = found(findings, "lattice");
  ASSERT_TRUE(lattice) << listed(findings);
  EXPECT_EQ(lattice->table, 'P');
  EXPECT_DOUBLE_EQ(lattice->share_p, 1);
  EXPECT_GT(lattice->share_q, 0.99);
  EXPECT_FALSE(found(findings, "atoms"));
  EXPECT_NE(lattice->message.find("x lies on a grid of 71 values"), std::string::npos) << lattice->message;
}

TEST(FindSupport, LatticeInFloat32WithMissingValuesAndStrayRows) {
  std::vector<double> q = as_float32(standardised(
      drawn(4000, 3, [](RandomStream& r) { return std::round(200000 * std::exp(0.4 * r.normal())); })));
  for (std::size_t i = 0; i < 4000; i += 7) q[i] = missing;
  for (std::size_t i = 1; i < 4000; i += 1400) q[i] += 3.3e-6F;
  std::vector<double> p = as_float32(normal_values(4000, 4));
  for (std::size_t i = 0; i < 4000; i += 7) p[i] = missing;
  const auto findings = find_support_mismatches(pair_of(p, q));
  const SupportFinding* lattice = found(findings, "lattice");
  ASSERT_TRUE(lattice) << listed(findings);
  EXPECT_EQ(lattice->table, 'Q');
  EXPECT_GT(lattice->share_q, 0.8);
  EXPECT_GT(lattice->share_p, 0.7);
  EXPECT_FALSE(found(findings, "missing"));
}

TEST(FindSupport, RoundingIsALattice) {
  std::vector<double> p = normal_values(1000, 5), q = normal_values(1000, 6);
  for (double& value : p) value = std::round(value * 100) / 100;
  for (double& value : q) value = std::round(value * 1e6) / 1e6;
  const auto findings = find_support_mismatches(pair_of(p, q));
  const SupportFinding* lattice = found(findings, "lattice");
  ASSERT_TRUE(lattice) << listed(findings);
  EXPECT_EQ(lattice->table, 'P');
  EXPECT_EQ(lattice->lattice->spacing, 0.01);
  EXPECT_GT(lattice->share_q, 0.95);
}

TEST(FindSupport, LatticeThatHalfOfTheOtherTableShares) {
  const auto integers = [](RandomStream& r) { return static_cast<double>(r.below(60)); };
  std::vector<double> p = drawn(1000, 7, integers);
  for (double& value : p) value *= 2;
  std::vector<double> q = drawn(1000, 8, [](RandomStream& r) { return static_cast<double>(r.below(120)); });
  const auto findings = find_support_mismatches(pair_of(p, q));
  const SupportFinding* lattice = found(findings, "lattice");
  ASSERT_TRUE(lattice) << listed(findings);
  EXPECT_EQ(lattice->lattice->spacing, 2);
  EXPECT_NEAR(lattice->share_q, 0.5, 0.08);
  EXPECT_NEAR(lattice->share_p, 0, 0.02);
}

TEST(FindSupport, EqualGridsThatDifferInTheLastDigits) {
  const std::vector<double> p =
      standardised(drawn(2000, 9, [](RandomStream& r) { return static_cast<double>(r.below(50)); }));
  const auto findings = find_support_mismatches(pair_of(p, as_float32(p)));
  const SupportFinding* atoms = found(findings, "atoms");
  ASSERT_TRUE(atoms) << listed(findings);
  EXPECT_DOUBLE_EQ(atoms->share_p, 1);
  EXPECT_DOUBLE_EQ(atoms->share_q, 1);
  ASSERT_TRUE(atoms->lattice);
  EXPECT_NE(atoms->message.find("last digits"), std::string::npos) << atoms->message;
}

TEST(FindSupport, AtomAmongContinuousValues) {
  const std::vector<double> p = appended(repeated(0.3, 300), normal_values(700, 10));
  const auto findings = find_support_mismatches(pair_of(p, normal_values(1000, 11)));
  const SupportFinding* atoms = found(findings, "atoms");
  ASSERT_TRUE(atoms) << listed(findings);
  EXPECT_NEAR(atoms->share_p, 0.3, 1e-9);
  EXPECT_TRUE(atoms->atoms.empty());
}

TEST(FindSupport, FewIrregularAtomsAgainstContinuousValues) {
  const std::vector<double> prices{0.99, 1.4142, 2.7183};
  const std::vector<double> p = drawn(1000, 12, [&](RandomStream& r) { return prices[r.below(3)]; });
  const auto findings = find_support_mismatches(pair_of(p, normal_values(1000, 13)));
  const SupportFinding* atoms = found(findings, "atoms");
  ASSERT_TRUE(atoms) << listed(findings);
  EXPECT_DOUBLE_EQ(atoms->share_p, 1);
  EXPECT_DOUBLE_EQ(atoms->share_q, 1);
  EXPECT_EQ(atoms->table, 'P');
  EXPECT_EQ(atoms->atoms, prices);
}

TEST(FindSupport, OneSidedCategories) {
  const std::vector<double> p = appended(repeated(0, 90), appended(repeated(1, 60), repeated(3, 2)));
  const std::vector<double> q = appended(repeated(0, 100), repeated(2, 50));
  Sample sample =
      sample_of(p.size(), q.size(), {joined("x", p, q, ColumnType::category, {"a", "b", "c", "d"})});
  const auto findings = find_support_mismatches(sample);
  ASSERT_EQ(findings.size(), 1U) << listed(findings);
  EXPECT_EQ(findings[0].kind, "one_sided_categories");
  EXPECT_NEAR(findings[0].share_p, 60.0 / 152, 1e-12);
  EXPECT_NEAR(findings[0].share_q, 50.0 / 150, 1e-12);
}

TEST(FindSupport, OneSidedRange) {
  std::vector<double> p = normal_values(2000, 14), q = normal_values(2000, 15);
  for (double& value : q) value = std::min(value, 1.0 - 1e-3 * std::abs(value));
  const auto findings = find_support_mismatches(pair_of(p, q));
  const SupportFinding* range = found(findings, "one_sided_range");
  ASSERT_TRUE(range) << listed(findings);
  EXPECT_NEAR(range->share_p, 0.1587, 0.03);
  EXPECT_EQ(range->share_q, 0);
}

TEST(FindSupport, ConstantColumn) {
  const auto findings =
      find_support_mismatches(pair_of(repeated(5, 200), appended(repeated(5, 150), repeated(6, 50))));
  ASSERT_EQ(findings.size(), 1U) << listed(findings);
  EXPECT_EQ(findings[0].kind, "constant");
  EXPECT_EQ(findings[0].table, 'P');
  EXPECT_EQ(findings[0].share_p, 0);
  EXPECT_DOUBLE_EQ(findings[0].share_q, 0.25);
  EXPECT_TRUE(
      find_support_mismatches(pair_of(repeated(5, 200), appended(repeated(5, 197), repeated(6, 3)))).empty());
  EXPECT_TRUE(find_support_mismatches(pair_of(repeated(5, 200), repeated(5, 100))).empty());
  const auto different = find_support_mismatches(pair_of(repeated(5, 200), repeated(6, 100)));
  ASSERT_EQ(different.size(), 1U);
  EXPECT_EQ(different[0].share_p, 1);
  EXPECT_EQ(different[0].share_q, 1);
}

TEST(FindSupport, MissingInOneTable) {
  std::vector<double> p = normal_values(500, 16);
  std::fill_n(p.begin(), 50, missing);
  const auto findings = find_support_mismatches(pair_of(p, normal_values(500, 17)));
  ASSERT_EQ(findings.size(), 1U) << listed(findings);
  EXPECT_EQ(findings[0].kind, "missing");
  EXPECT_DOUBLE_EQ(findings[0].share_p, 0.1);
  EXPECT_EQ(findings[0].share_q, 0);
  const auto never = find_support_mismatches(pair_of(repeated(missing, 500), normal_values(500, 17)));
  ASSERT_EQ(never.size(), 1U) << listed(never);
  EXPECT_EQ(never[0].share_p, 1);
  EXPECT_EQ(never[0].share_q, 1);
}

TEST(FindSupport, CopiesAndDuplicates) {
  const std::vector<double> p = normal_values(1000, 18), other_p = normal_values(1000, 19);
  std::vector<double> q = normal_values(1000, 20), other_q = normal_values(1000, 21);
  for (std::size_t i = 0; i < 100; ++i) {
    q[i] = p[i];
    other_q[i] = other_p[i];
  }
  auto findings =
      find_support_mismatches(sample_of(1000, 1000, {joined("x", p, q), joined("y", other_p, other_q)}));
  ASSERT_EQ(findings.size(), 1U) << listed(findings);
  EXPECT_EQ(findings[0].kind, "copies");
  EXPECT_EQ(findings[0].column, "");
  EXPECT_DOUBLE_EQ(findings[0].share_q, 0.1);

  // One column equal is no copy.
  findings = find_support_mismatches(
      sample_of(1000, 1000, {joined("x", p, q), joined("y", other_p, normal_values(1000, 22))}));
  EXPECT_TRUE(findings.empty()) << listed(findings);

  std::vector<double> twice = p;
  std::copy_n(p.begin(), 200, twice.begin() + 500);
  findings = find_support_mismatches(pair_of(twice, normal_values(1000, 23)));
  ASSERT_EQ(findings.size(), 1U) << listed(findings);
  EXPECT_EQ(findings[0].kind, "duplicates");
  EXPECT_DOUBLE_EQ(findings[0].share_p, 0.2);
  EXPECT_EQ(findings[0].share_q, 0);
}

TEST(FindSupport, RowsOfAGroupCountOnce) {
  // 40 groups of 25 rows a table, each with a value of its own: that they are not shared says nothing.
  std::vector<double> values;
  Sample sample;
  const std::vector<double> of_group = normal_values(80, 24);
  for (std::uint32_t group = 0; group < 80; ++group) {
    for (int i = 0; i < 25; ++i) {
      values.push_back(of_group[group]);
      sample.groups.push_back(group);
    }
  }
  sample.table_rows = {1000, 1000};
  sample.columns = {{"x", ColumnType::number, values, {}}};
  EXPECT_TRUE(find_support_mismatches(sample).empty());
  sample.groups.clear();
  EXPECT_FALSE(find_support_mismatches(sample).empty());
}

TEST(FindSupport, SurvivesOddTables) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(find_support_mismatches(pair_of({1}, {2})).empty());
  EXPECT_TRUE(find_support_mismatches(pair_of({}, {2, 3})).empty());
  EXPECT_TRUE(find_support_mismatches(pair_of({missing, missing}, {missing})).empty());
  EXPECT_NO_THROW(
      find_support_mismatches(pair_of({-infinite, 1, infinite}, {1e308, -1e308, 5e-324, 0.0, -0.0})));
  std::vector<double> extreme = normal_values(300, 25);
  for (double& value : extreme) value *= 1e307;
  EXPECT_NO_THROW(find_support_mismatches(pair_of(extreme, normal_values(300, 26))));
}

TEST(FindSupport, ManyColumnsOfFewRows) {
  std::vector<Column> columns;
  for (std::size_t j = 0; j < 5000; ++j)
    columns.push_back({std::to_string(j), ColumnType::number, normal_values(10, j), {}});
  EXPECT_TRUE(find_support_mismatches(sample_of(5, 5, std::move(columns))).empty());
}

TEST(FindSupport, DoesNotDependOnThreads) {
  const Sample sample = pair_of(drawn(3000, 27, [](RandomStream& r) { return rounded(r.normal(), 0.1); }),
                                normal_values(3000, 28));
  std::string one, four;
  with_threads(1, [&] { one = listed(find_support_mismatches(sample)); });
  with_threads(4, [&] { four = listed(find_support_mismatches(sample)); });
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(one, four);
}

}  // namespace
}  // namespace jsdiv
