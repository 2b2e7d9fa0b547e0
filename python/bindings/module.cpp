#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <cmath>
#include <memory>

#include "arrays.hpp"
#include "bench.hpp"
#include "bench/published.hpp"
#include "classify/registry.hpp"
#include "cli/program.hpp"
#include "core/parallel.hpp"
#include "guide/guide.hpp"
#include "jsdiv/jsdiv.hpp"
#include "listen.hpp"
#include "load/arrow_file.hpp"
#include "options.hpp"
#include "python_family.hpp"
#include "recorded.hpp"
#include "report/html.hpp"
#include "report/json.hpp"
#include "report/summary.hpp"
#include "scored.hpp"
#include "simulate/reference.hpp"
#include "sources.hpp"
#include "table.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const double> values_of(const Vector& array) {
  return {array.data(), array.shape(0)};
}

EstimateOptions with_families(EstimateOptions options, const nb::list& own_families) {
  for (const nb::handle adapter : own_families)
    options.own_families.push_back(python_family(nb::borrow(adapter)));
  return options;
}

nb::dict rows_dict(const std::vector<RowRecord>& records) {
  std::vector<std::uint64_t> seed;
  std::vector<std::uint8_t> in_p;
  std::vector<std::int64_t> row;
  std::vector<double> posterior;
  std::vector<double> information;
  std::vector<double> share;
  for (const RowRecord& record : records) {
    seed.push_back(record.seed);
    in_p.push_back(record.table == 'P' ? 1 : 0);
    row.push_back(static_cast<std::int64_t>(record.row) - 1);  // as arrays and frames count
    posterior.push_back(record.posterior);
    information.push_back(record.information);
    share.push_back(record.share);
  }
  nb::dict rows;
  rows["seed"] = array_of(std::move(seed));
  rows["in_p"] = array_of(std::move(in_p));
  rows["row"] = array_of(std::move(row));
  rows["posterior"] = array_of(std::move(posterior));
  rows["information_bits"] = array_of(std::move(information));
  rows["share_bits"] = array_of(std::move(share));
  return rows;
}

std::string charts_text(const Result& result) {
  return dump(column_charts_json(result.column_charts));
}

/// JSON, rows, summary, charts of the columns.
using ResultParts = std::tuple<std::string, nb::dict, std::string, std::string>;

ResultParts parts_of(const Result& result) {
  return {to_json(result), rows_dict(result.rows), summary(result), charts_text(result)};
}

ResultParts estimate_(const Source& p, const Source& q, const nb::dict& arguments,
                      const nb::list& own_families, const nb::object& progress) {
  EstimateOptions options = with_families(estimate_options(arguments), own_families);
  Result result;
  run_while_listening(
      [&](const ProgressFunction& report) {
        options.progress = report;
        result =
            with_sources(p, q, [&](auto a, auto b) { return estimate(std::move(a), std::move(b), options); });
      },
      progress);
  return parts_of(result);
}

ResultParts self_check_(const Source& p, const Source& q, const nb::dict& arguments,
                        const nb::list& own_families, std::optional<int> refits,
                        const std::string& refits_folder, const nb::object& progress) {
  SelfCheckOptions options;
  options.estimate = with_families(estimate_options(arguments), own_families);
  options.refits = refits.value_or(options.refits);
  options.refits_folder = refits_folder;
  Result result;
  run_while_listening(
      [&](const ProgressFunction& report) {
        options.estimate.progress = report;
        result = with_sources(
            p, q, [&](auto a, auto b) { return self_check(std::move(a), std::move(b), options); });
      },
      progress);
  return parts_of(result);
}

ResultParts estimate_posteriors_(const Source& p, const Source& q, const Vector& posteriors,
                                 const nb::dict& arguments) {
  const EstimateOptions options = estimate_options(arguments, false);
  Result result;
  run_while_listening(
      [&](const ProgressFunction&) {
        result = with_sources(p, q, [&](auto a, auto b) {
          return estimate_posteriors(std::move(a), std::move(b), values_of(posteriors), options);
        });
      },
      nb::none());
  return parts_of(result);
}

/// JSON, summary, charts of the columns.
using Parts = std::tuple<std::string, std::string, std::string>;

Parts explain_(const Source& p, const Source& q, const nb::dict& arguments, const nb::list& own_families,
               const std::string& by, const std::string& rung, bool show_rows,
               std::optional<std::size_t> telling_rows, const nb::object& progress) {
  ExplainOptions options;
  options.estimate = with_families(estimate_options(arguments), own_families);
  options.by = by;
  options.rung = rung;
  options.show_rows = show_rows;
  options.telling_rows = telling_rows.value_or(options.telling_rows);
  ExplainResult result;
  run_while_listening(
      [&](const ProgressFunction& report) {
        options.estimate.progress = report;
        result =
            with_sources(p, q, [&](auto a, auto b) { return explain(std::move(a), std::move(b), options); });
      },
      progress);
  return {to_json(result), summary(result), charts_text(result.estimate)};
}

Parts compare_(Table& reference, const std::vector<std::string>& names, const std::vector<Table*>& tables,
               const nb::dict& arguments, const nb::list& own_families, bool over_time, bool yardstick,
               const nb::object& progress) {
  CompareOptions options;
  options.estimate = with_families(estimate_options(arguments), own_families);
  options.over_time = over_time;
  options.yardstick = yardstick;
  const NamedTable first{"reference", std::exchange(reference, {})};
  std::vector<NamedTable> candidates;
  for (std::size_t i = 0; i < names.size(); ++i) {
    candidates.push_back({names[i], std::exchange(*tables.at(i), {})});
  }
  CompareResult result;
  run_while_listening(
      [&](const ProgressFunction& report) {
        options.estimate.progress = report;
        result = compare(first, candidates, options);
      },
      progress);
  return {to_json(result), summary(result), dump(Json::array())};
}

/// D(x) of the rows of X, and the warnings as JSON.
std::tuple<nb::object, std::string> score_(const Source& p, const Source& q, const Source& x,
                                           const nb::dict& arguments, const nb::list& own_families,
                                           const nb::object& progress) {
  EstimateOptions options = with_families(score_options(arguments), own_families);
  Scores scores;
  run_while_listening(
      [&](const ProgressFunction& report) {
        options.progress = report;
        scores = with_sources(p, q, x, [&](auto a, auto b, auto c) {
          return score(std::move(a), std::move(b), std::move(c), options);
        });
      },
      progress);
  return {array_of(std::move(scores.posteriors)), dump(warnings_json(scores.warnings))};
}

/// JSON, summary.
std::tuple<std::string, std::string> guide_(const Source& p, const Source& q, const nb::dict& arguments) {
  const GuideArguments options = guide_options(arguments);
  Guide result;
  run_while_listening(
      [&](const ProgressFunction&) {
        result = with_sources(p, q, [&](auto a, auto b) {
          return guide(std::move(a), std::move(b), options.load, options.family, options.threads);
        });
      },
      nb::none());
  return {dump(guide_json(result)), summary(result)};
}

std::tuple<std::string, std::string, std::string> marginal_(const Source& p, const Source& q,
                                                            const nb::dict& arguments) {
  const MarginalArguments options = marginal_options(arguments);
  MarginalResult result;
  run_while_listening(
      [&](const ProgressFunction&) {
        result = with_sources(p, q, [&](auto a, auto b) {
          return marginal(std::move(a), std::move(b), options.load, options.threads);
        });
      },
      nb::none());
  return {dump(marginal_json(result)), dump(warnings_json(result.warnings)), summary(result)};
}

/// P, Q, the truth, and the posteriors of the rows, of which there may be none. A base table is used up.
std::tuple<nb::dict, nb::dict, std::string, nb::object> simulate_(const std::string& scenario,
                                                                  const nb::dict& arguments, Table* base) {
  SimulateArguments options = simulate_options(arguments);
  if (base != nullptr) options.options.base = std::make_shared<const Table>(std::exchange(*base, {}));
  Simulation pair;
  run_while_listening(
      [&](const ProgressFunction&) {
        with_threads(options.threads, [&] { pair = simulate(scenario, options.options); });
      },
      nb::none());
  return {
      columns_dict(pair.p), columns_dict(pair.q), to_json(pair.truth),
      pair.posteriors.empty() ? nb::object(nb::none()) : nb::object(array_of(std::move(pair.posteriors)))};
}

nb::list scenarios_() {
  nb::list rows;
  for (const ScenarioInfo& scenario : scenarios()) {
    nb::list names;
    for (const std::string_view option : scenario.options) names.append(std::string(option));
    rows.append(nb::make_tuple(std::string(scenario.name), std::string(scenario.description), names));
  }
  return rows;
}

/// The Monte Carlo mean of what a row reveals, from log p(x) - log q(x) of rows of P and of rows of Q.
std::tuple<double, double> reference_(const Vector& log_ratios_p, const Vector& log_ratios_q) {
  simulate_detail::Moments of_p;
  simulate_detail::Moments of_q;
  for (const double ratio : values_of(log_ratios_p)) of_p.add(simulate_detail::bits_at_log_ratio(ratio));
  for (const double ratio : values_of(log_ratios_q)) of_q.add(simulate_detail::bits_at_log_ratio(ratio));
  return {(of_p.mean + of_q.mean) / 2, std::sqrt(of_p.variance_of_mean() + of_q.variance_of_mean()) / 2};
}

/// The interval of a recorded result at another level. `seeds`: of the family that the result copies; 0: it
/// is that of a stack.
std::tuple<double, double> interval_(double jsd, double raw, double standard_error,
                                     double standard_error_below, std::optional<double> reach,
                                     std::optional<double> p_value, std::size_t seeds, double level) {
  Result result;
  result.jsd = jsd;
  result.raw = raw;
  result.standard_error = standard_error;
  result.standard_error_below = standard_error_below;
  result.interval_reach = reach;
  result.p_value = p_value;
  result.confidence_interval.emplace();
  if (seeds > 0) {
    result.selected_family = "selected";
    result.families.push_back({.name = result.selected_family});
    result.families.back().seeds.resize(seeds);
  }
  const Interval interval = result.interval(level).value();
  return {interval.low, interval.high};
}

std::vector<std::tuple<std::string, int>> families_() {
  std::vector<std::tuple<std::string, int>> result;
  for (const Family* family : families()) {
    result.emplace_back(std::string(family->name()), bench::published_iterations(family->name()).value_or(0));
  }
  return result;
}

/// The command line, in this process; its exit code. Arguments are bytes, as the system has them.
int run_command_(const std::vector<nb::bytes>& arguments) {
  std::vector<std::string> texts = {"jsdiv"};
  for (const nb::bytes& argument : arguments) texts.emplace_back(argument.c_str(), argument.size());
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  const nb::gil_scoped_release released;
  return cli::run_program(static_cast<int>(texts.size()), pointers.data());
}

Hyperparameters hyperparameters(const nb::dict& values) {
  Hyperparameters result;
  for (const auto& [name, value] : values) {
    result[nb::cast<std::string>(name)] = nb::cast<std::variant<std::int64_t, double, std::string>>(value);
  }
  return result;
}

void bind_classifier(nb::module_& module) {
  nb::class_<Classifier>(module, "Classifier", "One family trained on all rows of P and Q.")
      .def(
          "__init__",
          [](Classifier* self, const Table& p, const Table& q, const std::string& family,
             const nb::dict& config, const nb::dict& arguments, const nb::list& own_families,
             bool calibrated) {
            const EstimateOptions options = with_families(estimate_options(arguments), own_families);
            const Hyperparameters values = hyperparameters(config);
            std::optional<Classifier> trained;
            run_while_listening(
                [&](const ProgressFunction&) { trained.emplace(p, q, family, values, options, calibrated); },
                nb::none());
            new (self) Classifier(std::move(*trained));
          },
          nb::arg("p"), nb::arg("q"), nb::arg("family"), nb::arg("config"), nb::arg("options"),
          nb::arg("own_families"), nb::arg("calibrated") = true,
          nb::sig("def __init__(self, p: Table, q: Table, family: str, config: dict[str, typing.Any],"
                  " options: collections.abc.Mapping[str, typing.Any], own_families: list[typing.Any],"
                  " calibrated: bool = True) -> None"))
      .def(
          "posteriors",
          [](const Classifier& self, Table& x) {
            std::vector<double> result;
            Table taken = std::exchange(x, {});
            run_while_listening([&](const ProgressFunction&) { result = self.posteriors(std::move(taken)); },
                                nb::none());
            return array_of(std::move(result));
          },
          nb::arg("x"), nb::sig("def posteriors(self, x: Table) -> numpy.typing.NDArray[numpy.float64]"));
}

void translate(const std::exception_ptr& pointer, void*) {
  try {
    std::rethrow_exception(pointer);
  } catch (const InvalidInput& error) {
    const std::string message = in_python_terms(error.message());
    const nb::object cause = take_family_failure();
    PyErr_SetString(PyExc_ValueError, message.c_str());
    if (cause.is_none()) return;
    nb::python_error raised;
    PyException_SetCause(raised.value().ptr(), nb::object(cause).release().ptr());
    raised.restore();
  } catch (const Interrupted&) {
    PyErr_SetString(PyExc_KeyboardInterrupt, "");
  } catch (const InternalError& error) {
    PyErr_Format(PyExc_RuntimeError, "%s (this is a bug in jsdiv; please report it)", error.what());
  }
}

}  // namespace
}  // namespace jsdiv::python

NB_MODULE(_core, module) {
  using namespace jsdiv::python;
  module.doc() = "The native part of jsdiv.";
  nb::register_exception_translator(translate);
  module.attr("VERSION") = JSDIV_VERSION;
  bind_table(module);
  bind_classifier(module);
  bind_recorded(module);
  module.attr("HAS_PARQUET") = jsdiv::has_arrow();
  bind_scored(module);
  bind_bench(module);
  module.def("estimate", &estimate_, nb::arg("p"), nb::arg("q"), nb::arg("options"), nb::arg("own_families"),
             nb::arg("progress").none(),
             nb::sig("def estimate(p: str | Table, q: str | Table, options: collections.abc.Mapping[str, "
                     "typing.Any], own_families: list[typing.Any],"
                     " progress: collections.abc.Callable[[float, str], object] | None) -> tuple[str, "
                     "dict[str, numpy.typing.NDArray[typing.Any]], str, str]"));
  module.def("self_check", &self_check_, nb::arg("p"), nb::arg("q"), nb::arg("options"),
             nb::arg("own_families"), nb::arg("refits").none(), nb::arg("refits_folder"),
             nb::arg("progress").none(),
             nb::sig("def self_check(p: str | Table, q: str | Table, options: collections.abc.Mapping[str, "
                     "typing.Any], own_families: list[typing.Any], refits: int | None, refits_folder: str,"
                     " progress: collections.abc.Callable[[float, str], object] | None) -> tuple[str, "
                     "dict[str, numpy.typing.NDArray[typing.Any]], str, str]"));
  module.def("estimate_posteriors", &estimate_posteriors_, nb::arg("p"), nb::arg("q"), nb::arg("posteriors"),
             nb::arg("options"),
             nb::sig("def estimate_posteriors(p: str | Table, q: str | Table, posteriors: "
                     "numpy.typing.NDArray[numpy.float64],"
                     " options: collections.abc.Mapping[str, typing.Any]) -> tuple[str, dict[str, "
                     "numpy.typing.NDArray[typing.Any]], str, str]"));
  module.def("explain", &explain_, nb::arg("p"), nb::arg("q"), nb::arg("options"), nb::arg("own_families"),
             nb::arg("by"), nb::arg("rung"), nb::arg("show_rows"), nb::arg("telling_rows").none(),
             nb::arg("progress").none(),
             nb::sig("def explain(p: str | Table, q: str | Table, options: collections.abc.Mapping[str, "
                     "typing.Any], own_families: list[typing.Any], by: str, rung: str, show_rows: bool,"
                     " telling_rows: int | None,"
                     " progress: collections.abc.Callable[[float, str], object] | None)"
                     " -> tuple[str, str, str]"));
  module.def("compare", &compare_, nb::arg("reference"), nb::arg("names"), nb::arg("tables"),
             nb::arg("options"), nb::arg("own_families"), nb::arg("over_time"), nb::arg("yardstick"),
             nb::arg("progress").none(),
             nb::sig("def compare(reference: Table, names: list[str], tables: list[Table], options: "
                     "collections.abc.Mapping[str, typing.Any], own_families: list[typing.Any], over_time: "
                     "bool, yardstick: bool, progress: collections.abc.Callable[[float, str], object] | None)"
                     " -> tuple[str, str, str]"));
  module.def("score", &score_, nb::arg("p"), nb::arg("q"), nb::arg("x"), nb::arg("options"),
             nb::arg("own_families"), nb::arg("progress").none(),
             nb::sig("def score(p: str | Table, q: str | Table, x: str | Table, options: "
                     "collections.abc.Mapping[str, typing.Any], own_families: list[typing.Any], progress: "
                     "collections.abc.Callable[[float, str], object] | None)"
                     " -> tuple[numpy.typing.NDArray[numpy.float64], str]"));
  module.def("guide", &guide_, nb::arg("p"), nb::arg("q"), nb::arg("options"),
             nb::sig("def guide(p: str | Table, q: str | Table, options: collections.abc.Mapping[str, "
                     "typing.Any]) -> tuple[str, str]"));
  module.def("run_command", &run_command_, nb::arg("arguments"),
             nb::sig("def run_command(arguments: list[bytes]) -> int"));
  module.def("marginal", &marginal_, nb::arg("p"), nb::arg("q"), nb::arg("options"),
             nb::sig("def marginal(p: str | Table, q: str | Table, options: collections.abc.Mapping[str, "
                     "typing.Any]) -> tuple[str, str, str]"));
  module.def("simulate", &simulate_, nb::arg("scenario"), nb::arg("options"), nb::arg("base").none(),
             nb::sig("def simulate(scenario: str, options: collections.abc.Mapping[str, typing.Any],"
                     " base: Table | None)"
                     " -> tuple[dict[str, tuple[str, typing.Any]], dict[str, tuple[str, typing.Any]], str,"
                     " numpy.typing.NDArray[numpy.float64] | None]"));
  module.def("scenarios", &scenarios_, nb::sig("def scenarios() -> list[tuple[str, str, list[str]]]"));
  module.def("reference", &reference_, nb::arg("log_ratios_p"), nb::arg("log_ratios_q"),
             nb::sig("def reference(log_ratios_p: numpy.typing.NDArray[numpy.float64], log_ratios_q: "
                     "numpy.typing.NDArray[numpy.float64])"
                     " -> tuple[float, float]"));
  module.def("interval", &interval_, nb::arg("jsd"), nb::arg("raw"), nb::arg("standard_error"),
             nb::arg("standard_error_below"), nb::arg("reach").none(), nb::arg("p_value").none(),
             nb::arg("seeds"), nb::arg("level"));
  module.def("families", &families_);
  module.def("option_table", &option_table, nb::arg("function"),
             nb::sig("def option_table(function: str) -> list[dict[str, typing.Any]]"));
}
