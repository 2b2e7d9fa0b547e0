#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "jsdiv/error.hpp"
#include "jsdiv/hyperparameters.hpp"
#include "jsdiv/matrix.hpp"
#include "jsdiv/options.hpp"
#include "jsdiv/random.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// The one interface of all families. A family is prepared once for a problem (columns binned, moments
/// computed, …); the Trainer that comes out is then shared by every fold, trial and half, each of which is a
/// span of row indices.
///
///     Family --prepare(Problem)--> Trainer --fit(rows, config)--> Model --log_odds(rows)--> posterior

/// An encoded two-sample problem. `features` holds every row, also those that are only scored; a family may
/// learn from nothing but `training_rows` (and the validation rows of a Fit). The spans outlive the Trainer.
struct Problem {
  MatrixView features;  ///< [rows, features], finite; NaN only if the family accepts_missing()
  std::span<const std::uint8_t> labels;  ///< [rows] 1: a row of P, 0: a row of Q
  std::span<const double> weights;       ///< [rows] or empty: every row counts 1
  Rows training_rows;
  FamilyOptions options;

  double weight(RowIndex row) const { return weights.empty() ? 1.0 : weights[row]; }
};

/// How held-out predictions are scored while tuning.
enum class Loss {
  plain,    ///< mean log-loss of the posterior as the model gives it (the paper's criterion)
  balanced  ///< both classes count one half, after correction of the prior the model declares
};

/// Further inputs of a single fit.
struct Fit {
  RandomStream random;  ///< all randomness of this fit comes from here
  Rows validation;  ///< for early stopping; empty: the family holds out a part of its rows where it needs one
  Loss loss = Loss::plain;
};

/// A fitted classifier. Immutable and thread-safe.
class Model {
 public:
  virtual ~Model() = default;

  /// out[i] = log of P's odds against Q for row rows[i] of `features` under the prior of training; always
  /// finite.
  virtual void log_odds(MatrixView features, Rows rows, std::span<double> out) const = 0;

  /// log(weight of P / weight of Q) as the training loss saw it, class weights included. The posterior at
  /// equal priors has log-odds log_odds - prior_log_odds.
  virtual double prior_log_odds() const = 0;

  /// What was fitted, for the record: at least the configuration, completed by what the family chose itself.
  virtual const Config& config() const = 0;

  /// What the user should be told about this fit.
  virtual std::vector<Warning> notes() const { return {}; }
};

/// Scores configurations on one fold of a search, one after the other. It may keep what the next call can use
/// (warm starts, a quantile matrix); the calls of one search come in the order of its trials.
class FoldScorer {
 public:
  virtual ~FoldScorer() = default;

  /// Held-out loss of the model fitted with `config`: one value for each path value of the family's search
  /// space, in that order, or a single one without a path. `config` is complete but for the path parameter.
  virtual std::vector<double> losses(const Config& config) = 0;

  /// The model behind the last call of losses(), at the path's value number `step`, if the scorer has it at
  /// hand; null otherwise. It may be coarser than a fit, and is good enough to tell whether a fit is worth
  /// it.
  virtual std::unique_ptr<Model> last_model(std::size_t /*step*/) { return nullptr; }
};

/// A family bound to one problem. Thread-safe: folds and trials share it.
class Trainer {
 public:
  explicit Trainer(const Problem& problem) : problem_(problem) {}
  virtual ~Trainer() = default;

  /// Fits on `rows`, a subset of the problem's training rows. Throws InvalidInput if one class has no row in
  /// it.
  virtual std::unique_ptr<Model> fit(Rows rows, const Config& config, const Fit& fit) const = 0;

  /// Scores configurations on a fold. This default fits and predicts; families that can share work override
  /// it. `train` and `held_out` outlive the scorer.
  virtual std::unique_ptr<FoldScorer> fold(Rows train, Rows held_out, const Fit& fit) const;

  const Problem& problem() const { return problem_; }

 private:
  Problem problem_;
};

/// Facts about a table that decide what a family offers.
struct SpaceContext {
  std::size_t features = 0;
  bool reweighting = true;  ///< false: class weights stay off (the paper's imbalance experiments)
};

/// A kind of classifier. Add your own family to EstimateOptions::own_families.
class Family {
 public:
  virtual ~Family() = default;

  virtual std::string_view name() const = 0;
  /// What the search may choose; an empty space means that there is nothing to tune.
  virtual SearchSpace search_space(const SpaceContext& context) const = 0;
  /// A complete configuration that needs no search. Also the base that a searched configuration is merged
  /// into.
  virtual Config defaults(const SpaceContext& context) const = 0;
  /// A few configurations worth trying where there is no time for a search, complete but for the path.
  virtual std::vector<Config> shortlist(const SpaceContext& context) const { return {defaults(context)}; }
  /// Names under which a model's config() records outcomes of the fit. They are not settings.
  virtual std::vector<std::string> outcome_names() const { return {}; }
  /// True if equal rows and configuration can give another model under another seed.
  virtual bool stochastic() const = 0;
  /// The paper calibrates every family but those with probabilities of their own (mlp, tabpfn).
  virtual bool needs_calibration() const = 0;
  /// scikit-learn calibrates on the decision function where there is one, else on the probability.
  virtual bool calibrates_on_log_odds() const = 0;
  /// True if the family can make use of a value's own frequency (trees).
  virtual bool uses_exact_values() const { return false; }
  /// True if the family takes features with NaN for a missing value.
  virtual bool accepts_missing() const { return false; }
  /// True if the user asked for the model's own output: `score` then leaves the prior alone unless told
  /// otherwise.
  virtual bool gives_raw_output(const FamilyOptions&) const { return false; }
  /// Why the recommended estimator leaves the family out of its own accord for tables of this size (both
  /// together), one line; empty if it does not.
  virtual std::string why_too_large(std::size_t /*rows*/, std::size_t /*columns*/) const { return {}; }
  /// Why the family cannot run with these options, one line; empty if it can.
  virtual Message why_unavailable(const FamilyOptions&) const { return {}; }

  virtual std::unique_ptr<Trainer> prepare(const Problem& problem) const = 0;
};

/// Mean log-loss in nats of log-odds `scores` for `rows`, judged as `loss` says. `prior_log_odds` is the
/// model's.
double held_out_loss(const Problem& problem, Rows rows, std::span<const double> scores, double prior_log_odds,
                     Loss loss);

/// log(weight of P / weight of Q) over `rows`. Throws InvalidInput if one of the two is 0.
double prior_log_odds(const Problem& problem, Rows rows);

}  // namespace jsdiv
