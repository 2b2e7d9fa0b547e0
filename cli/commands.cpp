#include <map>
#include <memory>

#include "cli/command.hpp"

namespace jsdiv::cli {

Program::Program()
    : parser("jsdiv",
             "Estimate the Jensen-Shannon divergence between the joint distributions of two tables.") {
  Command app = parser.program();
  const auto verbose = std::make_shared<bool>(false);
  app.add_flag("--verbose", *verbose,
               "with --version: also print the versions of the libraries and the compiler");
  parser.set_version(
      "-V,--version", [verbose] { return version_text(*verbose); }, "print the version");
  add_estimate(app, action);
  add_explain(app, action);
  add_compare(app, action);
  add_score(app, action);
  add_marginal(app, action);
  add_guide(app, action);
  add_simulate(app, action);
  add_bench(app, action);
  add_verify(app, action);
}

std::string example_of(const std::string& command) {
  static const std::map<std::string, std::string> examples = {
      {"jsdiv", "jsdiv estimate real.csv synthetic.csv"},
      {"jsdiv estimate", "jsdiv estimate real.csv synthetic.csv --ignore id --json result.json"},
      {"jsdiv explain", "jsdiv explain real.csv synthetic.csv --by region"},
      {"jsdiv compare", "jsdiv compare real.csv vae.csv ctgan.csv"},
      {"jsdiv score", "jsdiv score real.csv synthetic.csv synthetic.csv --families xgboost --out scores.csv"},
      {"jsdiv marginal", "jsdiv marginal real.csv synthetic.csv"},
      {"jsdiv guide", "jsdiv guide real.csv synthetic.csv"},
      {"jsdiv simulate", "jsdiv simulate dependence --rho 0.9 --n 2000 --out pair"},
      {"jsdiv bench", "jsdiv bench dependence --out results"},
      {"jsdiv bench merge", "jsdiv bench merge shard1 shard2 --out results"},
      {"jsdiv verify", "jsdiv verify result.json"},
  };
  const auto found = examples.find(command);
  return found == examples.end() ? "" : found->second;
}

}  // namespace jsdiv::cli
