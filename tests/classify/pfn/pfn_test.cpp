// The experts and the network against what numpy and PyTorch answered (tools/fixtures/pfn_golden.py), the
// experts' leave-one-out scores against leaving rows out, and what the network promises by construction.

#include "classify/pfn/pfn.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include "classify/gaussian_pair.hpp"
#include "classify/pfn/experts.hpp"
#include "classify/pfn/pfn_network.hpp"
#include "classify/pfn/views.hpp"
#include "classify/tabpfn/safetensors.hpp"
#include "core/parallel.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::pfn {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using test::GaussianPair;

/// BLAS on one thread, as every run of the product has it.
class Pfn : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    with_threads(1, [] {});
  }
};

struct Case {
  Matrix features;
  VectorXd labels;
  std::vector<RowIndex> context, scored;
  MatrixXd known, asked;
  VectorXd log_odds;
};

MatrixXd matrix_of(const tabpfn::TensorView& tensor) {
  const auto values = tensor.values();
  const auto columns = tensor.shape.size() == 2 ? static_cast<Index>(tensor.shape[1]) : 1;
  using RowMajor = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  return Eigen::Map<const RowMajor>(values.data(), static_cast<Index>(tensor.shape[0]), columns)
      .cast<double>();
}

Case read_case(const std::string& name) {
  const tabpfn::MappedFile file(JSDIV_GOLDEN_DIR "/pfn/cases.safetensors");
  const tabpfn::SafetensorsView cases(file.bytes(), "cases.safetensors");
  const auto part = [&](const char* which) { return matrix_of(cases.tensors().at(name + "." + which)); };
  const MatrixXd x = part("features");
  Case made{.features = Matrix(static_cast<std::size_t>(x.rows()), static_cast<std::size_t>(x.cols())),
            .labels = part("labels"),
            .known = part("known"),
            .asked = part("asked"),
            .log_odds = part("log_odds")};
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index i = 0; i < x.rows(); ++i) {
      made.features.at(static_cast<std::size_t>(i), static_cast<std::size_t>(j)) =
          static_cast<float>(x(i, j));
    }
  }
  for (Index i = 0; i < x.rows(); ++i) {
    (i < made.labels.size() ? made.context : made.scored).push_back(static_cast<RowIndex>(i));
  }
  return made;
}

std::vector<std::size_t> all_columns(const Matrix& features) {
  std::vector<std::size_t> columns(features.cols());
  std::iota(columns.begin(), columns.end(), std::size_t{0});
  return columns;
}

void expect_near(const MatrixXd& value, const MatrixXd& reference) {
  ASSERT_EQ(value.rows(), reference.rows());
  ASSERT_EQ(value.cols(), reference.cols());
  for (Index j = 0; j < value.cols(); ++j) {
    for (Index i = 0; i < value.rows(); ++i) {
      ASSERT_NEAR(value(i, j), reference(i, j), 1e-4) << "row " << i << ", column " << j;
    }
  }
}

TEST_F(Pfn, AgreesWithTheTrainingFramework) {
  for (const char* name :
       {"plain", "one_column", "unequal", "ties", "wide", "constant_column", "single_row"}) {
    SCOPED_TRACE(name);
    const Case made = read_case(name);
    const ColumnViews views(made.features.view(), made.context, all_columns(made.features));
    const VectorXd ones = VectorXd::Ones(made.labels.size());
    const Experts experts(views.apply(made.features.view(), made.context), made.labels, ones);
    expect_near(experts.of_context(), made.known);
    const MatrixXd asked = experts(views.apply(made.features.view(), made.scored));
    expect_near(asked, made.asked);
    const auto summary =
        Network::embedded().summarise(experts.of_context(), made.labels, ones, views.columns());
    expect_near(Network::embedded().log_odds(summary, asked), made.log_odds);
  }
}

/// Rows of x but one.
MatrixXd without(const MatrixXd& x, Index row) {
  MatrixXd result(x.rows() - 1, x.cols());
  result << x.topRows(row), x.bottomRows(x.rows() - 1 - row);
  return result;
}

TEST_F(Pfn, LeaveOneOutIsLeavingOneOut) {
  const Case made = read_case("plain");
  const ColumnViews views(made.features.view(), made.context, all_columns(made.features));
  const ViewedRows rows = views.apply(made.features.view(), made.context);
  const VectorXd weights = VectorXd::LinSpaced(made.labels.size(), 0.5, 2);
  const LinearExpert linear(rows.values, made.labels, weights, 3);
  const NormalColumnsExpert normal(rows.values, made.labels, weights);
  const BinnedExpert binned(rows.ranks, made.labels, weights, 4);
  for (const Index i : {0, 7, 59, 60, 109}) {
    const VectorXd labels = without(made.labels, i), others = without(weights, i);
    const MatrixXd values = without(rows.values, i), ranks = without(rows.ranks, i);
    EXPECT_NEAR(linear.known[i], LinearExpert(values, labels, others, 3)(rows.values.row(i))[0], 1e-10);
    EXPECT_NEAR(normal.known[i], NormalColumnsExpert(values, labels, others)(rows.values.row(i))[0], 1e-10);
    EXPECT_NEAR(binned.known[i], BinnedExpert(ranks, labels, others, 4)(rows.ranks.row(i))[0], 1e-10);
  }
}

// The covariance of all rows and the strength of the shrinkage keep the row, as they know no labels: what
// remains of it is of the order of one row in a hundred.
TEST_F(Pfn, QuadraticLeavesTheRowOutOfItsClass) {
  const Case made = read_case("plain");
  const ColumnViews views(made.features.view(), made.context, all_columns(made.features));
  const MatrixXd x = views.apply(made.features.view(), made.context).values;
  const VectorXd weights = VectorXd::LinSpaced(made.labels.size(), 0.5, 2);
  const QuadraticExpert whole(x, made.labels, weights, 0.3);
  for (const Index i : {0, 7, 59, 60, 109}) {
    const QuadraticExpert rest(without(x, i), without(made.labels, i), without(weights, i), 0.3);
    const double left_out = rest(x.row(i))[0], kept = whole(x.row(i))[0];
    EXPECT_NEAR(whole.known[i], left_out, 0.02 * (1 + std::abs(left_out)));
    EXPECT_LT(std::abs(whole.known[i] - left_out), 0.5 * std::abs(kept - left_out) + 1e-3) << "row " << i;
  }
}

// A row of weight 2 is two rows of weight 1 to everyone who does not leave it out.
TEST_F(Pfn, WeightsAreRepeatedRows) {
  const Case made = read_case("ties");
  const ColumnViews views(made.features.view(), made.context, all_columns(made.features));
  const ViewedRows rows = views.apply(made.features.view(), made.context);
  std::vector<Index> twice;
  VectorXd weights = VectorXd::Ones(made.labels.size());
  for (Index i = 0; i < made.labels.size(); ++i) {
    twice.push_back(i);
    if (i % 3 != 0) continue;
    twice.push_back(i);
    weights[i] = 2;
  }
  const VectorXd ones = VectorXd::Ones(static_cast<Index>(twice.size())), labels = made.labels(twice);
  const MatrixXd values = rows.values(twice, Eigen::all), ranks = rows.ranks(twice, Eigen::all);
  expect_near(LinearExpert(rows.values, made.labels, weights, 3)(rows.values),
              LinearExpert(values, labels, ones, 3)(rows.values));
  expect_near(QuadraticExpert(rows.values, made.labels, weights, 0.3)(rows.values),
              QuadraticExpert(values, labels, ones, 0.3)(rows.values));
  expect_near(NormalColumnsExpert(rows.values, made.labels, weights)(rows.values),
              NormalColumnsExpert(values, labels, ones)(rows.values));
  expect_near(BinnedExpert(rows.ranks, made.labels, weights, 4)(rows.ranks),
              BinnedExpert(ranks, labels, ones, 4)(rows.ranks));
}

// Two rows of P at 0 and 2, two of Q at -1 and 1. Without the row at 0, P has one row at 2 and five of
// variance 1 beside it: variance 5/6; Q has variance (2 + 5)/7 = 1 around 0. So the row at 0 scores -½(4·6/5
// + log(5/6)) + ½(0 + 0).
TEST_F(Pfn, NormalColumnsByHand) {
  const MatrixXd x = (MatrixXd(4, 1) << 0, 2, -1, 1).finished();
  const VectorXd labels = (VectorXd(4) << 1, 1, -1, -1).finished();
  EXPECT_NEAR(NormalColumnsExpert(x, labels, VectorXd::Ones(4)).known[0],
              -0.5 * (4 * 6.0 / 5 + std::log(5.0 / 6)), 1e-12);
}

TEST_F(Pfn, NegatedScoresGiveTheNegatedAnswer) {
  const Case made = read_case("unequal");
  const VectorXd ones = VectorXd::Ones(made.labels.size());
  const auto summary = Network::embedded().summarise(made.known, made.labels, ones, 5);
  EXPECT_EQ(Network::embedded().summarise(-made.known, -made.labels, ones, 5), summary);
  const VectorXd odds = Network::embedded().log_odds(summary, made.asked);
  EXPECT_EQ(Network::embedded().log_odds(summary, -made.asked), -odds);
  EXPECT_GT(odds.cwiseAbs().maxCoeff(), 0.1);
}

std::vector<double> scores_of(const GaussianPair& pair, const GaussianPair& test, std::uint64_t seed = 1) {
  const auto model =
      pfn_family().prepare(pair.problem())->fit(pair.rows, {}, Fit{RandomStream(seed), {}, Loss::plain});
  return test::log_odds(*model, test.features.view(), test.rows);
}

TEST_F(Pfn, OrderOfRowsAndColumnsDoesNotMatter) {
  const GaussianPair pair(40, 50, 0.5, 0.5, 1), test(20, 20, 0.5, 0.5, 2);
  GaussianPair turned = pair, turned_test = test;
  for (GaussianPair* each : {&turned, &turned_test}) {
    for (std::size_t i = 0; i < each->features.rows(); ++i)
      std::swap(each->features.at(i, 0), each->features.at(i, 1));
  }
  std::ranges::reverse(turned.rows);
  const auto odds = scores_of(pair, test), again = scores_of(turned, turned_test);
  for (std::size_t i = 0; i < odds.size(); ++i) EXPECT_NEAR(odds[i], again[i], 1e-4);
}

// More columns than the network takes at once: each part of them says the same, and so does their mean.
TEST_F(Pfn, ManyColumnsAreDividedAndAveraged) {
  const GaussianPair pair(60, 60, 0.5, 1, 3), test(200, 200, 0.5, 1, 4);
  const auto widened = [](GaussianPair narrow) {
    const Matrix before = narrow.features;
    narrow.features = Matrix(before.rows(), 150);
    for (std::size_t j = 0; j < 150; ++j)
      std::ranges::copy(before.column(j % 2), narrow.features.column(j).begin());
    return narrow;
  };
  const GaussianPair wide = widened(pair), wide_test = widened(test);
  const auto fitted =
      pfn_family().prepare(wide.problem())->fit(wide.rows, {}, Fit{RandomStream(1), {}, Loss::plain});
  EXPECT_GT(test::measured_jsd(*fitted, wide_test), 0.15);  // the truth is 0.35
}

TEST_F(Pfn, LargerTablesAreDividedAndLargeOnesSubsampled) {
  const auto fitted = [](std::size_t rows_p, std::size_t rows_q) {
    const GaussianPair pair(rows_p, rows_q, 0.5, 0.5, 5);
    return pfn_family().prepare(pair.problem())->fit(pair.rows, {}, Fit{RandomStream(1), {}, Loss::plain});
  };
  const auto divided = fitted(300, 150);
  EXPECT_TRUE(divided->notes().empty());
  const auto subsampled = fitted(1500, 2);
  ASSERT_EQ(subsampled->notes().size(), 1U);
  EXPECT_EQ(subsampled->notes()[0].code, "pfn_rows");
  // 1318 of 1500 and 1 of 2.
  EXPECT_NE(subsampled->notes()[0].message.find("a random 1319 of 1502 rows"), std::string::npos);
}

TEST_F(Pfn, WeightsOfAnotherShapeAreRefused) {
  const std::string header = R"({"rows.1.bias":{"dtype":"F16","shape":[1],"data_offsets":[0,2]}})";
  std::string bytes(8, '\0');
  bytes[0] = static_cast<char>(header.size());
  bytes += header + std::string(2, '\0');
  EXPECT_THROW(Network(std::as_bytes(std::span(bytes))), InvalidInput);
}

}  // namespace
}  // namespace jsdiv::pfn
