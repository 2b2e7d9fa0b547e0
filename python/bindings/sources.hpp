#pragma once

#include <string>
#include <utility>
#include <variant>

#include "jsdiv/table.hpp"

namespace jsdiv::python {

/// A path, or a table that is used up by the call.
using Source = std::variant<std::string, Table*>;

inline Table taken(const Source& source) {
  return std::exchange(*std::get<Table*>(source), {});
}

/// work(p, q) with two paths or two tables; with X, three of a kind.
template <typename Work>
auto with_sources(const Source& p, const Source& q, const Work& work) {
  if (std::holds_alternative<std::string>(p)) return work(std::get<std::string>(p), std::get<std::string>(q));
  return work(taken(p), taken(q));
}

template <typename Work>
auto with_sources(const Source& p, const Source& q, const Source& x, const Work& work) {
  if (std::holds_alternative<std::string>(p))
    return work(std::get<std::string>(p), std::get<std::string>(q), std::get<std::string>(x));
  return work(taken(p), taken(q), taken(x));
}

}  // namespace jsdiv::python
