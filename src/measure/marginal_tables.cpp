#include "core/parallel.hpp"
#include "jsdiv/marginal.hpp"
#include "load/load.hpp"
#include "load/source.hpp"

namespace jsdiv {
namespace {

MarginalResult compare_tables(const TableSource& load, const LoadOptions& options, std::size_t threads) {
  MarginalResult result;
  with_threads(threads, [&] {
    std::vector<Warning> warnings;
    const Sample sample = pool_tables(load(warnings), options, warnings);
    result = marginal_baselines(sample);
    result.warnings.insert(result.warnings.begin(), warnings.begin(), warnings.end());
  });
  return result;
}

}  // namespace

MarginalResult marginal(const std::string& path_p, const std::string& path_q, const LoadOptions& options,
                        std::size_t threads) {
  return compare_tables(from_files({path_p, path_q}, options), options, threads);
}

MarginalResult marginal(Table p, Table q, const LoadOptions& options, std::size_t threads) {
  return compare_tables(from_memory(table_list(std::move(p), std::move(q)), options), options, threads);
}

}  // namespace jsdiv
