#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv {

class Family;  // src/classify/classifier.hpp

/// Every default of jsdiv lives in this file, once. The command line, the Python package and the option
/// tables of the documentation read them from here.

/// Which columns are read, and as what.
struct LoadOptions {
  std::vector<std::string> columns;      ///< use these columns only; empty: all that the tables share
  std::vector<std::string> ignore;       ///< leave these columns out
  std::vector<std::string> categorical;  ///< treat these as categories, whatever they look like
  std::vector<std::string> numeric;      ///< treat these as numbers; anything else in them is an error
  std::string group;                     ///< rows with the same value here stay together in every split
  std::string weight;                    ///< a column of non-negative row weights
};

enum class Protocol { automatic, paper };
enum class Support { keep, harmonise };
enum class Correction { on, off, automatic };
enum class Encoding { paper, native };

/// Options of Algorithm 1 of the paper.
struct PaperOptions {
  Correction correction =
      Correction::automatic;            ///< correct for unequal sizes: always, never, or past the threshold
  double threshold = 0.1;               ///< correct when |r - 1| exceeds this, r = |Q train| / |P train|
  double epsilon = 1e-6;                ///< posteriors are clipped to [epsilon, 1 - epsilon]
  std::optional<std::size_t> train;     ///< M: training rows of the larger table; default half of it
  std::optional<std::size_t> eval;      ///< L: test rows, and validation rows; default a quarter each
  int iterations = 50;                  ///< configurations the search looks at; 0: no search
  Encoding encoding = Encoding::paper;  ///< paper: ordinals, scaled, imputed; native: one-hot, indicators
  bool reweighting = true;              ///< let the search choose class weights
};

enum class TabPfnPreprocessing {
  none,     ///< the bare forward pass: one member, temperature 1
  standard  ///< an ensemble of transformed tables, as the package does by default
};

/// What a user can tell the family tabpfn.
struct TabPfnOptions {
  std::string weights;  ///< converted v2 weights; empty: the environment variable JSDIV_TABPFN_WEIGHTS
  /// Even: every member has a mirror image with the labels of P and Q exchanged. Without preprocessing there
  /// is one.
  std::optional<int> members;
  static constexpr int default_members = 4;
  TabPfnPreprocessing preprocessing = TabPfnPreprocessing::standard;
};

/// Settings of single families that are no hyperparameters: they are given by the user and never searched.
struct FamilyOptions {
  TabPfnOptions tabpfn;
};

/// Called now and then with the share of the work that is done and what is being worked on.
using ProgressFunction = std::function<void(double fraction, std::string_view what)>;

struct EstimateOptions {
  LoadOptions load;
  Protocol protocol = Protocol::automatic;
  std::vector<std::string> families;          ///< empty: the protocol's own; "all": every family that can run
  std::vector<std::string> exclude_families;  ///< leave these out
  std::optional<int> seeds;                   ///< repetitions; default 1, under paper 5
  std::uint64_t seed = 0;                     ///< the first seed
  double level = 0.95;                        ///< of the intervals
  Support support = Support::keep;            ///< harmonise: put both tables on the same grids first
  std::optional<std::size_t> max_rows;        ///< of each table; more are thinned at random, by the seed
  std::optional<double> time_budget;          ///< seconds that families and iterations are chosen to fit into
  PaperOptions paper;
  FamilyOptions family;
  /// Classifiers of the caller's own, which `families` may name like those of the registry.
  std::vector<std::shared_ptr<const Family>> own_families;
  std::size_t threads = 0;    ///< 0: one for each core; never changes a result
  ProgressFunction progress;  ///< may be empty
};

}  // namespace jsdiv
