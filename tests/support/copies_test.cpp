#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>
#include <string>

#include "core/rows.hpp"
#include "support/chance.hpp"
#include "support/content.hpp"
#include "support/identifiers.hpp"
#include "support/number_format.hpp"
#include "support/repeated_rows.hpp"
#include "tables.hpp"

namespace jsdiv {
namespace {

Supports supports_of(const Sample& sample) {
  return find_supports(sample, value_codes(sample));
}

std::vector<double> twice(const std::vector<double>& values) {
  std::vector<double> result = values;
  result.insert(result.end(), values.begin(), values.end());
  return result;
}

double below(RandomStream& random, std::uint64_t bound) {
  return static_cast<double>(random.below(bound));
}

TEST(RepeatedRows, DoubledRowsAreGroups) {
  const Sample sample = sample_of(400, 200,
                                  {joined("x", twice(normal_values(200, 1)), normal_values(200, 2)),
                                   joined("y", twice(normal_values(200, 3)), normal_values(200, 4))});
  const Supports supports = supports_of(sample);
  ASSERT_EQ(supports.equal_rows.size(), 600U);
  for (std::size_t row = 0; row < 200; ++row)
    EXPECT_EQ(supports.equal_rows[row], supports.equal_rows[row + 200]);
  EXPECT_EQ(std::set<std::uint32_t>(supports.equal_rows.begin(), supports.equal_rows.end()).size(), 400U);
  const SupportFinding* duplicates = found(supports.findings, "duplicates", "");
  ASSERT_TRUE(duplicates);
  EXPECT_DOUBLE_EQ(duplicates->share_p, 0.5);
  EXPECT_DOUBLE_EQ(duplicates->share_q, 0);
  EXPECT_EQ(duplicates->message, "50 % of P's rows repeat an earlier row of the same table");
  const Supports exchanged = find_supports(sample, value_codes(sample), {.exchanged = true});
  EXPECT_EQ(found(exchanged.findings, "duplicates", "")->message,
            "50 % of Q's rows repeat an earlier row of the same table");
}

TEST(RepeatedRows, SharesOfBothTablesAreToldPFirst) {
  const std::vector<double> shared = normal_values(100, 1);
  const Sample sample = sample_of(
      200, 200, {joined("x", twice(shared), twice(shared)), joined("y", twice(shared), twice(shared))});
  for (const bool exchanged : {false, true}) {
    const Supports supports = find_supports(sample, value_codes(sample), {.exchanged = exchanged});
    EXPECT_EQ(found(supports.findings, "copies", "")->message,
              "100 % of P's and 100 % of Q's rows occur in both tables");
  }
}

TEST(RepeatedRows, RowsOfFewValuesRecurByNature) {
  std::vector<Column> columns;
  for (std::uint64_t j = 0; j < 3; ++j) {
    const auto draw = [](RandomStream& r) { return below(r, 2); };
    columns.push_back(joined(std::to_string(j), drawn(300, 2 * j, draw), drawn(300, 2 * j + 1, draw)));
  }
  EXPECT_TRUE(supports_of(sample_of(300, 300, columns)).equal_rows.empty());
}

TEST(RepeatedRows, ManyLevelsOfOneColumnRecurByNature) {
  Sample sample = pair_of(drawn(500, 1, [](RandomStream& r) { return below(r, 400); }),
                          drawn(500, 2, [](RandomStream& r) { return 400 + below(r, 400); }));
  sample.columns[0].type = ColumnType::integer;
  EXPECT_TRUE(supports_of(sample).equal_rows.empty());
}

TEST(RepeatedRows, CombinationsOfManyCoarseColumnsAreCopiesWhenDoubled) {
  std::vector<Column> columns;
  for (std::uint64_t j = 0; j < 8; ++j) {
    const auto draw = [](RandomStream& r) { return below(r, 5); };
    columns.push_back(joined(std::to_string(j), twice(drawn(300, 2 * j, draw)), drawn(300, 2 * j + 1, draw)));
  }
  EXPECT_EQ(supports_of(sample_of(600, 300, columns)).equal_rows.size(), 900U);
}

TEST(RepeatedRows, ATableThatContainsTheOther) {
  const std::vector<double> p = normal_values(300, 1);
  std::vector<double> q(p.begin(), p.begin() + 100);
  const Supports supports = supports_of(sample_of(300, 100, {joined("x", p, q), joined("y", p, q)}));
  ASSERT_TRUE(found(supports.findings, "copies", "")) << listed(supports.findings);
  EXPECT_EQ(supports.equal_rows[5], supports.equal_rows[305]);
}

TEST(RepeatedRows, APartOfATableLacksNoValues) {
  // That P holds all the rows that are not copies says nothing about what values Q can have.
  const std::vector<double> p = normal_values(300, 1);
  const std::vector<double> q(p.begin(), p.begin() + 100);
  const Supports supports = supports_of(sample_of(300, 100, {joined("x", p, q), joined("y", p, q)}));
  ASSERT_EQ(supports.findings.size(), 1U) << listed(supports.findings);
  EXPECT_EQ(supports.findings[0].kind, "copies");
}

TEST(RepeatedRows, WhatWasNotCopiedShowsTheValuesOfOneTable) {
  // Half of the rows are copies; of the others, Q's are whole.
  const std::vector<double> shared = normal_values(200, 1);
  std::vector<double> p = shared, q = shared;
  std::ranges::copy(normal_values(200, 2), std::back_inserter(p));
  std::ranges::copy(drawn(200, 3, [](RandomStream& r) { return std::round(2 * r.normal()); }),
                    std::back_inserter(q));
  const Sample sample =
      sample_of(400, 400, {joined("x", p, q), joined("y", normal_values(400, 4), normal_values(400, 5))});
  Sample copied = sample;
  for (std::size_t row = 0; row < 200; ++row)
    copied.columns[1].values[400 + row] = copied.columns[1].values[row];
  const auto findings = supports_of(copied).findings;
  EXPECT_TRUE(found(findings, "copies", "")) << listed(findings);
  EXPECT_TRUE(found(findings, "atoms", "x")) << listed(findings);
}

std::vector<std::string> identifiers_of(const Sample& sample) {
  std::vector<std::string> names;
  for (const Identifier& each : find_identifiers(sample, value_codes(sample))) {
    names.push_back(sample.columns[each.column].name);
  }
  return names;
}

std::vector<double> counting(double first, std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), first);
  return values;
}

TEST(Identifiers, AreTextOrDenseWholeNumbersThatNeverRecur) {
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) texts.push_back("u" + std::to_string(1000 + i));
  const auto salary = [](RandomStream& r) { return std::floor(20000 + 1e6 * r.uniform()); };
  Sample sample =
      sample_of(100, 100,
                {joined("row", counting(1, 100), counting(101, 100), ColumnType::integer),
                 joined("user", counting(0, 100), counting(100, 100), ColumnType::category, texts),
                 joined("salary", drawn(100, 1, salary), drawn(100, 2, salary), ColumnType::integer),
                 joined("customer_id", drawn(100, 3, salary), drawn(100, 4, salary), ColumnType::integer),
                 joined("x", normal_values(100, 5), normal_values(100, 6)),
                 joined("age", drawn(100, 7, [](RandomStream& r) { return below(r, 80); }),
                        drawn(100, 8, [](RandomStream& r) { return below(r, 80); }), ColumnType::integer)});
  EXPECT_EQ(identifiers_of(sample), (std::vector<std::string>{"row", "user", "customer_id"}));
}

TEST(Identifiers, MeasurementsThatMeetAsOftenAsChanceHasThemAreNone) {
  const auto salary = [](RandomStream& r) { return std::floor(30000 + 60000 * r.uniform()); };
  const Sample sample = sample_of(
      2000, 2000, {joined("salary", drawn(2000, 1, salary), drawn(2000, 2, salary), ColumnType::integer)});
  EXPECT_TRUE(identifiers_of(sample).empty());
}

TEST(Identifiers, MayRecurNowAndThen) {
  std::vector<std::string> texts;
  for (int i = 0; i < 400; ++i) texts.push_back("u" + std::to_string(1000 + i));
  std::vector<double> p = counting(0, 200), q = counting(200, 200);
  for (std::size_t i = 0; i < 10; ++i) p[i] = p[100 + i], q[i] = q[100 + i];
  const Sample sample = sample_of(200, 200, {joined("user", p, q, ColumnType::category, texts)});
  EXPECT_EQ(identifiers_of(sample), (std::vector<std::string>{"user"}));
}

TEST(Identifiers, OfOneTableThatTheOtherDrawsFrom) {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) texts.push_back("u" + std::to_string(1000 + i));
  const auto some = [](double from) { return [from](RandomStream& r) { return from + below(r, 100); }; };
  const auto sample = [&](double from) {
    return sample_of(
        200, 200, {joined("user", counting(0, 200), drawn(200, 1, some(from)), ColumnType::category, texts)});
  };
  EXPECT_EQ(identifiers_of(sample(0)), (std::vector<std::string>{"user"}));
  EXPECT_TRUE(identifiers_of(sample(200)).empty());  // other values: what they are tells the table
}

TEST(Identifiers, SayWhatTheyWouldTell) {
  const Sample sample =
      sample_of(100, 100, {joined("row", counting(1, 100), counting(101, 100), ColumnType::integer)});
  const auto found = find_identifiers(sample, value_codes(sample));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].message.find("ranges do not overlap"), std::string::npos) << found[0].message;
}

TEST(Identifiers, SayWhichNumberInTheirTextsTells) {
  std::vector<std::string> texts;
  for (int i = 0; i < 200; ++i) {
    texts.push_back("10." + std::to_string(i < 100 ? 20 : 30) + "." + std::to_string(i % 9) + "." +
                    std::to_string(100 + i / 9));
  }
  const Sample sample = sample_of(
      100, 100, {joined("host", counting(0, 100), counting(100, 100), ColumnType::category, texts)});
  const auto found = find_identifiers(sample, value_codes(sample));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NE(found[0].message.find("'20' is more frequent in one of them"), std::string::npos)
      << found[0].message;
}

TEST(Identifiers, AreRecognisedInATableOfWhichEveryRowIsRepeated) {
  const Sample sample =
      sample_of(200, 100,
                {joined("id", twice(counting(1, 100)), counting(101, 100), ColumnType::integer),
                 joined("x", twice(normal_values(100, 1)), normal_values(100, 2))});
  EXPECT_EQ(identifiers_of(sample), (std::vector<std::string>{"id"}));
}

TEST(NumberFormat, CountsDigitsAndDecimals) {
  const auto expect = [](double value, int digits, int decimals) {
    EXPECT_EQ(number_format(value).digits, digits) << value;
    EXPECT_EQ(number_format(value).decimals, decimals) << value;
  };
  expect(0, 0, 0);
  expect(7, 1, 0);
  expect(1200, 2, -2);
  expect(-0.125, 3, 3);
  expect(12.34, 4, 2);
  expect(1e-7, 1, 7);
  expect(1.0 / 3, 16, 16);
  EXPECT_DOUBLE_EQ(rounded_to_digits(123456.789, 4), 123500);
  EXPECT_DOUBLE_EQ(rounded_to_digits(-0.00012345, 2), -0.00012);
}

TEST(FindSupport, FewerSignificantDigitsInOneTable) {
  const auto printed = [](RandomStream& r) { return rounded_to_digits(std::exp(4 * r.normal()), 6); };
  const auto full = [](RandomStream& r) { return std::exp(4 * r.normal()); };
  const Sample sample = pair_of(drawn(400, 1, printed), drawn(400, 2, full));
  const auto findings = supports_of(sample).findings;
  const SupportFinding* precision = found(findings, "precision");
  ASSERT_TRUE(precision) << listed(findings);
  EXPECT_EQ(precision->digits, 6);
  EXPECT_TRUE(supports_of(harmonise(sample, findings)).findings.empty());
}

TEST(FindSupport, SinglePrecisionInOneTable) {
  const auto full = [](RandomStream& r) { return r.normal(); };
  const auto single = [](RandomStream& r) { return rounded_to_single(r.normal()); };
  const Sample sample = pair_of(drawn(400, 1, single), drawn(400, 2, full));
  const auto findings = supports_of(sample).findings;
  const SupportFinding* precision = found(findings, "precision");
  ASSERT_TRUE(precision) << listed(findings);
  EXPECT_TRUE(precision->single);
  EXPECT_GT(precision->share_q, 0.99);
  EXPECT_NE(precision->message.find("single precision (32 bits) in P"), std::string::npos)
      << precision->message;
  EXPECT_TRUE(supports_of(harmonise(sample, findings)).findings.empty());
  EXPECT_TRUE(supports_of(pair_of(drawn(400, 1, single), drawn(400, 2, single))).findings.empty());
  EXPECT_EQ(rounded_to_single(1e300), 1e300);
  EXPECT_EQ(rounded_to_single(0.5), 0.5);
}

TEST(FindSupport, AFormatThatOnlyAPartOfATableKeeps) {
  const auto full = [](RandomStream& r) { return r.normal(); };
  const auto half = [](auto rounded) {
    return [rounded](RandomStream& r) {
      const double x = r.normal();
      return r.uniform() < 0.5 ? rounded(x) : x;
    };
  };
  const auto precision_of = [](const Sample& sample) {
    const auto findings = supports_of(sample).findings;
    const SupportFinding* precision = found(findings, "precision");
    EXPECT_TRUE(precision) << listed(findings);
    EXPECT_TRUE(supports_of(harmonise(sample, findings)).findings.empty());
    return precision ? *precision : SupportFinding{};
  };
  const auto drawn_full = drawn(600, 1, full);
  const SupportFinding single = precision_of(pair_of(drawn_full, drawn(600, 2, half(rounded_to_single))));
  EXPECT_TRUE(single.single);
  EXPECT_EQ(single.table, 'Q');
  EXPECT_NEAR(single.share_q, 0.5, 0.08);  // four standard errors of a share of 600
  EXPECT_NE(single.message.find("in single precision (32 bits) in"), std::string::npos) << single.message;

  const auto to_micro = [](double x) { return std::round(x * 1e6) / 1e6; };
  const SupportFinding rounded = precision_of(pair_of(drawn(600, 3, half(to_micro)), drawn_full));
  ASSERT_TRUE(rounded.lattice);
  EXPECT_DOUBLE_EQ(rounded.lattice->spacing, 1e-6);
  EXPECT_EQ(rounded.table, 'P');

  // One value that is more frequent is none, and neither are tables of different sizes or a shift.
  const auto spiked = [](double share) {
    return [share](RandomStream& r) { return r.uniform() < share ? 0.0 : r.normal(); };
  };
  EXPECT_FALSE(found(supports_of(pair_of(drawn(600, 5, spiked(0.1)), drawn(600, 6, spiked(0.5)))).findings,
                     "precision"));
  const auto cents = [](RandomStream& r) { return std::round(100 * std::exp(5 + r.normal())) / 100; };
  for (std::uint64_t seed = 10; seed < 30; ++seed) {
    const Sample equal = pair_of(drawn(600, seed, cents), drawn(60, seed + 100, cents));
    EXPECT_TRUE(supports_of(equal).findings.empty()) << seed;
  }
  const auto shifted = [](RandomStream& r) { return 3 * r.normal() + 5; };
  EXPECT_FALSE(found(supports_of(pair_of(drawn_full, drawn(600, 4, shifted))).findings, "precision"));
}

TEST(FindSupport, SaysWhereOnlyTheSpellingDiffers) {
  const std::vector<std::string> levels = {"Berlin", "Rome", "berlin", "new york", "New-York"};
  const auto codes = [](std::vector<double> of, std::size_t n) {
    std::vector<double> values;
    for (std::size_t i = 0; i < n; ++i) values.push_back(of[i % of.size()]);
    return values;
  };
  const auto message = [&](std::vector<double> p, std::vector<double> q) {
    const auto findings =
        supports_of(sample_of(300, 300,
                              {joined("city", codes(std::move(p), 300), codes(std::move(q), 300),
                                      ColumnType::category, levels)}))
            .findings;
    return findings.empty() ? "" : findings[0].message;
  };
  EXPECT_NE(message({0, 1, 3}, {2, 1, 4}).find("differences in case"), std::string::npos);
  const std::string other = message({0, 1}, {0, 3});
  EXPECT_NE(other, "");
  EXPECT_EQ(other.find("differences in case"), std::string::npos) << other;
}

TEST(NumberFormat, IsKeptForEachValueThatIsCounted) {
  Sample sample = pair_of({0.25, 1200, 0.25, -3.5e-7}, {1, 1200, 0, INFINITY});
  Column level{"level", ColumnType::category, {0, 1, 0, 1, 0, 1, 0, 1}, {"a", "b"}};
  sample.columns.push_back(level);
  const std::vector<ValueCodes> codes = value_codes(sample);
  EXPECT_TRUE(codes[1].formats.empty());
  // Without the rows of -3.5e-7 and of 1.
  const ValueCounts counts = count_values(codes[0], RowsOfTables{{{0, 1, 2}, {5, 6, 7}}});
  ASSERT_EQ(counts.values.size(), 4U);
  ASSERT_EQ(counts.formats.size(), 4U);
  const FormatLimit one_digit{.most = {1, 1}};
  for (std::size_t i = 0; i < 4; ++i) {
    const double value = counts.values[i].value;
    const NumberFormat format = std::isfinite(value) ? number_format(value) : NumberFormat{};
    EXPECT_EQ(counts.formats[i].digits, format.digits) << value;
    EXPECT_EQ(counts.formats[i].decimals, format.decimals) << value;
    EXPECT_EQ(one_digit.is_beyond(counts, i), value == 0.25) << value;
  }
}

TEST(FindSupport, EqualPrecisionOfLargerNumbersIsNoFinding) {
  // Both tables are printed with seven significant digits; one holds larger numbers, which have fewer
  // decimals.
  const auto printed = [](double shift) {
    return [shift](RandomStream& r) { return rounded_to_digits(shift + r.normal(), 7); };
  };
  const auto ages = [](double from) { return [from](RandomStream& r) { return from + below(r, 9); }; };
  const Sample sample = sample_of(2000, 2000,
                                  {joined("x", drawn(2000, 1, printed(0)), drawn(2000, 2, printed(2))),
                                   joined("n", drawn(2000, 3, ages(1)), drawn(2000, 4, ages(20)))});
  const ValueCounts counts =
      count_values(value_codes(sample.columns[0]), {row_range(0, 2000), row_range(2000, 4000)});
  EXPECT_TRUE(find_format_limits(counts, log_significance(1)).empty());
  EXPECT_FALSE(found(supports_of(sample).findings, "precision", "n"));
}

TEST(Content, MergesCellsUntilEachHoldsEnoughRows) {
  // 1 to 40, one row each; a training part of half the rows makes 20 rows of a cell.
  const Sample sample = pair_of(counting(1, 20), counting(21, 20));
  const Sample merged = merge_fine_cells(sample, value_codes(sample), 0.5);
  EXPECT_EQ(std::set<double>(merged.columns[0].values.begin(), merged.columns[0].values.end()),
            (std::set<double>{10, 30}));
}

TEST(Content, KeepsAValueThatHasRowsEnough) {
  std::vector<double> p(50, 7.0), q = counting(8, 20);
  q.push_back(1);
  const Sample sample = pair_of(p, q);
  const Sample merged = merge_fine_cells(sample, value_codes(sample), 1);
  EXPECT_EQ(merged.columns[0].values[0], 7);
  EXPECT_NE(merged.columns[0].values[50], 7);
}

TEST(Content, LeavesColumnsThatDetermineEachOtherAlone) {
  const Sample sample = pair_of(counting(1, 20), counting(21, 20));
  SupportFinding relation;
  relation.related = {0};
  EXPECT_EQ(merge_fine_cells(sample, value_codes(sample), 0.5, {&relation, 1}).columns[0].values,
            sample.columns[0].values);
}

TEST(Content, LeavesContinuousColumnsAlone) {
  const Sample sample = pair_of(normal_values(200, 1), normal_values(200, 2));
  EXPECT_EQ(merge_fine_cells(sample, value_codes(sample), 0.8).columns[0].values, sample.columns[0].values);
}

}  // namespace
}  // namespace jsdiv
