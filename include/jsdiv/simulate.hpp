#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "jsdiv/table.hpp"

namespace jsdiv {

/// What to draw. An option that the scenario does not take must stay empty; see ScenarioInfo::options.
struct SimulateOptions {
  std::size_t n = 6000;                 ///< rows of P
  std::optional<std::size_t> n_q;       ///< rows of Q; by default as many as P (demo: three quarters)
  std::uint64_t seed = 0;               ///< rows, and the parameters of a scenario that draws them
  std::optional<double> rho;            ///< correlation, |rho| < 1
  std::optional<double> gap;            ///< how far Q's mean lies from P's
  std::optional<double> ratio;          ///< |Q| / |P|; excludes n_q
  std::optional<double> df;             ///< degrees of freedom
  std::optional<std::size_t> d;         ///< columns
  std::optional<std::size_t> fit_rows;  ///< points of P that Q is fitted to
};

/// What is known about a simulated pair.
struct Truth {
  double jsd = 0;             ///< of the two distributions, in bits
  double standard_error = 0;  ///< of `jsd`; 0 unless the method is Monte Carlo
  std::string method;         ///< "quadrature", "enumeration" or "monte carlo"
  /// The plug-in with the true densities on these very rows. Its standard error is NaN for a table of one
  /// row.
  double oracle = 0;
  double oracle_standard_error = 0;
  std::string scenario;
  /// The rows and the seed, then the scenario's options with their defaults filled in.
  std::vector<std::pair<std::string, std::variant<std::uint64_t, double>>> parameters;
};

/// truth.json; what is not a number is null.
std::string to_json(const Truth& truth);

struct Simulation {
  Table p, q;
  Truth truth;
};

/// One scenario, for help texts and for programs that run them all.
struct ScenarioInfo {
  std::string_view name;
  std::string_view description;
  std::vector<std::string_view> options;  ///< fields of SimulateOptions beyond n, n_q and seed
};

std::span<const ScenarioInfo> scenarios();
std::vector<std::string_view> scenario_names();

/// Draws the pair. Equal options give equal tables, whatever the number of threads.
Simulation simulate(std::string_view scenario, const SimulateOptions& options = {});

}  // namespace jsdiv
