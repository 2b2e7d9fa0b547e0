#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <numbers>
#include <string>
#include <vector>

#include "jsdiv/family.hpp"
#include "jsdiv/hyperparameters.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {

/// A function with a known minimum, as the loss of a family.
struct Objective {
  std::string name;
  SearchSpace space;
  std::function<double(const Config&)> loss;
  double minimum = 0;
};

/// Branin, with a minimum of 0.397887 at (-pi, 12.275), (pi, 2.275) and (9.42478, 2.475).
inline double branin(double x, double y) {
  constexpr double pi = std::numbers::pi;
  const double a = y - 5.1 / (4 * pi * pi) * x * x + 5 / pi * x - 6;
  return a * a + 10 * (1 - 1 / (8 * pi)) * std::cos(x) + 10;
}

/// Hartmann's six-dimensional function, with a minimum of -3.32237 at (0.20169, 0.150011, 0.476874, 0.275332,
/// 0.311652, 0.6573).
inline double hartmann6(const std::vector<double>& x) {
  static const double alpha[4] = {1.0, 1.2, 3.0, 3.2};
  static const double a[4][6] = {{10, 3, 17, 3.5, 1.7, 8},
                                 {0.05, 10, 17, 0.1, 8, 14},
                                 {3, 3.5, 1.7, 10, 17, 8},
                                 {17, 8, 0.05, 10, 0.1, 14}};
  static const double p[4][6] = {{0.1312, 0.1696, 0.5569, 0.0124, 0.8283, 0.5886},
                                 {0.2329, 0.4135, 0.8307, 0.3736, 0.1004, 0.9991},
                                 {0.2348, 0.1451, 0.3522, 0.2883, 0.3047, 0.6650},
                                 {0.4047, 0.8828, 0.8732, 0.5743, 0.1091, 0.0381}};
  double value = 0;
  for (int i = 0; i < 4; ++i) {
    double exponent = 0;
    for (int j = 0; j < 6; ++j) exponent += a[i][j] * (x[j] - p[i][j]) * (x[j] - p[i][j]);
    value -= alpha[i] * std::exp(-exponent);
  }
  return value;
}

inline Objective branin_objective() {
  return {"branin",
          {.parameters = {Parameter::real("x", -5, 10), Parameter::real("y", 0, 15)}},
          [](const Config& config) { return branin(config.real("x"), config.real("y")); },
          0.397887};
}

/// x takes whole numbers, y is exp(y / 3) on a logarithmic scale; the minimum over whole x is at x = 3.
inline Objective branin_integer_log_objective() {
  return {"branin, integer and log",
          {.parameters = {Parameter::integer("x", -5, 10), Parameter::log_real("y", 1, std::exp(5.0))}},
          [](const Config& config) { return branin(config.real("x"), 3 * std::log(config.real("y"))); },
          0.493981};
}

/// A choice between Branin and a bowl with a parameter of its own; the bowl never gets below 2.
inline Objective branin_conditional_objective() {
  Parameter x = Parameter::real("x", -5, 10);
  Parameter y = Parameter::real("y", 0, 15);
  Parameter z = Parameter::real("z", 0, 1);
  x.condition_name = y.condition_name = z.condition_name = "shape";
  x.condition_values = y.condition_values = {std::string("branin")};
  z.condition_values = {std::string("bowl")};
  return {"branin, conditional",
          {.parameters = {Parameter::choice("shape", {std::string("bowl"), std::string("branin")}), x, y, z}},
          [](const Config& config) {
            if (config.choice("shape") == "branin") return branin(config.real("x"), config.real("y"));
            return 2 + 40 * (config.real("z") - 0.3) * (config.real("z") - 0.3);
          },
          0.397887};
}

inline Objective hartmann6_objective() {
  SearchSpace space;
  static const char* const names[6] = {"x0", "x1", "x2", "x3", "x4", "x5"};
  for (const char* name : names) space.parameters.push_back(Parameter::real(name, 0, 1));
  return {"hartmann6", space,
          [](const Config& config) {
            std::vector<double> x;
            for (const char* name : names) x.push_back(config.real(name));
            return hartmann6(x);
          },
          -3.32237};
}

/// Hartmann's function of six of nine parameters: the size of the boosted trees' space.
inline Objective hartmann6_in_nine_objective() {
  Objective objective = hartmann6_objective();
  objective.name = "hartmann6 in nine dimensions";
  objective.space.parameters.push_back(Parameter::integer("idle integer", 1, 20));
  objective.space.parameters.push_back(Parameter::log_real("idle log", 1e-8, 10));
  objective.space.parameters.push_back(
      Parameter::choice("idle choice", {std::string("a"), std::string("b")}));
  return objective;
}

/// A fold of an objective: the objective, plus what is particular to this fold.
class ObjectiveFold final : public FoldScorer {
 public:
  ObjectiveFold(const Objective& objective, double difficulty, double noise, RandomStream random)
      : objective_(objective), difficulty_(difficulty), noise_(noise), random_(random) {}

  std::vector<double> losses(const Config& config) override {
    ++calls;
    return {objective_.loss(config) + difficulty_ + (noise_ > 0 ? noise_ * random_.normal() : 0.0)};
  }

  int calls = 0;

 private:
  const Objective& objective_;
  double difficulty_;
  double noise_;
  RandomStream random_;
};

/// The folds of an objective; difficulties are evenly spread and average to 0.
struct ObjectiveFolds {
  ObjectiveFolds(const Objective& objective, std::size_t count, double noise, RandomStream random) {
    for (std::size_t k = 0; k < count; ++k) {
      const double difficulty = 0.1 * (static_cast<double>(k) - 0.5 * static_cast<double>(count - 1));
      owned.push_back(std::make_unique<ObjectiveFold>(objective, difficulty, noise, random.child(k)));
      scorers.push_back(owned.back().get());
    }
  }

  std::vector<std::unique_ptr<ObjectiveFold>> owned;
  std::vector<FoldScorer*> scorers;
};

}  // namespace jsdiv
