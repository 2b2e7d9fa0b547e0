#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "jsdiv/table.hpp"

namespace jsdiv {

/// What to draw. Options that the scenario does not have must stay empty; see ScenarioInfo::options.
struct SimulateOptions {
  /// Rows of P; by default 6000, in `split` every row assigned to P, in `random` drawn.
  std::optional<std::size_t> n;
  /// Rows of Q; by default as many as P (demo: three quarters; split: see n; random: drawn).
  std::optional<std::size_t> n_q;
  std::uint64_t seed = 0;                ///< rows, and the parameters of a scenario that draws them
  std::optional<double> rho;             ///< correlation, |rho| < 1
  std::optional<double> gap;             ///< how far Q's mean lies from P's
  std::optional<double> ratio;           ///< |Q| / |P|; excludes n_q
  std::optional<double> df;              ///< degrees of freedom
  std::optional<std::size_t> d;          ///< columns
  std::optional<std::size_t> fit_rows;   ///< points of P that Q is fitted to
  std::optional<double> jsd;             ///< the target divergence, below 1
  std::optional<std::string> log_ratio;  ///< one of log_ratio_kinds(); drawn by default
  std::optional<std::string> kinds;      ///< "calibration" (the default) or "left-out"
  std::shared_ptr<const Table> base;     ///< the table whose rows are assigned to P and Q
};

/// Rows of P if neither the caller nor the scenario sets them.
inline constexpr std::size_t default_simulated_rows = 6000;

/// What is known about a simulated pair.
struct Truth {
  double jsd = 0;             ///< of the two distributions, in bits
  double standard_error = 0;  ///< of `jsd`; 0 unless the method is Monte Carlo
  std::string method;         ///< "quadrature", "enumeration" or "monte carlo"
  /// The plug-in estimate with the true densities on the same rows. Its standard error is NaN for a table of
  /// one row.
  double oracle = 0;
  double oracle_standard_error = 0;
  std::string scenario;
  /// The rows and the seed, then the scenario's options with their defaults filled in.
  std::vector<std::pair<std::string, std::variant<std::uint64_t, double, std::string>>> parameters;
};

/// truth.json; what is not a number is null.
std::string to_json(const Truth& truth);

struct Simulation {
  Table p, q;
  Truth truth;
  /// Probability, at equal priors, that a row came from P: each row of P, then each of Q. Only for
  /// scenarios that know it exactly (split, random); otherwise empty.
  std::vector<double> posteriors;
};

/// One scenario, for help texts and for programs that run them all.
struct ScenarioInfo {
  std::string_view name;
  std::string_view description;
  std::vector<std::string_view> options;  ///< fields of SimulateOptions beyond n, n_q and seed
};

std::span<const ScenarioInfo> scenarios();
std::vector<std::string_view> scenario_names();

/// The kinds of log-ratio that `split` and `random` draw.
std::vector<std::string_view> log_ratio_kinds();

/// Draws the pair. Equal options give equal tables, whatever the number of threads.
Simulation simulate(std::string_view scenario, const SimulateOptions& options = {});

}  // namespace jsdiv
