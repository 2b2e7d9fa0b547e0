#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Several tables against a reference: which is closest, and is that more than chance?

struct CompareOptions {
  EstimateOptions estimate;  ///< protocol `auto`
  bool over_time =
      false;  ///< treat the tables as one table over time: keep their order and compare neighbours
  bool yardstick = true;  ///< also compare two halves of the first table
};

struct Candidate {
  std::string name;
  std::size_t position = 0;  ///< in the order given, from 1
  std::size_t rank = 0;      ///< 1: closest
  bool differs = false;  ///< from the first table by more than chance explains, the share of false ones being
                         ///< at most 1 - level
  Result estimate;
};

/// The difference between two candidates, on the same rows of the first table.
struct PairedDifference {
  std::string closer;   ///< over time: the earlier one
  std::string farther;  ///< over time: the later one
  double value = 0;     ///< divergence of `farther` - divergence of `closer`
  double standard_error = 0;
  double unpaired_standard_error = 0;  ///< what it would be if the estimates were independent
  Interval confidence_interval;        ///< simultaneous over all differences
  bool supported = false;              ///< the interval excludes 0
};

/// Two halves of the first table against each other.
struct Yardstick {
  Result estimate;
  std::size_t rows_first = 0;
  std::size_t rows_second = 0;
};

struct CompareResult {
  std::string reference;
  bool over_time = false;
  std::vector<Candidate> candidates;          ///< closest first; over time: in the order given
  std::vector<PairedDifference> differences;  ///< every pair, or over time neighbours, in that order
  double simultaneous_quantile = 0;           ///< half-width of the intervals in standard errors
  std::optional<Yardstick> yardstick;
  std::vector<std::string> columns;  ///< that all tables share
  std::vector<Warning> warnings;
  Runtime runtime;
};

struct NamedTable {
  std::string name;
  Table table;
};

/// Throws InvalidInput without candidates, if two have the same name, or if tables cannot be compared.
CompareResult compare(const NamedTable& reference, const std::vector<NamedTable>& candidates,
                      const CompareOptions& options = {});
/// The same from files, named by their paths.
CompareResult compare(const std::string& reference, const std::vector<std::string>& candidates,
                      const CompareOptions& options = {});

/// As JSON, schema jsdiv.compare/1.
std::string to_json(const CompareResult& result);

/// A readable summary.
std::string summary(const CompareResult& result);

}  // namespace jsdiv
