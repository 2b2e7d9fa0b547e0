#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv {

class Family;  // jsdiv/family.hpp

/// Everything about an option is in this file, once: field, default, help and range. The list that
/// follows each struct calls visit(name, field, help) for every field; the command line, the JSON, Python,
/// the checks and the tables of the documentation are made from these lists.

/// The values that an option may take.
struct OptionRange {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open = false;  ///< the ends themselves are excluded

  static constexpr OptionRange at_least(double low) { return {.low = low}; }
  static constexpr OptionRange above(double low) { return {.low = low, .open = true}; }
  static constexpr OptionRange between(double low, double high) { return {low, high, true}; }

  constexpr bool contains(double value) const {
    return open ? value > low && value < high : value >= low && value <= high;
  }
};

/// Help and range of an option. A visitor that needs no more than the help takes a std::string_view.
struct OptionNote {
  std::string help;
  OptionRange range;
  std::string placeholder = "TEXT";  ///< what the help shows for a value that is text

  OptionNote(const char* text, OptionRange values = {}) : help(text), range(values) {}
  OptionNote(std::string text, OptionRange values = {}) : help(std::move(text)), range(values) {}
  OptionNote(const char* text, const char* shown) : help(text), placeholder(shown) {}
  operator std::string_view() const { return help; }
};

/// Of every cross-validation and cross-fit, where the tables are large enough.
inline constexpr int default_folds = 5;

/// Which columns are read, and as what.
struct LoadOptions {
  std::vector<std::string> columns;
  std::vector<std::string> ignore;
  std::vector<std::string> categorical;
  std::vector<std::string> numeric;
  std::string group;
  std::string weight;
  /// Bytes, as a number with or without K, M, G or T; empty: no limit.
  std::string memory;
  /// Bytes, in the same form; empty: the default.
  std::string max_unpacked{default_max_unpacked};

  static constexpr std::string_view default_max_unpacked = "4G";
};

template <typename Options, typename Visitor>
void visit_load_fields(Options& options, Visitor&& visit) {
  visit("columns", options.columns, "use only these columns (default: all columns in both tables)");
  visit("ignore", options.ignore, "leave out these columns");
  visit("categorical", options.categorical, "treat these columns as categories, whatever their values");
  visit("numeric", options.numeric, "treat these columns as numbers; any other value is an error");
  visit("group", options.group,
        OptionNote("keep rows with the same value in this column together when splitting", "COLUMN"));
  visit("weight", options.weight, OptionNote("column with non-negative row weights", "COLUMN"));
  visit("max-unpacked", options.max_unpacked,
        OptionNote(
            "limit in bytes of what a compressed file (.gz, .zst, Parquet, Arrow) may decompress to, for "
            "example 20G",
            "BYTES"));
}

enum class Protocol { automatic, paper };
enum class Support { keep, harmonise };
enum class Correction { on, off, automatic };
enum class Encoding { paper, native };

/// Options of Algorithm 1 of the paper.
struct PaperOptions {
  Correction correction = Correction::automatic;
  double threshold = 0.1;  ///< of |r - 1|, r = |Q train| / |P train|
  double epsilon = 1e-6;
  std::optional<std::size_t> train;  ///< M
  std::optional<std::size_t> eval;   ///< L
  int iterations = 50;
  Encoding encoding = Encoding::paper;
  bool reweighting = true;

  static constexpr int default_seeds = 5;
};

template <typename Options, typename Visitor>
void visit_paper_fields(Options& options, Visitor&& visit) {
  visit("correction", options.correction, "correct posteriors for unequal table sizes");
  visit("threshold", options.threshold,
        OptionNote("with automatic correction: correct if the table sizes differ by more than this fraction",
                   OptionRange::at_least(0)));
  visit("epsilon", options.epsilon,
        OptionNote("clip posteriors to [epsilon, 1 - epsilon]", OptionRange::between(0, 0.5)));
  visit("train", options.train,
        OptionNote("training rows of the larger table, M in the paper (default: half of it)",
                   OptionRange::at_least(1)));
  visit("eval", options.eval,
        OptionNote(
            "test rows, and the same number of validation rows, L in the paper (default: a quarter each)",
            OptionRange::at_least(1)));
  visit("iterations", options.iterations,
        OptionNote("configurations to try in each hyperparameter search; 0: no search",
                   OptionRange::at_least(0)));
  visit("encoding", options.encoding,
        "paper: ordinal codes, scaled and imputed; native: one-hot, with indicators for missing cells");
  visit("reweighting", options.reweighting, "let the search choose class weights");
}

enum class TabPfnPreprocessing {
  none,     ///< a single forward pass: one member, temperature 1
  standard  ///< an ensemble of transformed tables, as the package does by default
};

/// Options of the family tabpfn.
struct TabPfnOptions {
  std::string weights;
  /// Every member has a mirror image with the labels of P and Q exchanged.
  std::optional<int> members;
  TabPfnPreprocessing preprocessing = TabPfnPreprocessing::standard;

  static constexpr int default_members = 4;
};

/// Settings of single families that are not hyperparameters: the user sets them, and no search changes them.
struct FamilyOptions {
  TabPfnOptions tabpfn;
};

template <typename Options, typename Visitor>
void visit_family_fields(Options& options, Visitor&& visit) {
  visit("tabpfn-weights", options.tabpfn.weights,
        OptionNote(
            "converted v2 weights for the family tabpfn (default: environment variable JSDIV_TABPFN_WEIGHTS)",
            "FILE"));
  visit("tabpfn-members", options.tabpfn.members,
        OptionNote("number of members in tabpfn's ensemble, even (default: " +
                       std::to_string(TabPfnOptions::default_members) + "; 1 without preprocessing)",
                   OptionRange::at_least(1)));
  visit("tabpfn-preprocessing", options.tabpfn.preprocessing,
        "default: an ensemble of transformed tables; none: a single forward pass at temperature 1");
}

/// Called from time to time with the fraction of work done and the current step.
using ProgressFunction = std::function<void(double fraction, std::string_view what)>;

struct EstimateOptions {
  LoadOptions load;
  Protocol protocol = Protocol::automatic;
  std::vector<std::string> families;
  std::vector<std::string> exclude_families;
  std::optional<int> seeds;
  std::uint64_t seed = 0;
  double level = 0.95;
  Support support = Support::keep;
  std::optional<std::size_t> max_rows;
  std::optional<double> time_budget;
  PaperOptions paper;
  FamilyOptions family;
  /// Your own classifiers, which `families` can list like the built-in ones.
  std::vector<std::shared_ptr<const Family>> own_families;
  std::size_t threads = 0;
  ProgressFunction progress;  ///< may be empty
};

/// The options that all protocols share.
template <typename Options, typename Visitor>
void visit_estimate_fields(Options& options, Visitor&& visit) {
  visit("protocol", options.protocol,
        "auto: the recommended estimator, a cross-fitted stack of families; paper: Algorithm 1 of the paper");
  visit("families", options.families,
        "classifier families to use, or all (default: all for auto; logreg, lr-pol, rf, xgboost and mlp for "
        "paper)");
  visit("exclude-families", options.exclude_families, "families to leave out");
  visit("seeds", options.seeds,
        OptionNote("repetitions, each with different splits (default: " +
                       std::to_string(PaperOptions::default_seeds) +
                       " for paper; 1 for auto, or a few for small tables)",
                   OptionRange::at_least(1)));
  visit("seed", options.seed, "the first seed");
  visit("level", options.level, OptionNote("confidence level of the intervals", OptionRange::between(0, 1)));
  visit("support", options.support, "harmonise: first put both tables on common grids (auto only)");
  visit("max-rows", options.max_rows,
        OptionNote("use at most this many rows of each table, drawn at random (auto only)",
                   OptionRange::at_least(1)));
  visit("memory", options.load.memory,
        OptionNote("memory limit in bytes, for example 2G; auto uses as many rows as fit, and tables that "
                   "are too large are rejected before they are read",
                   "BYTES"));
  visit("time-budget", options.time_budget,
        OptionNote("time limit in seconds; auto uses fewer rows if necessary, paper fewer families and "
                   "search iterations",
                   OptionRange::above(0)));
}

/// Options of a self-check in addition to those of the estimate.
struct SelfCheckOptions {
  EstimateOptions estimate;
  int refits = 12;
  std::string refits_folder;
  bool force = false;  ///< replace the refits of other tables in the folder
  /// Called before the first refit; may be empty.
  std::function<void(std::size_t refits, std::size_t kept, double seconds)> announce;
};

template <typename Options, typename Visitor>
void visit_self_check_fields(Options& options, Visitor&& visit) {
  visit("refits", options.refits,
        OptionNote("number of re-splits with a known divergence to estimate; each takes about as long as the "
                   "estimate itself",
                   OptionRange::at_least(1)));
  visit("refits-folder", options.refits_folder,
        OptionNote(
            "store the self-check's refits in this directory, so that an interrupted self-check can resume",
            "DIR"));
}

/// Options of every computation.
template <typename Options, typename Visitor>
void visit_run_fields(Options& options, Visitor&& visit) {
  visit("threads", options.threads, "number of threads; 0: one per core (does not affect results)");
}

}  // namespace jsdiv
