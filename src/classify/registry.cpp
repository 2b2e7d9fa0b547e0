#include "classify/registry.hpp"

#include "classify/forest/forest.hpp"
#include "classify/gaussian/gaussian.hpp"
#include "classify/kernel/kernel.hpp"
#include "classify/linear/families.hpp"
#include "classify/mlp/mlp.hpp"
#include "classify/pairs/pairs.hpp"
#include "classify/tabpfn/family.hpp"
#include "classify/xgboost/xgboost.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {

std::span<const Family* const> families() {
  static const tabpfn::TabPfnFamily tabpfn;
  static const std::vector<const Family*> all = {&logreg_family(),  &lr_pol_family(), &random_forest_family(),
                                                 &xgboost_family(), &mlp_family(),    &gaussian_family(),
                                                 &kernel_family(),  &pairs_family(),  &tabpfn};
  return all;
}

const Family& family(std::string_view name) {
  std::string known;
  for (const Family* candidate : families()) {
    if (candidate->name() == name) return *candidate;
    known += (known.empty() ? "" : ", ") + std::string(candidate->name());
  }
  throw InvalidInput("unknown family '" + std::string(name) + "'; choose from: " + known);
}

}  // namespace jsdiv
