#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "jsdiv/explain.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"
#include "measure/held_out.hpp"

namespace jsdiv {

/// What is explained: both tables, and what the cross-fit proved on each of their rows. The arithmetic knows
/// a first table (label 1) and a second one (label 0), whose order follows from their content alone, so that
/// exchanging P and Q changes nothing but the names.
struct ExplainedTables {
  Sample sample;
  bool q_first = false;  ///< the first table is Q
  std::vector<std::uint8_t> labels;
  std::vector<double> log_odds;  ///< [rows] of the first table, at equal priors; held-out
  std::vector<double> bits;      ///< [rows] of held_out; they add up
  double level = 0.95;

  HeldOutRows rows() const { return {labels, sample.weights, sample.groups}; }
  /// The label of P's rows.
  std::uint8_t label_p() const { return q_first ? 0 : 1; }
  double weight(std::size_t row) const { return sample.weights.empty() ? 1.0 : sample.weights[row]; }
};

/// The value that belongs to P, then that of Q, of two that are indexed by label.
std::array<double, 2> p_then_q(const ExplainedTables& tables, const std::array<double, 2>& by_label);

/// How many independent rows of equal weight tell as much as the rows of each table, by label: rows of a
/// group count as one.
std::array<double, 2> effective_rows(const HeldOutRows& rows);

/// A cell as people write it: the level's name, a date, the shortest number that reads back.
std::string cell_text(const Column& column, double value);

/// With the normal interval of the standard error.
Bits with_interval(const Measured& measured, double level);
/// With the interval of a divergence, in [0, 1]; `p_value` is that of 0.
Bits divergence_bits(const Measured& measured, double p_value, double level);

}  // namespace jsdiv
