#include "jsdiv/family.hpp"

#include <cmath>

#include "classify/loss_by_class.hpp"
#include "core/assert.hpp"

namespace jsdiv {
namespace {

class FitAndScore final : public FoldScorer {
 public:
  FitAndScore(const Trainer& trainer, Rows train, Rows held_out, const Fit& fit)
      : trainer_(trainer), train_(train), held_out_(held_out), fit_(fit), scores_(held_out.size()) {}

  std::vector<double> losses(const Config& config) override {
    const auto model = trainer_.fit(train_, config, fit_);
    model->log_odds(trainer_.problem().features, held_out_, scores_);
    return {held_out_loss(trainer_.problem(), held_out_, scores_, model->prior_log_odds(), fit_.loss)};
  }

 private:
  const Trainer& trainer_;
  Rows train_;
  Rows held_out_;
  Fit fit_;
  std::vector<double> scores_;
};

}  // namespace

std::unique_ptr<FoldScorer> Trainer::fold(Rows train, Rows held_out, const Fit& fit) const {
  return std::make_unique<FitAndScore>(*this, train, held_out, fit);
}

double held_out_loss(const Problem& problem, Rows rows, std::span<const double> scores, double prior_log_odds,
                     Loss loss) {
  JSDIV_ASSERT(scores.size() == rows.size());
  const double shift = loss == Loss::balanced ? -prior_log_odds : 0.0;
  LossByClass losses;
  for (std::size_t i = 0; i < rows.size(); ++i)
    losses.add(problem.labels[rows[i]], scores[i] + shift, problem.weight(rows[i]));
  if (loss == Loss::plain) return losses.plain();
  JSDIV_ASSERT(losses.weight[0] > 0 && losses.weight[1] > 0);
  return losses.balanced();
}

double prior_log_odds(const Problem& problem, Rows rows) {
  double weight[2] = {0, 0};
  for (const RowIndex row : rows) weight[problem.labels[row]] += problem.weight(row);
  if (weight[0] <= 0 || weight[1] <= 0) {
    throw InvalidInput(std::string("no row of ") + (weight[1] <= 0 ? "P" : "Q") +
                       " is left to train on; provide more rows or use fewer folds");
  }
  return std::log(weight[1]) - std::log(weight[0]);  // exactly the negative when the tables are exchanged
}

}  // namespace jsdiv
