#include "bench/run.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "bench/report.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::bench {
namespace {

namespace fs = std::filesystem;

/// A directory of its own for each test.
class RunTest : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::temp_directory_path() /
              ("jsdiv_bench_" + std::string(::testing::UnitTest::GetInstance()->current_test_info()->name()) +
               "_" + std::to_string(getpid()));
    fs::remove_all(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  std::string at(const std::string& name) const { return (folder_ / name).string(); }

  fs::path folder_;
};

Plan tiny_plan() {
  return make_plan(parse_experiment(R"({
    "schema": "jsdiv.experiment/1", "name": "tiny", "title": "Tiny", "families": ["logreg", "gaussian", "syndat"],
    "seeds": 2, "base": {"scenario": "dependence", "train": 80, "eval": 40, "iterations": 2},
    "grids": [{"axes": {"rho": [0, 0.9]}}], "plots": [{"kind": "error", "title": "t", "x": "rho"}]})",
                                    "tiny.json"),
                   {});
}

RunOptions options_for(const std::string& out) {
  RunOptions options;
  options.out = out;
  options.threads = 2;
  return options;
}

std::size_t files_in(const fs::path& folder) {
  return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder), fs::directory_iterator()));
}

TEST(Shard, IsReadAndChecked) {
  EXPECT_EQ(parse_shard("2/8").index, 2U);
  EXPECT_EQ(parse_shard("2/8").count, 8U);
  for (const char* bad : {"", "2", "0/3", "4/3", "1/0", "1/3x", "a/b", "-1/3", "1/-3"})
    EXPECT_THROW(parse_shard(bad), InvalidInput) << bad;
}

TEST_F(RunTest, WritesEachJobAndSkipsWhatIsThere) {
  const Plan plan = tiny_plan();
  RunOptions options = options_for(at("run"));
  std::size_t computed = 0, resumed = 0;
  options.finished = [&](const Job&, const JobResult&, bool before) { ++(before ? resumed : computed); };
  const JobResults first = run_plan(plan, options);
  EXPECT_EQ(computed, 12U);
  EXPECT_EQ(files_in(folder_ / "run" / "jobs"), 12U);
  fs::remove(folder_ / "run" / "jobs" / (plan.jobs[3].name + ".json"));
  computed = 0;
  const JobResults second = run_plan(plan, options);
  EXPECT_EQ(computed, 1U);
  EXPECT_EQ(resumed, 11U);
  for (std::size_t i = 0; i < first.size(); ++i) {
    EXPECT_EQ(first[i]->raw, second[i]->raw);
    EXPECT_EQ(first[i]->oracle, second[i]->oracle);
    EXPECT_EQ(first[i]->reference, second[i]->reference);
  }
}

TEST_F(RunTest, DrawsAnewForEachSeedAndAlikeForEachFamily) {
  const Plan plan = tiny_plan();
  const JobResults results = run_plan(plan, options_for(at("run")));
  // Jobs 6 to 11 are those of rho = 0.9: two seeds each of logreg, gaussian and syndat.
  EXPECT_NE(results[6]->oracle, results[7]->oracle);
  EXPECT_EQ(results[6]->oracle, results[8]->oracle);
  EXPECT_EQ(results[7]->oracle, results[11]->oracle);
  EXPECT_NEAR(*results[6]->reference, 0.3092, 5e-4);
}

TEST_F(RunTest, ThreadsDoNotShow) {
  const Plan plan = tiny_plan();
  RunOptions one = options_for(at("one"));
  one.threads = 1;
  RunOptions four = options_for(at("four"));
  four.threads = 4;
  const JobResults a = run_plan(plan, one);
  const JobResults b = run_plan(plan, four);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_EQ(a[i]->raw, b[i]->raw);
}

TEST_F(RunTest, ADamagedFileIsReportedAndTheOthersAreKept) {
  const Plan plan = tiny_plan();
  run_plan(plan, options_for(at("run")));
  const fs::path file = folder_ / "run" / "jobs" / (plan.jobs[5].name + ".json");
  for (const char* content :
       {"", "{\"schema\": \"jsdiv.job/1\"", "{\"schema\": \"jsdiv.job/1\", \"inputs\": 1}", "[]"}) {
    std::ofstream(file) << content;
    try {
      run_plan(plan, options_for(at("run")));
      FAIL() << content;
    } catch (const InvalidInput& error) {
      EXPECT_NE(std::string(error.what()).find(plan.jobs[5].name), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("damaged"), std::string::npos);
    }
    EXPECT_EQ(files_in(folder_ / "run" / "jobs"), 12U);
  }
  RunOptions again = options_for(at("run"));
  again.force = true;
  EXPECT_TRUE(run_plan(plan, again)[5].has_value());
  EXPECT_NO_THROW(read_job(file.string()));
}

TEST_F(RunTest, ShardsAreDisjointAndMergeToTheWhole) {
  const Plan plan = tiny_plan();
  std::vector<std::string> folders;
  std::size_t jobs = 0;
  for (std::size_t index = 1; index <= 3; ++index) {
    RunOptions options = options_for(at("shard" + std::to_string(index)));
    options.shard = {index, 3};
    run_plan(plan, options);
    folders.push_back(options.out);
    jobs += files_in(fs::path(options.out) / "jobs");
    if (index < 3) {
      EXPECT_THROW(merge_runs(folders), InvalidInput);
    }
  }
  EXPECT_EQ(jobs, 12U);
  const Merged merged = merge_runs(folders);
  const JobResults whole = run_plan(plan, options_for(at("whole")));
  for (std::size_t i = 0; i < whole.size(); ++i) EXPECT_EQ(merged.results[i]->raw, whole[i]->raw);
  copy_merged(merged, at("merged"), false);
  EXPECT_EQ(files_in(folder_ / "merged" / "jobs"), 12U);
  write_report(merged.plan, merged.results, at("merged"));
  for (const char* name : report_files) EXPECT_GT(fs::file_size(folder_ / "merged" / name), 100U) << name;
}

TEST_F(RunTest, ADirectoryBelongsToOneExperiment) {
  run_plan(tiny_plan(), options_for(at("run")));
  PlanOptions fewer;
  fewer.families = {"syndat"};
  fewer.seeds = 1;
  Experiment other = parse_experiment(R"({
    "schema": "jsdiv.experiment/1", "name": "other", "title": "Other", "families": ["syndat"],
    "base": {"scenario": "xor", "train": 80, "eval": 40}, "grids": [{"axes": {"n": [160]}}]})",
                                      "other.json");
  EXPECT_THROW(run_plan(make_plan(other, fewer), options_for(at("run"))), InvalidInput);
  EXPECT_THROW(merge_runs({at("nothing")}), InvalidInput);
}

TEST_F(RunTest, WhatAKilledRunLeftIsClearedAway) {
  const Plan plan = tiny_plan();
  fs::create_directories(folder_ / "run" / "jobs");
  const fs::path left = folder_ / "run" / "jobs" / ".jsdiv-0123456789abcdef.tmp";
  std::ofstream(left) << "{\"schema\"";
  run_plan(plan, options_for(at("run")));
  EXPECT_FALSE(fs::exists(left));
  EXPECT_EQ(files_in(folder_ / "run" / "jobs"), 12U);
}

}  // namespace
}  // namespace jsdiv::bench
