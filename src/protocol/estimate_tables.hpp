#pragma once

#include <vector>

#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "load/source.hpp"
#include "protocol/automatic.hpp"

namespace jsdiv {

/// Which table comes first in the arithmetic of the recommended estimator.
enum class TableOrder {
  by_content,  ///< follows from the tables alone: exchanging P and Q gives the same bits
  as_given     ///< P: several estimates with one P and equal seeds then share its folds
};

/// The estimate of tables from anywhere. Under `auto` every rung is added to `readings`, if that is not null.
Result estimate_tables(const TableSource& load, const EstimateOptions& options, TableOrder order,
                       std::vector<ScoredReading>* readings);

}  // namespace jsdiv
