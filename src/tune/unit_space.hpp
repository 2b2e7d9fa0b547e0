#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "jsdiv/hyperparameters.hpp"
#include "jsdiv/random.hpp"

namespace jsdiv {

/// A configuration as numbers in [0, 1], one for each parameter beside the path, in the order of the space.
using UnitPoint = std::vector<double>;

/// The parameters of a search space (without its path) as a unit cube. Reals are linear in it, log_reals
/// linear in their logarithm, integers and choices take cells of equal width.
class UnitSpace {
 public:
  explicit UnitSpace(const SearchSpace& space);

  std::size_t dimensions() const { return parameters_.size(); }
  bool is_choice(std::size_t dimension) const {
    return parameters_[dimension].kind == Parameter::Kind::choice;
  }

  /// Moves the point to the one that stands for its configuration: integers evenly over [0, 1], choices to
  /// the middle of their cell, inactive parameters to 1/2. Points are equal afterwards if and only if
  /// configurations are.
  void canonicalise(std::span<double> point) const;

  /// The configuration of a canonical point; inactive parameters are left out.
  Config decode(std::span<const double> point) const;

  UnitPoint draw(RandomStream& random) const;

  /// Every configuration, the last parameter fastest, if there are at most `limit` of them.
  std::optional<std::vector<UnitPoint>> enumerate(std::size_t limit) const;

 private:
  struct Condition {
    std::size_t parent = 0;
    std::vector<bool> active_for;  ///< for each choice of the parent
  };

  std::size_t cells(std::size_t dimension) const;
  std::size_t cell(std::size_t dimension, double coordinate) const;
  double cell_coordinate(std::size_t dimension, std::size_t cell_idx) const;
  bool active(std::size_t dimension, std::span<const double> point) const;

  std::vector<Parameter> parameters_;
  std::vector<std::optional<Condition>> conditions_;
  std::vector<std::size_t> parents_first_;  ///< order in which activity can be decided
};

}  // namespace jsdiv
