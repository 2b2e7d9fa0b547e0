#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace jsdiv {

/// The grid offset + k * spacing, k any whole number.
struct Lattice {
  double offset = 0;
  double spacing = 1;

  double index(double x) const;
  double nearest(double x) const;
};

/// A value of one table and the number of rows that hold it.
struct WeightedValue {
  double value = 0;
  double rows = 0;
};

/// Half the distance of neighbouring floats, relative to their size: that of float32 if at least 99.9 %
/// of the rows hold one, else that of double.
double rounding_unit(std::span<const WeightedValue> values);

/// True if x lies on the lattice, within 1e-3 of the spacing and what rounding by `unit` does to x. Never
/// where the rounding hides the grid.
bool is_on(const Lattice& lattice, double x, double unit);

/// Share of the rows on the lattice.
double share_on(const Lattice& lattice, std::span<const WeightedValue> values, double unit);

/// The coarsest lattice that holds at least 99.9 % of the rows, where there is one with so few points that
/// values scattered at random would not fall on it. `values` are finite, ascending and without duplicates.
///
/// An approximate greatest common divisor of the gaps: Euclid's algorithm on a dozen gaps, with the error of
/// each remainder carried along, gives a spacing; it is sharpened on all gaps that it is sure of, then offset
/// and spacing by least squares on a window that doubles as they become known; and the result is checked on
/// all values. Needs time linear in the number of values.
std::optional<Lattice> find_lattice(std::span<const WeightedValue> values);

}  // namespace jsdiv
