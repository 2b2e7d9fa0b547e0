#include "classify/tabpfn/family.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <numeric>

#include "classify/registry.hpp"
#include "classify/tabpfn/engine.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::tabpfn {
namespace {

const std::string tiny = std::string(JSDIV_GOLDEN_DIR) + "/tabpfn/tiny.safetensors";

struct Sample {
  Matrix features;
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> rows;
  Problem problem;

  Sample(std::size_t count, std::size_t columns, bool swapped = false) : features(count, columns) {
    RandomStream random(9);
    for (std::size_t row = 0; row < count; ++row) {
      const bool of_p = row % 3 == 0;
      labels.push_back(static_cast<std::uint8_t>(of_p != swapped));
      rows.push_back(static_cast<RowIndex>(row));
      for (std::size_t j = 0; j < columns; ++j)
        features.at(row, j) = static_cast<float>(random.normal() + of_p);
    }
    problem = {
        .features = features.view(), .labels = labels, .weights = {}, .training_rows = rows, .options = {}};
    problem.options.tabpfn.weights = tiny;
  }

  std::unique_ptr<Model> fit(std::size_t training_rows) const {
    const auto trainer = family("tabpfn").prepare(problem);
    return trainer->fit(Rows(rows).first(training_rows), {}, {.random = RandomStream(4), .validation = {}});
  }

  std::vector<double> log_odds(const Model& model, std::size_t first) const {
    std::vector<double> out(rows.size() - first);
    model.log_odds(features.view(), Rows(rows).subspan(first), out);
    return out;
  }
};

TEST(TabPfnFamily, ExchangingPAndQMirrorsTheResultExactly) {
  const Sample sample(120, 3), swapped(120, 3, true);
  with_threads(1, [&] {
    const auto model = sample.fit(90), mirror = swapped.fit(90);
    const auto odds = sample.log_odds(*model, 90), mirrored = swapped.log_odds(*mirror, 90);
    for (std::size_t i = 0; i < odds.size(); ++i) EXPECT_EQ(odds[i], -mirrored[i]);
    EXPECT_NE(odds[0], odds[1]);
    EXPECT_NEAR(model->prior_log_odds(), std::log(30.0 / 60), 1e-12);
    EXPECT_EQ(model->prior_log_odds(), -mirror->prior_log_odds());
    EXPECT_TRUE(model->notes().empty());
  });
}

TEST(TabPfnFamily, WithoutPreprocessingItIsTheBareForwardPass) {
  Sample sample(80, 3);
  sample.features.at(5, 1) = NAN;
  sample.features.at(70, 2) = NAN;
  sample.problem.options.tabpfn.preprocessing = TabPfnPreprocessing::none;
  with_threads(1, [&] {
    const auto odds = sample.log_odds(*sample.fit(60), 60);
    const Engine engine(std::make_shared<Weights>(load_weights(tiny)));
    const auto logits = engine.logits_once(sample.features.view(), Rows(sample.rows).first(60),
                                           std::span(sample.labels).first(60), Rows(sample.rows).subspan(60));
    const std::size_t classes = engine.weights().shape.classes;
    for (std::size_t i = 0; i < odds.size(); ++i) {
      EXPECT_EQ(odds[i], static_cast<double>(logits[i * classes + 1]) - logits[i * classes]);
    }
  });
}

TEST(TabPfnFamily, TrainsOnAStratifiedSubsampleOfManyRows) {
  Sample sample(12003, 1);
  sample.problem.options.tabpfn.preprocessing = TabPfnPreprocessing::none;
  with_threads(0, [&] {
    const auto model = sample.fit(12000);
    EXPECT_EQ(model->config().integer("training_rows"), 9999);
    EXPECT_NEAR(model->prior_log_odds(), std::log(0.5), 1e-3);
    ASSERT_EQ(model->notes().size(), 1U);
    EXPECT_EQ(model->notes()[0].code, "tabpfn_rows");
  });
}

TEST(TabPfnFamily, ConstantColumnsLeaveThePrior) {
  Sample sample(30, 1);
  for (std::size_t row = 0; row < 30; ++row) sample.features.at(row, 0) = 2;
  with_threads(1, [&] {
    const auto model = sample.fit(30);
    for (const double odds : sample.log_odds(*model, 0)) EXPECT_NEAR(odds, std::log(0.5), 1e-12);
    ASSERT_EQ(model->notes().size(), 1U);
    EXPECT_EQ(model->notes()[0].code, "tabpfn_constant");
  });
}

TEST(TabPfnFamily, NotesMoreColumnsThanTrainedFor) {
  Sample sample(12, 501);
  sample.problem.options.tabpfn.preprocessing = TabPfnPreprocessing::none;
  with_threads(1, [&] {
    ASSERT_EQ(sample.fit(12)->notes().size(), 1U);
    EXPECT_EQ(sample.fit(12)->notes()[0].code, "tabpfn_columns");
  });
}

TEST(TabPfnFamily, SaysWhatIsMissing) {
  unsetenv("JSDIV_TABPFN_WEIGHTS");
  Sample sample(10, 1);
  EXPECT_EQ(family("tabpfn").why_unavailable(sample.problem.options).text(), "");
  sample.problem.options.tabpfn.weights = "";
  EXPECT_THROW(sample.fit(10), InvalidInput);
  EXPECT_NE(family("tabpfn").why_unavailable(sample.problem.options).text().find("TabPFN-v2-clf"),
            std::string::npos);
  setenv("JSDIV_TABPFN_WEIGHTS", tiny.c_str(), 1);
  EXPECT_EQ(family("tabpfn").why_unavailable(sample.problem.options).text(), "");
  with_threads(1, [&] { EXPECT_NO_THROW(sample.fit(10)); });
  unsetenv("JSDIV_TABPFN_WEIGHTS");

  sample.problem.options.tabpfn.weights = tiny;
  sample.problem.options.tabpfn.members = 3;
  EXPECT_THROW(sample.fit(10), InvalidInput);
  sample.problem.options.tabpfn.members = 4;
  std::fill(sample.labels.begin(), sample.labels.end(), std::uint8_t{1});
  EXPECT_THROW(sample.fit(10), InvalidInput);
  const Sample wide(10, 2001);
  EXPECT_THROW(wide.fit(10), InvalidInput);
}

}  // namespace
}  // namespace jsdiv::tabpfn
