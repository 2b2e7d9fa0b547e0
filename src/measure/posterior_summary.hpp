#pragma once

#include <optional>
#include <span>

#include "jsdiv/result.hpp"

namespace jsdiv {

/// The histograms of D(x) in P and in Q and the reliability of D(x), from rows whose D(x) comes from models
/// that have not seen them. Nothing without rows of both tables.
std::optional<PosteriorSummary> posterior_summary(std::span<const RowRecord> rows);

}  // namespace jsdiv
