#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "jsdiv/family.hpp"

/// Owners of the library's C handles. Its header is seen by booster.cpp alone.
namespace jsdiv::gradient_boosting {

/// Rows of a problem in the library's own form.
class DataMatrix {
 public:
  /// Copies `rows` of features [rows, features], to predict.
  DataMatrix(MatrixView features, Rows rows);
  /// Quantile bins of `rows`, at most `bins` of a feature, to train: a byte or two for each value, where a
  /// copy takes eight. `weights` are [rows.size()] or empty, and are set as the field of that name.
  DataMatrix(MatrixView features, Rows rows, std::span<const float> weights, std::int64_t bins);
  ~DataMatrix();
  DataMatrix(const DataMatrix&) = delete;
  DataMatrix& operator=(const DataMatrix&) = delete;

  /// One value for each row of the matrix, for the field "label" or "base_margin".
  void set_info(const char* field, std::span<const float> values);

  void* handle() const { return handle_; }

 private:
  void* handle_ = nullptr;
};

/// A boosted ensemble. Training is for one thread at a time, and all rounds of one ensemble for the same
/// thread, because the library's random engine is thread-local; margins(MatrixView, …) may be called by many
/// threads at once.
class Booster {
 public:
  explicit Booster(const DataMatrix& training);
  ~Booster();
  Booster(const Booster&) = delete;
  Booster& operator=(const Booster&) = delete;

  void set(const char* parameter, const std::string& value);
  void set(const char* parameter, double value);
  void set(const char* parameter, std::int64_t value);

  /// Adds round number `round` (from 0).
  void boost(int round, const DataMatrix& training);

  /// The sum of the trees, without any base margin of ours, for each row of `data`. The library keeps the
  /// sums with the ensemble, so that a later call pays for the rounds since the last one only. Valid until
  /// the next call.
  std::span<const float> cached_margins(const DataMatrix& data);

  /// out[i] = sum of the trees of the first `rounds` rounds for row rows[i] of features [rows, features].
  void margins(MatrixView features, Rows rows, int rounds, std::span<double> out) const;

 private:
  void* handle_ = nullptr;
};

}  // namespace jsdiv::gradient_boosting
