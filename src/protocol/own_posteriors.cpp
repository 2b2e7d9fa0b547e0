#include "protocol/own_posteriors.hpp"

#include <algorithm>
#include <cmath>

#include "core/rows.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/marginal.hpp"
#include "measure/posteriors.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/record.hpp"

namespace jsdiv {

void run_posteriors(const Sample& sample, std::span<const double> posteriors, const EstimateOptions& options,
                    Result& result) {
  if (posteriors.size() != sample.rows()) {
    throw InvalidInput("there are " + std::to_string(posteriors.size()) + " posteriors for " +
                       std::to_string(sample.rows_p()) + " rows of P and " + std::to_string(sample.rows_q()) +
                       " rows of Q; give one for each row of P, then one for each row of Q");
  }
  for (std::size_t i = 0; i < posteriors.size(); ++i) {
    if (!(posteriors[i] >= 0 && posteriors[i] <= 1)) {
      throw InvalidInput("posterior " + std::to_string(i + 1) + " is " + std::to_string(posteriors[i]) +
                         "; a posterior is a probability between 0 and 1");
    }
  }
  const auto rows = row_range(0, sample.rows());
  const auto labels = sample.labels();
  const Problem problem{.features = {}, .labels = labels, .weights = sample.weights, .training_rows = rows};
  const double r = prior_ratio(problem, rows);

  std::vector<double> corrected(posteriors.begin(), posteriors.end());
  correct_and_clip(corrected, options.paper, r);
  const JsdEstimate estimate = jsd_from_posteriors(corrected, labels, sample.weights);
  FamilyResult family{.name = "posteriors"};
  family.seeds.push_back({.seed = options.seed,
                          .jsd = std::clamp(estimate.raw, 0.0, 1.0),
                          .raw = estimate.raw,
                          .standard_error = estimate.standard_error,
                          .validation_log_loss = std::nullopt,
                          .auc = auc(corrected, labels, sample.weights),
                          .seconds = 0,
                          .calibration = "none",
                          .hyperparameters = {}});
  summarise_seeds(family);
  result.families.push_back(std::move(family));
  result.marginal = marginal_baselines(sample);
  result.protocol.r = r;
  result.protocol.corrected = is_corrected(options.paper, r);
  result.protocol.seeds = 1;
  result.protocol.split = "none: the posteriors were supplied by the user";
  append_rows(sample, rows, options.seed, corrected, estimate.terms, 1, result.rows);
  copy_selected(result, 0);
  if (result.protocol.corrected) {
    result.warnings.push_back(
        {"posteriors_corrected",
         "the posteriors were corrected from the prior |Q|/|P| = " + std::to_string(r) +
             " to equal priors; if they already assume equal priors, set the option correction to off"});
  }
}

}  // namespace jsdiv
