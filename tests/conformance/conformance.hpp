#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "classify/gaussian_pair.hpp"
#include "classify/registry.hpp"
#include "core/parallel.hpp"

namespace jsdiv::test {

/// What every registered family promises, whatever it is. A new family passes this suite unchanged.
class Conformance : public testing::TestWithParam<const Family*> {
 protected:
  static void SetUpTestSuite() {
    unsetenv("JSDIV_TABPFN_WEIGHTS");  // the same run everywhere
    with_threads(1, [] {});            // BLAS on one thread, as every run of the product has it
  }

  const Family& family() const { return *GetParam(); }

  /// A family that needs weights from the user runs with tiny random ones: it computes, but has learnt
  /// nothing.
  bool can_learn() const { return family().why_unavailable({}).empty(); }

  Problem problem(const GaussianPair& pair) const {
    Problem result = pair.problem();
    result.options.tabpfn.weights = JSDIV_GOLDEN_DIR "/tabpfn/tiny.safetensors";
    result.options.tabpfn.members = 2;
    return result;
  }

  /// The family's own configuration with less work and less detail: trees that fit every row of a small table
  /// would hide what is asked here.
  Config config(std::size_t features = 2) const {
    Config result = family().defaults({.features = features});
    const auto bring_to = [&](const char* name, std::int64_t value) {
      if (result.has(name)) result.set(name, value);
    };
    bring_to("trees", 100);
    bring_to("rounds", 100);
    bring_to("max_depth", 3);
    bring_to("min_samples_leaf", 40);
    bring_to("components", 100);
    return result;
  }

  std::unique_ptr<Model> fit(const GaussianPair& pair, const Config& config, std::uint64_t seed = 1) const {
    return family().prepare(problem(pair))->fit(pair.rows, config, fit_with(seed));
  }

  std::unique_ptr<Model> fit(const GaussianPair& pair, std::uint64_t seed = 1) const {
    return fit(pair, config(pair.features.cols()), seed);
  }

  /// Measured on `test`, for a stochastic family the mean over seeds, so that their chance does not stand in
  /// the way.
  double typical_jsd(const GaussianPair& train, const GaussianPair& test) const {
    const std::uint64_t seeds = family().stochastic() ? 4 : 1;
    double sum = 0;
    for (std::uint64_t seed = 0; seed < seeds; ++seed) sum += measured_jsd(*fit(train, seed), test);
    return sum / static_cast<double>(seeds);
  }

  static Fit fit_with(std::uint64_t seed, Loss loss = Loss::plain) {
    return {.random = RandomStream(seed).child("conformance"), .validation = {}, .loss = loss};
  }

  static std::vector<double> scores(const Model& model, const GaussianPair& pair) {
    return log_odds(model, pair.features.view(), pair.rows);
  }
};

}  // namespace jsdiv::test
