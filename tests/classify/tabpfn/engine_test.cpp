// The engine against what the TabPFN package answered (tools/fixtures/tabpfn_golden.py), and its own
// invariants.

#include "classify/tabpfn/engine.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <string>

#include "core/parallel.hpp"

namespace jsdiv::tabpfn {
namespace {

const std::string golden = std::string(JSDIV_GOLDEN_DIR) + "/tabpfn/";

std::shared_ptr<const Weights> tiny_weights() {
  return std::make_shared<Weights>(load_weights(golden + "tiny.safetensors"));
}

struct Case {
  Matrix features;
  std::vector<RowIndex> training_rows, scored_rows;
  std::vector<std::uint8_t> labels;
  std::vector<float> logits;
  std::size_t classes = 0;
};

Case read_case(const std::string& name) {
  const MappedFile file(golden + "cases.safetensors");
  const SafetensorsView cases(file.bytes(), "cases.safetensors");
  const auto tensor = [&](const std::string& part) { return cases.tensors().at(name + "." + part); };
  const auto train = tensor("train"), test = tensor("test");
  const std::size_t rows = train.shape[0], scored = test.shape[0], columns = train.shape[1];
  Case made{.features = Matrix(rows + scored, columns)};
  const auto train_values = train.values(), test_values = test.values();
  for (std::size_t row = 0; row < rows + scored; ++row) {
    for (std::size_t j = 0; j < columns; ++j) {
      made.features.at(row, j) =
          row < rows ? train_values[row * columns + j] : test_values[(row - rows) * columns + j];
    }
  }
  made.training_rows.resize(rows);
  made.scored_rows.resize(scored);
  std::iota(made.training_rows.begin(), made.training_rows.end(), 0);
  std::iota(made.scored_rows.begin(), made.scored_rows.end(), static_cast<RowIndex>(rows));
  for (const float label : tensor("labels").values()) made.labels.push_back(static_cast<std::uint8_t>(label));
  made.logits = tensor("logits").values();
  made.classes = tensor("logits").shape[1];
  return made;
}

std::vector<float> run(const Engine& engine, const Case& made, std::size_t threads = 1) {
  std::vector<float> logits;
  with_threads(threads, [&] {
    const Context context = engine.fit(made.features.view(), made.training_rows, made.labels);
    logits = engine.logits(context, made.features.view(), made.scored_rows);
  });
  return logits;
}

class GoldenCase : public ::testing::TestWithParam<const char*> {};

TEST_P(GoldenCase, LogitsEqualThePackage) {
  const Case made = read_case(GetParam());
  const Engine engine(tiny_weights());
  const auto logits = run(engine, made);
  for (std::size_t i = 0; i < made.scored_rows.size(); ++i) {
    for (std::size_t c = 0; c < made.classes; ++c) {
      EXPECT_NEAR(logits[i * engine.weights().shape.classes + c], made.logits[i * made.classes + c], 1e-5)
          << i;
    }
  }
}

TEST_P(GoldenCase, SideBySideGivesTheSameNumbers) {
  const Case made = read_case(GetParam());
  const Engine engine(tiny_weights());
  std::vector<float> once;
  with_threads(1, [&] {
    once = engine.logits_once(made.features.view(), made.training_rows, made.labels, made.scored_rows);
  });
  EXPECT_EQ(once, run(engine, made));
}

INSTANTIATE_TEST_SUITE_P(Tiny, GoldenCase,
                         ::testing::Values("one_column", "two_columns", "odd_columns", "many_columns",
                                           "three_classes", "many_rows", "missing", "constant_column", "huge",
                                           "imbalanced"));

TEST(Engine, ThreadsDoNotShow) {
  const Case made = read_case("many_rows");
  const Engine engine(tiny_weights());
  const auto one = run(engine, made, 1);
  EXPECT_EQ(one, run(engine, made, 2));
  EXPECT_EQ(one, run(engine, made, 4));
}

TEST(Engine, ScoredRowsDoNotInfluenceEachOther) {
  Case made = read_case("two_columns");
  const Engine engine(tiny_weights());
  const auto all = run(engine, made);
  made.scored_rows = {made.scored_rows[3]};
  const auto alone = run(engine, made);
  const std::size_t classes = engine.weights().shape.classes;
  for (std::size_t c = 0; c < classes; ++c) EXPECT_NEAR(alone[c], all[3 * classes + c], 1e-6);
}

TEST(Engine, ContextBytesAreWhatIsKept) {
  const Case made = read_case("odd_columns");
  const Engine engine(tiny_weights());
  std::size_t floats = 0;
  with_threads(1, [&] {
    for (const LayerMemory& layer :
         engine.fit(made.features.view(), made.training_rows, made.labels).layers) {
      floats += layer.packed_keys.size() + layer.values.size();
    }
  });
  EXPECT_EQ(engine.context_bytes(made.training_rows.size(), 5), floats * sizeof(float));
}

// The test vectors are torch's: Generator().manual_seed(0), randn.
TEST(TorchNormals, EqualTorch) {
  const auto wide = torch_normals(96, 0);
  const std::pair<std::size_t, double> expected[] = {{0, -1.1258398},  {1, -1.1523602}, {2, -0.25057858},
                                                     {3, -0.4338788},  {8, 0.32227492}, {47, -1.5866888},
                                                     {48, -0.6730899}, {49, 0.8728312}};
  for (const auto& [index, value] : expected) EXPECT_NEAR(wide[index], value, 1e-6) << index;
  const auto narrow = torch_normals(8, 0);
  const double few[] = {1.5409961, -0.2934289, -2.1787894, 0.56843126};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(narrow[i], few[i], 1e-6);
}

// Column 1 is constant and dropped; column 0 has mean 2 and deviation 1 (ddof 1); the group of two holds one
// column, so that it is scaled by sqrt 2.
TEST(FeatureScaling, WorkedOutByHand) {
  Matrix features(5, 2);
  const float values[] = {1, 2, 3, NAN, 400};
  for (std::size_t row = 0; row < 5; ++row) {
    features.at(row, 0) = values[row];
    features.at(row, 1) = 7;
  }
  const std::vector<RowIndex> train = {0, 1, 2}, all = {0, 1, 2, 3, 4};
  const FeatureScaling scaling(features.view(), train, 2);
  ASSERT_EQ(scaling.groups(), 1U);
  std::vector<float> out(5 * 4);
  scaling.apply(features.view(), all, out.data());
  const double value[] = {-1, 0, 1, 0, 100}, mark[] = {0, 0, 0, -2, 0};
  for (std::size_t row = 0; row < 5; ++row) {
    EXPECT_NEAR(out[row * 4], value[row] * std::sqrt(2), 1e-4);
    EXPECT_EQ(out[row * 4 + 1], 0);
    EXPECT_EQ(out[row * 4 + 2], mark[row]);
    EXPECT_EQ(out[row * 4 + 3], 0);
  }
}

TEST(TargetScaling, UnknownLiesAboveTheClassesBelowTheMean) {
  const std::vector<std::uint8_t> two = {0, 0, 0, 1}, one = {1, 1}, three = {0, 2, 2, 1, 2};
  EXPECT_EQ(TargetScaling(two).unknown(), 1);
  EXPECT_EQ(TargetScaling(one).unknown(), 0);
  EXPECT_EQ(TargetScaling(three).unknown(), 2);
  EXPECT_EQ(TargetScaling(three).known(2), 2);
}

}  // namespace
}  // namespace jsdiv::tabpfn
