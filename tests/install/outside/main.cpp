// A program of somebody else's that uses the installed library.
#include <jsdiv/jsdiv.hpp>

#include <cstdio>

int main() {
  jsdiv::Simulation pair = jsdiv::simulate("dependence", {.n = 400, .rho = 0.9});
  jsdiv::EstimateOptions options;
  options.families = {"logreg"};
  options.seeds = 1;
  options.paper.iterations = 2;
  const jsdiv::Result result = jsdiv::estimate(std::move(pair.p), std::move(pair.q), options);
  std::printf("JSD %.3f, truth %.3f\n", result.jsd, pair.truth.jsd);
  return result.jsd >= 0 && result.jsd <= 1 ? 0 : 1;
}
