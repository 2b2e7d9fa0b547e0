#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/table.hpp"
#include "report/json.hpp"

namespace jsdiv {

/// The paper's guidelines for practitioners applied to two tables, without training anything.

enum class Verdict { recommended, caveats, not_recommended };

/// What the rules look at.
struct DataFacts {
  std::size_t rows_p = 0;
  std::size_t rows_q = 0;
  std::size_t columns = 0;
  std::size_t features = 0;                  ///< after encoding: one-hot categories, indicators
  std::map<std::string, std::size_t> types;  ///< columns of each type
  double missing_share = 0;                  ///< of all cells
  std::size_t exact_columns = 0;             ///< columns whose exact values tell the tables apart
  double separated_share = 0;                ///< largest share of a table's rows that the other cannot hold
  std::string separating_column;
  double repeated_share = 0;  ///< largest share of rows that are copies or duplicates

  std::size_t smaller() const { return rows_p < rows_q ? rows_p : rows_q; }
  double ratio() const { return static_cast<double>(rows_q) / static_cast<double>(rows_p); }
  /// Algorithm 1 trains on half of the rows.
  std::size_t training_rows() const { return smaller() / 2; }
};

/// One row of the paper's table: a difficulty that the data may have.
struct Regime {
  std::string name;
  bool present = false;
  std::string reason;  ///< one sentence with the figures of this data
};

struct Advice {
  std::string estimator;
  Verdict verdict = Verdict::recommended;
  std::vector<std::string> reasons;
};

struct Guide {
  DataFacts facts;
  std::vector<Regime> regimes;
  std::vector<Advice> advice;          ///< auto first, then the families, then the baselines
  std::vector<std::string> auto_plan;  ///< what `--protocol auto` will do
  std::vector<Warning> warnings;
};

DataFacts data_facts(const Sample& sample);

/// The rules; docs/guide.md states them.
std::vector<Regime> regimes_of(const DataFacts& facts);
std::vector<Advice> advise(const DataFacts& facts, const FamilyOptions& options);

/// The paper's table of guidelines from our own measurements, as Markdown: regimes down, estimators across.
std::string guide_table();

Guide guide(const std::string& path_p, const std::string& path_q, const LoadOptions& load,
            const FamilyOptions& families, std::size_t threads);
Guide guide(Table p, Table q, const LoadOptions& load, const FamilyOptions& families, std::size_t threads);

std::string_view to_string(Verdict verdict);

/// Schema jsdiv.guide/1.
Json guide_json(const Guide& guide);
std::string summary(const Guide& guide);

}  // namespace jsdiv
