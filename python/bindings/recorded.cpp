#include "recorded.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <vector>

#include "listen.hpp"
#include "report/html.hpp"
#include "report/summary.hpp"
#include "report/verify.hpp"
#include "sources.hpp"

namespace nb = nanobind;

namespace jsdiv::python {
namespace {

constexpr const char* the_record = "the recorded result";

/// The text as the command line writes it, and the summary. Throws where it is no result of an estimate.
std::tuple<std::string, std::string> read_result(const std::string& text) {
  const Json json = parse_json(text, the_record);
  require_result(json, the_record);
  return {dump(json), summary(json)};
}

Json part(const std::optional<std::string>& text) {
  return text ? parse_json(*text, the_record) : Json(nullptr);
}

std::string page(const std::string& charts, const std::optional<std::string>& result,
                 const std::optional<std::string>& explain, const std::optional<std::string>& compare) {
  return html_page({.result = part(result),
                    .explain = part(explain),
                    .compare = part(compare),
                    .charts = parse_json(charts, the_record)});
}

/// Whether it came out the same, one sentence about it, and the first differences. `p` and `q` are both None
/// for the recorded paths.
std::tuple<bool, std::string, std::vector<std::string>> verify_(const std::string& text,
                                                                const std::optional<Source>& p,
                                                                const std::optional<Source>& q,
                                                                std::size_t threads) {
  RecordedResult recorded = recorded_result(parse_json(text, the_record), the_record);
  Verification verification;
  run_while_listening(
      [&](const ProgressFunction&) {
        if (!p || !q) {
          verification = verify(std::move(recorded), the_record, {}, threads);
        } else if (std::holds_alternative<std::string>(*p)) {
          const std::vector<std::string> paths = {std::get<std::string>(*p), std::get<std::string>(*q)};
          verification = verify(std::move(recorded), the_record, paths, threads);
        } else {
          verification = verify(std::move(recorded), taken(*p), taken(*q), threads);
        }
      },
      nb::none());
  return {verification.equal, verification.verdict, verification.differences};
}

}  // namespace

void bind_recorded(nb::module_& module) {
  module.def("read_result", &read_result, nb::arg("text"),
             nb::sig("def read_result(text: str) -> tuple[str, str]"));
  module.def("page", &page, nb::arg("charts"), nb::arg("result") = nb::none(),
             nb::arg("explain") = nb::none(), nb::arg("compare") = nb::none(),
             nb::sig("def page(charts: str, result: str | None = None, explain: str | None = None, "
                     "compare: str | None = None) -> str"));
  module.def("verify", &verify_, nb::arg("text"), nb::arg("p").none(), nb::arg("q").none(),
             nb::arg("threads"),
             nb::sig("def verify(text: str, p: str | Table | None, q: str | Table | None, threads: int)"
                     " -> tuple[bool, str, list[str]]"));
}

}  // namespace jsdiv::python
