#pragma once

#include <cstddef>

#include "jsdiv/family.hpp"

namespace jsdiv::tabpfn {

/// Rows the model was trained for; of more, a stratified random subsample becomes the context.
inline constexpr std::size_t most_training_rows = 10000;
/// Columns the model was trained for; more are taken with a note.
inline constexpr std::size_t most_trained_columns = 500;
inline constexpr std::size_t most_columns = 2000;
/// The recommended estimator fits every family three times a fold. Tables of more rows or cells than these, P
/// and Q together, would take the full-size model more than some minutes there.
inline constexpr std::size_t most_stacked_rows = 2000;
inline constexpr std::size_t most_stacked_cells = 20000;

/// TabPFN v2 with weights that the user provides (Problem::options.tabpfn). Takes NaN for missing values.
class TabPfnFamily final : public Family {
 public:
  std::string_view name() const override { return "tabpfn"; }
  SearchSpace search_space(const SpaceContext&) const override { return {}; }
  Config defaults(const SpaceContext&) const override { return {}; }
  std::vector<std::string> outcome_names() const override {
    return {"preprocessing", "members", "training_rows", "weights_sha256"};
  }
  bool stochastic() const override { return true; }
  bool needs_calibration() const override { return false; }
  bool calibrates_on_log_odds() const override { return false; }
  bool accepts_missing() const override { return true; }
  bool gives_raw_output(const FamilyOptions& options) const override;
  std::string why_too_large(std::size_t rows, std::size_t columns) const override;
  Message why_unavailable(const FamilyOptions& options) const override;

  /// Reads the weights. Throws InvalidInput if there are none, or if they cannot be used.
  std::unique_ptr<Trainer> prepare(const Problem& problem) const override;
};

}  // namespace jsdiv::tabpfn
