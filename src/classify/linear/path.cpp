#include "classify/linear/path.hpp"

#include <algorithm>
#include <cmath>

#include "classify/linear/lasso_solver.hpp"
#include "classify/linear/objective.hpp"
#include "classify/linear/ridge_solver.hpp"
#include "core/assert.hpp"

namespace jsdiv::linear {
namespace {

template <typename Solver>
void follow(const LogisticObjective& objective, std::span<const double> path, double gap,
            const PathVisitor& visit) {
  Solver solver(objective);
  for (std::size_t step = 0; step < path.size(); ++step) {
    solver.solve(path[step], gap);
    if (!visit(step, solver.solution())) return;
  }
}

}  // namespace

void follow_path(const Design& design, const Target& target, Penalty penalty, std::span<const double> path,
                 Tolerance tolerance, const PathVisitor& visit) {
  JSDIV_ASSERT(std::is_sorted(path.begin(), path.end()) && (path.empty() || path.front() > 0));
  const LogisticObjective objective(design, target, penalty, tolerance.precision);
  if (penalty == Penalty::l1) {
    follow<LassoSolver>(objective, path, tolerance.gap, visit);
  } else {
    follow<RidgeSolver>(objective, path, tolerance.gap, visit);
  }
}

std::vector<Coefficients> fit_path(const Design& design, const Target& target, Penalty penalty,
                                   std::span<const double> path, Tolerance tolerance) {
  std::vector<Coefficients> coefficients;
  follow_path(design, target, penalty, path, tolerance,
              [&](std::size_t, std::span<const double> standardised) {
                coefficients.push_back(in_feature_units(design.standardisation(), standardised));
                return true;
              });
  return coefficients;
}

Coefficients fit_at(const Design& design, const Target& target, Penalty penalty, double c,
                    Tolerance tolerance) {
  const LogisticObjective objective(design, target, penalty, tolerance.precision);
  if (penalty == Penalty::l2) {
    RidgeSolver solver(objective);
    solver.solve(c, tolerance.gap);
    return in_feature_units(design.standardisation(), solver.solution());
  }
  // Sparse solutions are cheap, and Newton's method is lost if it has to go far: approached from stronger
  // penalties in small steps, the fit is faster than at once.
  constexpr int approach_steps = 12;
  constexpr int steps_per_decade = 4;
  constexpr double gap_on_the_way = 1e-9;
  LassoSolver solver(objective);
  for (int step = approach_steps; step > 0; --step) {
    solver.solve(c * std::pow(10.0, -static_cast<double>(step) / steps_per_decade),
                 std::max(tolerance.gap, gap_on_the_way));
  }
  solver.solve(c, tolerance.gap);
  return in_feature_units(design.standardisation(), solver.solution());
}

Coefficients in_feature_units(const Standardisation& standardisation, std::span<const double> standardised) {
  Coefficients coefficients{standardised[0],
                            std::vector<double>(standardised.begin() + 1, standardised.end())};
  for (std::size_t j = 0; j < coefficients.weights.size(); ++j) {
    double& weight = coefficients.weights[j];
    weight *= standardisation.inverse_scale[j];
    coefficients.intercept -= weight * standardisation.centre[j];
    weight *= standardisation.factor[j];
  }
  return coefficients;
}

}  // namespace jsdiv::linear
