#pragma once

#include <span>
#include <string>
#include <vector>

#include "jsdiv/family.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/result.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

struct AutoPlan;

/// From numbers per seed and row to the fields of a Result.

/// The families that the options ask for, in the order of the registry, then the caller's own. Throws
/// InvalidInput for an unknown name and for an empty choice.
std::vector<const Family*> choose_families(const EstimateOptions& options);

/// The same for the recommended estimator: families that would take too long for the sample's size take part
/// only if they are named, or if there is no other. Who was left out is said in `warnings`.
std::vector<const Family*> choose_stack(const EstimateOptions& options, const Sample& sample,
                                        std::vector<Warning>& warnings);

/// Interval of a mean of `seeds` raw values: Student's t between seeds; with a single seed the normal
/// distribution of its test rows' mean.
Interval seeds_interval(double raw, double standard_error, std::size_t seeds, double level);

/// Fills in everything that follows from `family.seeds`: the mean (brought into [0, 1]), its spread and
/// error.
void summarise_seeds(FamilyResult& family);

/// Index of the family with the lowest validation log-loss; the first of equals.
std::size_t select_family(std::span<const FamilyResult> families);

/// Copies the selected family to the top of the result, with interval, disagreement and the warnings that
/// follow.
void copy_selected(Result& result, std::size_t selected);

/// Appends the part of each row in an estimate that counts `share_of_seed` in the whole.
void append_rows(const Sample& sample, Rows rows, std::uint64_t seed, std::span<const double> posteriors,
                 std::span<const double> terms, double share_of_seed, std::vector<RowRecord>& records);

/// The same for the recommended estimator, whose rows are all scored and whose arithmetic may have Q first.
/// `information` is each row's log2 2D or log2 2(1 - D), the mean over the repetitions; D follows from it.
void append_auto_rows(const Sample& sample, bool q_first, std::uint64_t seed,
                      std::span<const double> information, std::vector<RowRecord>& records);

/// Fills in what the result says about the recommended estimator's protocol, and the disagreement of its
/// families.
void describe_auto(const AutoPlan& plan, Result& result);

/// What a stack's result should not be read without: `broken_stack` where it does worse than a guess,
/// `estimators_disagree` where one family alone finds more than the stack, `above_one` where extrapolation
/// went beyond 1 by more than its error. A value just below 0 is what equal tables give, and no reason to
/// warn.
void warn_of_stack(Result& result);

/// "2000 + 1500": rows of P and of Q among `rows`.
std::string describe_sizes(const Sample& sample, Rows rows);

}  // namespace jsdiv
