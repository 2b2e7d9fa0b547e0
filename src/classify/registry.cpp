#include "classify/registry.hpp"

#include "classify/forest/forest.hpp"
#include "classify/gaussian/gaussian_family.hpp"
#include "classify/kernel/kernel.hpp"
#include "classify/linear/families.hpp"
#include "classify/mlp/mlp.hpp"
#include "classify/pairs/pairs.hpp"
#include "classify/pfn/pfn.hpp"
#include "classify/tabpfn/family.hpp"
#include "classify/xgboost/xgboost.hpp"
#include "core/message.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {

std::span<const Family* const> families() {
  static const tabpfn::TabPfnFamily tabpfn;
  static const std::vector<const Family*> all = {
      &logreg_family(),   &lr_pol_family(), &random_forest_family(), &xgboost_family(), &mlp_family(),
      &gaussian_family(), &kernel_family(), &pairs_family(),         &tabpfn,           &pfn_family()};
  return all;
}

// See docs/decisions/pfn.md for what pfn has to show first.
bool is_stacked_by_default(const Family& family) {
  return &family != &pfn_family();
}

const Family& family(std::string_view name) {
  std::vector<std::string> known;
  for (const Family* candidate : families()) {
    if (candidate->name() == name) return *candidate;
    known.emplace_back(candidate->name());
  }
  throw InvalidInput(unknown_name("family", name, known), {.option = "families"});
}

}  // namespace jsdiv
