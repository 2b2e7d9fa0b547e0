#include "scored.hpp"

#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <Eigen/Core>
#include <array>
#include <cmath>

#include "core/numeric.hpp"
#include "jsdiv/jsdiv.hpp"
#include "listen.hpp"
#include "measure/divergences.hpp"
#include "measure/posterior_summary.hpp"
#include "protocol/rung.hpp"
#include "report/json.hpp"
#include "report/summary.hpp"
#include "stack/stack.hpp"
#include "uncertainty/evidence.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

template <typename T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using Columns = nb::ndarray<const double, nb::ndim<2>, nb::f_contig, nb::device::cpu>;
using Sums = nb::ndarray<const double, nb::shape<2, 5>, nb::c_contig, nb::device::cpu>;

template <typename T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.shape(0)};
}

std::array<TermSums, 2> tables_of(const Sums& sums) {
  std::array<TermSums, 2> result;
  for (std::size_t table = 0; table < 2; ++table) {
    const double* row = sums.data() + 5 * table;
    result[table] = {row[0], row[1], row[2], row[3], row[4]};
  }
  return result;
}

Measured measured_of(const Sums& sums) {
  const auto [p, q] = tables_of(sums);
  return divergence_with_error(p, q);
}

/// Rows, sum and squares of the terms, sum and squares of the swapped terms: of P, then of Q.
std::tuple<double, double> divergence_of_sums(const Sums& sums) {
  const Measured measured = measured_of(sums);
  return {measured.value, measured.standard_error};
}

/// Intercept and weights.
std::tuple<double, std::vector<double>> stack_weights(const Columns& log_odds,
                                                      const Vector<std::uint8_t>& in_p) {
  const Eigen::Map<const Eigen::MatrixXd> matrix(log_odds.data(),
                                                 static_cast<Eigen::Index>(log_odds.shape(0)),
                                                 static_cast<Eigen::Index>(log_odds.shape(1)));
  const Stack stack = fit_stack(matrix, span_of(in_p), {});
  return {stack.intercept, stack.weights};
}

/// Held-out rows at hand: all of them, or a random part.
struct ScoredRows {
  Vector<double> full, first_half, second_half;  ///< log-odds
  Vector<std::uint8_t> in_p;
  Vector<std::uint32_t> folds;
  Vector<std::uint32_t> groups;  ///< empty: none

  HeldOutRows rows() const { return {span_of(in_p), {}, span_of(groups)}; }
};

struct ScoredFacts {
  std::size_t training_rows = 0;
  std::size_t columns = 0;
  double level = 0;
  std::uint64_t seed = 0;
  Maybe reach;
};

Result result_of(const ScoredRows& scored, const LearningCurve& curve, const ScoredFacts& facts) {
  const auto log_odds = span_of(scored.full);
  const RandomStream random = RandomStream(facts.seed).child("auto");
  const Evidence evidence = evidence_of(curve, log_odds, scored.rows(), span_of(scored.folds), facts.level,
                                        random.child("permutations"));
  Result result;
  result.ladder.push_back(rung_from("as_stored", curve, evidence, facts.reach));
  take_first_rung(result, curve, facts.reach);
  const double cap = std::log(static_cast<double>(std::max<std::size_t>(2, facts.training_rows)));
  const Divergences others = divergences_from_log_odds(log_odds, scored.rows(), cap);
  result.warnings = others.warnings;
  result.divergences.emplace();
  result.divergences->values = {{"kl_pq", others.kl_pq},
                                {"kl_qp", others.kl_qp},
                                {"total_variation", others.total_variation},
                                {"hellinger", others.hellinger},
                                {"chi2", others.chi2},
                                {"auc", others.auc},
                                {"accuracy", others.accuracy},
                                {"pmse", others.pmse},
                                {"mmd2", std::nullopt},
                                {"energy", std::nullopt},
                                {"sliced_wasserstein", std::nullopt}};
  std::vector<RowRecord> records(log_odds.size());
  for (std::size_t row = 0; row < records.size(); ++row) {
    records[row].table = span_of(scored.in_p)[row] == 1 ? 'P' : 'Q';
    records[row].posterior = sigmoid(log_odds[row]);
  }
  result.posteriors = posterior_summary(records);
  return result;
}

/// The JSON of a result with everything that follows from held-out log-odds. `sums` of all rows, of the full
/// fit and of either half: the curve is taken from them, and from the rows at hand where there are none.
std::string scored_result(const Vector<double>& full, const Vector<double>& first_half,
                          const Vector<double>& second_half, const Vector<std::uint8_t>& in_p,
                          const Vector<std::uint32_t>& folds, const Vector<std::uint32_t>& groups,
                          const std::vector<Sums>& sums, std::size_t training_rows, std::size_t columns,
                          double level, std::uint64_t seed, std::optional<double> reach) {
  const ScoredRows scored{full, first_half, second_half, in_p, folds, groups};
  const ScoredFacts facts{training_rows, columns, level, seed, reach};
  std::string text;
  run_while_listening(
      [&](const ProgressFunction&) {
        const auto terms = [&](const Vector<double>& values) {
          return jsd_terms(span_of(values), span_of(in_p));
        };
        const LearningCurve curve =
            sums.empty() ? follow_learning_curve(terms(full), {terms(first_half), terms(second_half)},
                                                 scored.rows(), training_rows, columns)
                         : learning_curve_of(measured_of(sums[0]),
                                             {measured_of(sums[1]).value, measured_of(sums[2]).value},
                                             training_rows, columns);
        text = dump(result_json(result_of(scored, curve, facts)));
      },
      nb::none());
  return text;
}

std::string summary_of(const std::string& result) {
  return summary(parse_json(result, "the result"));
}

}  // namespace

void bind_scored(nb::module_& module) {
  module.def(
      "divergence_of_sums", &divergence_of_sums, nb::arg("sums"),
      nb::sig("def divergence_of_sums(sums: numpy.typing.NDArray[numpy.float64]) -> tuple[float, float]"));
  module.def("stack_weights", &stack_weights, nb::arg("log_odds"), nb::arg("in_p"),
             nb::sig("def stack_weights(log_odds: numpy.typing.NDArray[numpy.float64], in_p: "
                     "numpy.typing.NDArray[numpy.uint8]) -> tuple[float, list[float]]"));
  module.def(
      "scored_result", &scored_result, nb::arg("full"), nb::arg("first_half"), nb::arg("second_half"),
      nb::arg("in_p"), nb::arg("folds"), nb::arg("groups"), nb::arg("sums"), nb::arg("training_rows"),
      nb::arg("columns"), nb::arg("level"), nb::arg("seed"), nb::arg("reach").none(),
      nb::sig("def scored_result(full: numpy.typing.NDArray[numpy.float64], first_half: "
              "numpy.typing.NDArray[numpy.float64], second_half: numpy.typing.NDArray[numpy.float64], in_p: "
              "numpy.typing.NDArray[numpy.uint8], folds: numpy.typing.NDArray[numpy.uint32], groups: "
              "numpy.typing.NDArray[numpy.uint32], sums: list[numpy.typing.NDArray[numpy.float64]], "
              "training_rows: int, columns: int, level: float, seed: int, reach: float "
              "| None) -> str"));
  module.def("summary_of", &summary_of, nb::arg("result"));
}

}  // namespace jsdiv::python
