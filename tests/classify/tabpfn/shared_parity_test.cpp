// Parity with the TabPFN package on the cases kept outside this repository.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <numeric>
#include <string>

#include "classify/tabpfn/engine.hpp"
#include "classify/tabpfn/npz.hpp"
#include "core/parallel.hpp"

namespace jsdiv::tabpfn {
namespace {

namespace fs = std::filesystem;
using jsdiv::testing::Array;

const fs::path shared = fs::path(JSDIV_SHARED_DIR) / "tabpfn";

/// Converts a checkpoint with the tool that users have.
std::shared_ptr<const Weights> converted(const std::string& name) {
  static std::map<std::string, std::shared_ptr<const Weights>> known;
  if (known[name]) return known[name];
  const fs::path target =
      fs::temp_directory_path() / ("jsdiv_" + name + "_" + std::to_string(getpid()) + ".safetensors");
  const std::string command = "python3 '" JSDIV_TOOLS_DIR "/tabpfn_convert.py' '" +
                              (shared / "ckpt" / (name + ".ckpt")).string() + "' '" + target.string() +
                              "' --force > /dev/null";
  if (std::system(command.c_str()) != 0) throw std::runtime_error("conversion failed: " + command);
  known[name] = std::make_shared<Weights>(load_weights(target));
  fs::remove(target);
  return known[name];
}

struct Case {
  Matrix features;
  std::vector<RowIndex> training_rows, scored_rows;
  std::vector<std::uint8_t> labels;
};

Case make_case(const Array& train, const Array& labels, const Array& test) {
  Case made{.features = Matrix(train.rows() + test.rows(), train.cols())};
  for (std::size_t row = 0; row < made.features.rows(); ++row) {
    for (std::size_t col = 0; col < train.cols(); ++col) {
      const bool training = row < train.rows();
      const Array& from = training ? train : test;
      made.features.at(row, col) =
          static_cast<float>(from.values[(training ? row : row - train.rows()) * train.cols() + col]);
    }
  }
  made.training_rows.resize(train.rows());
  made.scored_rows.resize(test.rows());
  std::iota(made.training_rows.begin(), made.training_rows.end(), 0);
  std::iota(made.scored_rows.begin(), made.scored_rows.end(), static_cast<RowIndex>(train.rows()));
  for (const double label : labels.values) made.labels.push_back(static_cast<std::uint8_t>(label));
  return made;
}

double largest_difference(const std::vector<float>& logits, std::size_t stride, const Array& golden) {
  double largest = 0;
  for (std::size_t row = 0; row < golden.rows(); ++row) {
    for (std::size_t c = 0; c < golden.cols(); ++c) {
      largest =
          std::max(largest, std::abs(logits[row * stride + c] - golden.values[row * golden.cols() + c]));
    }
  }
  return largest;
}

class SharedParity : public ::testing::TestWithParam<std::string> {};

TEST_P(SharedParity, LogitsEqualThePackage) {
  if (!fs::exists(shared / "golden")) GTEST_SKIP() << shared << " is not there";
  std::size_t cases = 0;
  for (const auto& entry : fs::directory_iterator(shared / "golden")) {
    const std::string name = entry.path().stem().string();
    const std::string model =
        name.substr(0, name.rfind("_d7") != std::string::npos ? name.rfind("_d7") : name.rfind('_'));
    if (model != GetParam() || name == "full_pq4000") continue;
    auto golden = jsdiv::testing::read_npz(entry.path());
    const Case made = make_case(golden.at("Xtr"), golden.at("ytr"), golden.at("Xte"));
    const Engine engine(converted(model));
    std::vector<float> logits, logits_once;
    with_threads(1, [&] {
      const Context context = engine.fit(made.features.view(), made.training_rows, made.labels);
      logits = engine.logits(context, made.features.view(), made.scored_rows);
      logits_once =
          engine.logits_once(made.features.view(), made.training_rows, made.labels, made.scored_rows);
    });
    const double difference = largest_difference(logits, engine.weights().shape.classes, golden.at("logits"));
    std::printf("%-24s max |dlogit| %.1e\n", name.c_str(), difference);
    EXPECT_LE(difference, 5e-6) << name;
    EXPECT_EQ(logits, logits_once) << name;
    ++cases;
  }
  EXPECT_EQ(cases, 9U);
}

INSTANTIATE_TEST_SUITE_P(Checkpoints, SharedParity, ::testing::Values("full", "tiny", "tiny_fpg1"),
                         [](const auto& suite) { return suite.param; });

class SharedTrace : public ::testing::TestWithParam<std::string> {};

/// Largest difference between rows first … of a state [rows, T, E] and a traced tensor of all rows.
double state_difference(const std::vector<float>& state, std::size_t first_row, const Array& traced) {
  const std::size_t row_floats = traced.shape[1] * traced.shape[2];
  double largest = 0;
  for (std::size_t i = 0; i < state.size(); ++i) {
    largest = std::max(largest, std::abs(state[i] - traced.values[first_row * row_floats + i]));
  }
  return largest;
}

// The first layer leaves every token of every row behind, so that each of its parts can be compared.
TEST_P(SharedTrace, FirstLayerEqualsThePackagePartByPart) {
  if (!fs::exists(shared / "trace")) GTEST_SKIP() << shared << " is not there";
  auto trace = jsdiv::testing::read_npz(shared / "trace" / ("trace_tiny_" + GetParam() + ".npz"));
  const Case made = make_case(trace.at("Xtr"), trace.at("ytr"), trace.at("Xte"));
  const auto weights = converted("tiny");
  const ModelShape& shape = weights->shape;
  const std::size_t rows = made.training_rows.size(), scored = made.scored_rows.size();
  const FeatureScaling features(made.features.view(), made.training_rows, shape.features_per_group);
  const TargetScaling target(made.labels);
  const std::size_t tokens = features.groups() + 1;
  const auto positions = positional_embeddings(*weights, features.groups());
  for (std::size_t i = 0; i < positions.size(); ++i) {
    ASSERT_NEAR(positions[i], trace.at("pos_embed").values[i], 2e-6);
  }
  const auto embed = [&](Rows which) {
    std::vector<float> groups(which.size() * features.groups() * 2 * shape.features_per_group);
    std::vector<float> state(which.size() * tokens * shape.width);
    features.apply(made.features.view(), which, groups.data());
    embed_features(*weights, groups.data(), positions, which.size(), tokens, state.data());
    for (std::size_t i = 0; i < which.size(); ++i) {
      const bool known = which[i] < rows;
      embed_target(*weights, known ? target.known(made.labels[i]) : target.unknown(),
                   known ? 0 : TargetScaling::unknown_mark, tokens, state.data() + i * tokens * shape.width);
    }
    return state;
  };
  with_threads(1, [&] {
    auto training = embed(made.training_rows), test = embed(made.scored_rows);
    EXPECT_LE(state_difference(training, 0, trace.at("tokens_in")), 3e-6);
    EXPECT_LE(state_difference(test, rows, trace.at("tokens_in")), 3e-6);
    auto after_features = training;
    attend_between_features(shape, weights->layers[0], after_features.data(), rows, tokens, false);
    EXPECT_LE(state_difference(after_features, 0, trace.at("layer00_after_feature_attn")), 3e-6);
    const LayerMemory memory =
        advance_training_rows(shape, weights->layers[0], training.data(), rows, tokens, false);
    EXPECT_LE(state_difference(training, 0, trace.at("layer00_out")), 3e-6);
    advance_scored_rows(shape, weights->layers[0], memory, test.data(), scored, tokens, false);
    EXPECT_LE(state_difference(test, rows, trace.at("layer00_out")), 3e-6);
  });
}

INSTANTIATE_TEST_SUITE_P(Traces, SharedTrace, ::testing::Values("d3", "nan"),
                         [](const auto& suite) { return suite.param; });

// 4,000 training and 4,000 scored rows: a quarter of a minute on one core, so only where it is asked for.
TEST(SharedParityLarge, FourThousandRows) {
  if (std::getenv("JSDIV_SLOW_TESTS") == nullptr) GTEST_SKIP() << "set JSDIV_SLOW_TESTS=1 to run it";
  if (!fs::exists(shared / "golden")) GTEST_SKIP() << shared << " is not there";
  auto golden = jsdiv::testing::read_npz(shared / "golden" / "full_pq4000.npz");
  const Case made = make_case(golden.at("Xtr"), golden.at("ytr"), golden.at("Xte"));
  const Engine engine(converted("full"));
  std::vector<float> logits;
  with_threads(0, [&] {
    logits = engine.logits_once(made.features.view(), made.training_rows, made.labels, made.scored_rows);
  });
  EXPECT_LE(largest_difference(logits, engine.weights().shape.classes, golden.at("logits")), 5e-6);
}

}  // namespace
}  // namespace jsdiv::tabpfn
