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
#include "classify/registry.hpp"
#include "core/parallel.hpp"
#include "jsdiv/jsdiv.hpp"
#include "listen.hpp"
#include "options.hpp"
#include "protocol/record.hpp"
#include "python_family.hpp"
#include "report/json.hpp"
#include "report/summary.hpp"
#include "simulate/reference.hpp"
#include "table.hpp"
#include "uncertainty/interval.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

using Vector = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
/// A path, or a table that is used up by the call.
using Source = std::variant<std::string, Table*>;

std::span<const double> values_of(const Vector& array) {
  return {array.data(), array.shape(0)};
}

Table take_table(const Source& source) {
  Table& table = *std::get<Table*>(source);
  return std::exchange(table, {});
}

/// work(p, q) with two paths or two tables.
template <typename Work>
auto with_sources(const Source& p, const Source& q, const Work& work) {
  if (std::holds_alternative<std::string>(p)) return work(std::get<std::string>(p), std::get<std::string>(q));
  return work(take_table(p), take_table(q));
}

EstimateOptions options_with_families(const nb::dict& arguments, const nb::list& own_families) {
  EstimateOptions options = estimate_options(arguments);
  for (const nb::handle adapter : own_families)
    options.own_families.push_back(python_family(nb::borrow(adapter)));
  return options;
}

nb::dict rows_dict(const std::vector<RowRecord>& records) {
  std::vector<std::uint64_t> seed;
  std::vector<std::uint8_t> in_p;
  std::vector<std::int64_t> row;
  std::vector<double> posterior;
  std::vector<double> share;
  for (const RowRecord& record : records) {
    seed.push_back(record.seed);
    in_p.push_back(record.table == 'P' ? 1 : 0);
    row.push_back(static_cast<std::int64_t>(record.row));
    posterior.push_back(record.posterior);
    share.push_back(record.share);
  }
  nb::dict rows;
  rows["seed"] = array_of(std::move(seed));
  rows["in_p"] = array_of(std::move(in_p));
  rows["row"] = array_of(std::move(row));
  rows["posterior"] = array_of(std::move(posterior));
  rows["share_bits"] = array_of(std::move(share));
  return rows;
}

/// JSON, rows, summary.
using ResultParts = std::tuple<std::string, nb::dict, std::string>;

ResultParts parts_of(const Result& result) {
  return {to_json(result), rows_dict(result.rows), summary(result)};
}

ResultParts estimate_(const Source& p, const Source& q, const nb::dict& arguments,
                      const nb::list& own_families, const nb::object& progress) {
  EstimateOptions options = options_with_families(arguments, own_families);
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
  Json warnings = Json::array();
  for (const Warning& warning : result.warnings) {
    warnings.push_back({{"code", warning.code}, {"message", warning.message}});
  }
  return {dump(marginal_json(result)), dump(warnings), summary(result)};
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

void check_level(double level) {
  if (!(level > 0 && level < 1)) throw InvalidInput("level must lie between 0 and 1, for example 0.95");
}

std::tuple<double, double> interval_(const std::string& protocol, double jsd, double raw,
                                     double standard_error, double standard_error_below,
                                     std::optional<double> p_value, std::size_t seeds, double level) {
  check_level(level);
  const Interval interval =
      protocol == "paper" ? seeds_interval(raw, standard_error, seeds, level)
                          : divergence_interval(jsd, {standard_error_below, standard_error}, level, p_value);
  return {interval.low, interval.high};
}

std::vector<std::tuple<std::string, int>> families_() {
  std::vector<std::tuple<std::string, int>> result;
  for (const Family* family : families()) {
    result.emplace_back(std::string(family->name()), family->published_iterations());
  }
  return result;
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
             const nb::dict& config, const nb::dict& arguments, const nb::list& own_families) {
            const EstimateOptions options = options_with_families(arguments, own_families);
            const Hyperparameters values = hyperparameters(config);
            std::optional<Classifier> trained;
            run_while_listening(
                [&](const ProgressFunction&) { trained.emplace(p, q, family, values, options); }, nb::none());
            new (self) Classifier(std::move(*trained));
          },
          nb::arg("p"), nb::arg("q"), nb::arg("family"), nb::arg("config"), nb::arg("options"),
          nb::arg("own_families"),
          nb::sig(
              "def __init__(self, p: Table, q: Table, family: str, config: dict[str, typing.Any],"
              " options: collections.abc.Mapping[str, typing.Any], own_families: list[typing.Any]) -> None"))
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
    const std::string message = in_python_terms(error.what());
    const nb::object cause = take_family_failure();
    PyErr_SetString(PyExc_ValueError, message.c_str());
    if (cause.is_none()) return;
    nb::python_error raised;
    PyException_SetCause(raised.value().ptr(), nb::object(cause).release().ptr());
    raised.restore();
  } catch (const Interrupted&) {
    PyErr_SetString(PyExc_KeyboardInterrupt, "");
  } catch (const InternalError& error) {
    PyErr_Format(PyExc_RuntimeError, "%s (this is a bug of jsdiv; please report it)", error.what());
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
  module.def("estimate", &estimate_, nb::arg("p"), nb::arg("q"), nb::arg("options"), nb::arg("own_families"),
             nb::arg("progress").none(),
             nb::sig("def estimate(p: str | Table, q: str | Table, options: collections.abc.Mapping[str, "
                     "typing.Any], own_families: list[typing.Any],"
                     " progress: collections.abc.Callable[[float, str], object] | None) -> tuple[str, "
                     "dict[str, numpy.typing.NDArray[typing.Any]], str]"));
  module.def("estimate_posteriors", &estimate_posteriors_, nb::arg("p"), nb::arg("q"), nb::arg("posteriors"),
             nb::arg("options"),
             nb::sig("def estimate_posteriors(p: str | Table, q: str | Table, posteriors: "
                     "numpy.typing.NDArray[numpy.float64],"
                     " options: collections.abc.Mapping[str, typing.Any]) -> tuple[str, dict[str, "
                     "numpy.typing.NDArray[typing.Any]], str]"));
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
  module.def("interval", &interval_, nb::arg("protocol"), nb::arg("jsd"), nb::arg("raw"),
             nb::arg("standard_error"), nb::arg("standard_error_below"), nb::arg("p_value").none(),
             nb::arg("seeds"), nb::arg("level"));
  module.def("families", &families_);
  module.def("in_python_terms", &in_python_terms, nb::arg("message"));
  module.def("option_table", &option_table, nb::arg("function"),
             nb::sig("def option_table(function: str) -> list[dict[str, typing.Any]]"));
}
