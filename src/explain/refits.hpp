#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "explain/explained_tables.hpp"
#include "explain/explainer.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {

struct Gain {
  std::size_t column = 0;
  Measured bits;
};

/// What changes when the explainer is fitted anew to other tables, in bits on the scale of held_out: a fit on
/// fewer rows proves less, and everything is multiplied by what it falls short of the stack.
struct Refits {
  std::vector<std::optional<Measured>> only_here;  ///< [columns of the sample] lost without the column
  std::vector<Gain> gains;                         ///< if this column's distribution alone is repaired
  std::optional<Measured> margins_repaired;        ///< what remains; none with a single column
  std::optional<Measured> dependence_repaired;
};

struct RefitPlan {
  std::span<const std::size_t> without;  ///< columns to do without, one at a time
  std::span<const std::size_t> repair;   ///< columns to repair, one at a time
  double held_out = 0;                   ///< of the stack
};

Refits refit_explainer(const ExplainedTables& tables, const ExplainerFamily& family,
                       const FeatureOptions& features, const RefitPlan& plan, const RandomStream& random);

}  // namespace jsdiv
