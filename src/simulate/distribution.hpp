#pragma once

#include <Eigen/Core>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "jsdiv/random.hpp"
#include "jsdiv/simulate.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv::simulate_detail {

/// Rows of a table as the scenarios draw and judge them: [rows, columns], cells as in Column::values.
using RowBlock = Eigen::MatrixXd;

/// One of the two distributions of a scenario. P and Q state their densities against one common measure,
/// which may have atoms; only the ratio of the two is ever used.
class Distribution {
 public:
  virtual ~Distribution() = default;

  /// Fills `rows`, whose shape the caller sets.
  virtual void draw(RandomStream& random, RowBlock& rows) const = 0;
  /// out[i] = natural logarithm of the density at row i; minus infinity off the support.
  virtual void log_density(const RowBlock& rows, std::span<double> out) const = 0;
};

/// A distribution that works row by row.
class RowwiseDistribution : public Distribution {
 public:
  void draw(RandomStream& random, RowBlock& rows) const final;
  void log_density(const RowBlock& rows, std::span<double> out) const final;

 private:
  virtual void draw_row(RandomStream& random, std::span<double> row) const = 0;
  virtual double log_density_of_row(std::span<const double> row) const = 0;
};

/// The true JSD and where it comes from.
struct Reference {
  double jsd = 0;
  double standard_error = 0;
  std::string method;
};

/// A scenario with its options applied.
struct Pair {
  std::vector<Column> columns;  ///< without values
  std::unique_ptr<const Distribution> p, q;
  decltype(Truth::parameters) parameters;
  Reference reference;
};

/// Columns x0, x1, … of numbers.
std::vector<Column> number_columns(std::size_t count);
/// `levels` are sorted, as everywhere.
Column category_column(std::string name, std::vector<std::string> levels);

/// The value, or `fallback`; throws InvalidInput that names the option unless low <= value <= high.
double option_in_range(std::string_view name, std::optional<double> value, double fallback, double low,
                       double high);
std::size_t option_in_range(std::string_view name, std::optional<std::size_t> value, std::size_t fallback,
                            std::size_t low, std::size_t high);

/// An index drawn with these probabilities, which sum to 1.
std::size_t draw_index(RandomStream& random, std::span<const double> probabilities);

}  // namespace jsdiv::simulate_detail
