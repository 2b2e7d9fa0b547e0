#include <gtest/gtest.h>

#include <filesystem>
#include <numeric>

#include "core/rows.hpp"
#include "encode/features.hpp"
#include "load/load.hpp"
#include "tables.hpp"

namespace jsdiv {
namespace {

class RealData : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(directory())) GTEST_SKIP() << "no " << directory();
  }

  static std::string directory() { return std::string(JSDIV_SHARED_DIR) + "/data"; }

  static Sample read(const std::string& pair) {
    const std::vector<std::string> paths{directory() + "/" + pair + "/real_data.csv",
                                         directory() + "/" + pair + "/gen_data.csv"};
    std::vector<Warning> warnings;
    return pool_tables(read_tables(paths, {}, warnings), {}, warnings);
  }

  /// The rows of the real table alone, divided at random into a P and a Q.
  static Sample halves(const Sample& sample, std::size_t rows_p, std::uint64_t seed) {
    std::vector<std::size_t> order(sample.rows_p());
    std::iota(order.begin(), order.end(), std::size_t{0});
    RandomStream random(seed);
    random.shuffle(std::span(order));
    Sample result = sample;
    result.table_rows = {rows_p, order.size() - rows_p};
    for (Column& column : result.columns) {
      const std::vector<double> values = column.values;
      column.values.resize(order.size());
      for (std::size_t i = 0; i < order.size(); ++i) column.values[i] = values[order[i]];
    }
    return result;
  }
};

TEST_F(RealData, AdultLatticesAreFoundAndHarmonised) {
  for (const std::string pair : {"adult/vae", "adult/ctgan"}) {
    const Sample sample = read(pair);
    const auto findings = find_support_mismatches(sample);
    const SupportFinding* age = found(findings, "lattice", "age");
    ASSERT_TRUE(age) << pair << "\n" << listed(findings);
    EXPECT_NEAR(age->lattice->spacing, 0.07324, 1e-5);
    EXPECT_NE(age->message.find("grid of 71 values"), std::string::npos) << age->message;
    EXPECT_EQ(age->table, 'P');
    EXPECT_GT(age->share_q, 0.95);
    EXPECT_GT(age->share_p, 0.95);
    const SupportFinding* weight = found(findings, "lattice", "fnlwgt");
    ASSERT_TRUE(weight) << pair << "\n" << listed(findings);
    EXPECT_NEAR(weight->lattice->spacing, 9.4846e-6, 1e-9);
    EXPECT_GT(weight->share_q, 0.95);

    const auto left = find_support_mismatches(harmonise(sample, findings));
    EXPECT_FALSE(found(left, "lattice", "age")) << listed(left);
    EXPECT_FALSE(found(left, "lattice", "fnlwgt")) << listed(left);
  }
}

TEST_F(RealData, IntrusionLatticesAreFound) {
  for (const std::string pair : {"intrusion/vae", "intrusion/ctgan"}) {
    const auto findings = find_support_mismatches(read(pair));
    const SupportFinding* duration = found(findings, "lattice", "duration");
    ASSERT_TRUE(duration) << pair << "\n" << listed(findings);
    EXPECT_NEAR(duration->lattice->spacing, 0.00144823, 1e-8);
    const SupportFinding* service = found(findings, "lattice", "service");
    ASSERT_TRUE(service) << pair << "\n" << listed(findings);
    EXPECT_NEAR(service->lattice->spacing, 0.2288218, 1e-6);
  }
}

TEST_F(RealData, RandomPartsOfOneTableDifferInNothing) {
  for (const std::string pair : {"adult/vae", "intrusion/vae"}) {
    const Sample sample = read(pair);
    for (std::uint64_t seed = 0; seed < 6; ++seed) {
      for (const std::size_t rows_p : {std::size_t{5000}, std::size_t{1000}}) {
        const Sample parts = halves(sample, rows_p, seed);
        const auto findings = find_support_mismatches(parts);
        EXPECT_TRUE(findings.empty()) << pair << " " << rows_p << " " << seed << "\n" << listed(findings);
        const Features features = Features::learn(parts, value_codes(parts), parts.labels(),
                                                  row_range(0, parts.rows()), {}, RandomStream(seed));
        EXPECT_TRUE(features.exact_columns().empty());
      }
    }
  }
}

}  // namespace
}  // namespace jsdiv
