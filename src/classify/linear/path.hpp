#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "classify/linear/design.hpp"

namespace jsdiv::linear {

enum class Penalty { l1, l2 };

/// log-odds = intercept + Σ weights_j · feature_j, for the features as they are.
struct Coefficients {
  double intercept = 0;
  std::vector<double> weights;
};

/// When a fit is good enough.
struct Tolerance {
  double gap;           ///< of the objective above its minimum, estimated, in nats for each unit of weight
  Precision precision;  ///< of the products with the design
};

/// While searching: held-out log-losses come out right to about 1e-4.
inline constexpr Tolerance search_tolerance{1e-6, Precision::single};
/// For the model that is kept: coefficients come out right to some 1e-6.
inline constexpr Tolerance fit_tolerance{1e-14, Precision::full};

/// The labelled rows of a design.
struct Target {
  std::span<const std::uint8_t> labels;  ///< [rows] 1 or 0; both occur
  std::span<const double> weights;       ///< [rows] positive, class weights included
};

/// Position on the path and the solution there, in units of the standardised features: (intercept, u) with u
/// over every feature of the design. False ends the path.
using PathVisitor = std::function<bool(std::size_t step, std::span<const double> standardised)>;

/// Logistic regression as scikit-learn defines it,
///     min  C·Σ weight_i·log-loss_i + ½‖w‖² (l2)  or  + ‖w‖₁ (l1),  intercept not penalised,
/// at each C in turn (increasing), each solution the start of the next. path.cpp says how.
void follow_path(const Design& design, const Target& target, Penalty penalty, std::span<const double> path,
                 Tolerance tolerance, const PathVisitor& visit);

/// The coefficients at each C.
std::vector<Coefficients> fit_path(const Design& design, const Target& target, Penalty penalty,
                                   std::span<const double> path, Tolerance tolerance);

/// The coefficients at one C.
Coefficients fit_at(const Design& design, const Target& target, Penalty penalty, double c,
                    Tolerance tolerance);

/// Coefficients of the features as they are, from those of the standardised features.
Coefficients in_feature_units(const Standardisation& standardisation, std::span<const double> standardised);

}  // namespace jsdiv::linear
