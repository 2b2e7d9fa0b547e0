#pragma once

#include "simulate/distribution.hpp"

namespace jsdiv::simulate_detail {

/// Each applies the options (those it does not take are empty already), checks their range and finds the
/// reference.

// gaussian.cpp
Pair dependence_pair(const SimulateOptions& options);
Pair imbalance_pair(const SimulateOptions& options);
Pair dimension_pair(const SimulateOptions& options);
Pair gaussian10_pair(const SimulateOptions& options);

// mixtures.cpp
Pair finite_pair(const SimulateOptions& options);
Pair gmm2_pair(const SimulateOptions& options);
Pair mixture_pair(const SimulateOptions& options);

// copulas.cpp
Pair t_copula_pair(const SimulateOptions& options);
Pair broken_pair(const SimulateOptions& options);

// rings.cpp
Pair rings_pair(const SimulateOptions& options);

// discrete.cpp
Pair xor_pair(const SimulateOptions& options);
Pair xor3_pair(const SimulateOptions& options);
Pair discrete_pair(const SimulateOptions& options);

// missing.cpp
Pair missing_pair(const SimulateOptions& options);

// lattice.cpp
Pair lattice_pair(const SimulateOptions& options);

// demo.cpp
Pair demo_pair(const SimulateOptions& options);

}  // namespace jsdiv::simulate_detail
