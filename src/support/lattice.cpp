#include "support/lattice.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace jsdiv {
namespace {

constexpr double required_share = 0.999;
constexpr double relative_tolerance = 1e-3;
constexpr double float32_unit = 0x1p-24;
constexpr double double_unit = 0x1p-53;
constexpr std::size_t gaps_for_divisor = 12;
/// Beyond these the squares of values and the counts of gaps leave the range of a double.
constexpr double largest_magnitude = 1e150;
constexpr double smallest_gap = 1e-150;

/// Twice the rounding of the value itself, because a column was often computed (standardised, say) before.
double rounding_error(double x, double unit) {
  return 2 * unit * std::abs(x);
}

/// A distance between neighbours, or a remainder of such distances, and how far rounding may have moved it.
struct Gap {
  double size = 0;
  double error = 0;
};

/// Without the rarest values, as long as they make up no more than the share that may lie off the grid: one
/// stray value spoils two gaps.
std::vector<double> frequent_values(std::span<const WeightedValue> values) {
  double total = 0;
  std::vector<double> rows;
  for (const WeightedValue& value : values) {
    rows.push_back(value.rows);
    total += value.rows;
  }
  std::ranges::sort(rows);
  double rare = 0, rare_total = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    rare_total += rows[i];
    if (rare_total > (1 - required_share) * total) break;
    if (i + 1 == rows.size() || rows[i + 1] > rows[i]) rare = rows[i];
  }
  std::vector<double> result;
  for (const WeightedValue& value : values) {
    if (value.rows > rare) result.push_back(value.value);
  }
  return result;
}

/// Distances between neighbours that rounding does not explain.
std::vector<Gap> gaps_between(std::span<const double> points, double unit) {
  std::vector<Gap> gaps;
  double last = points.front();
  for (const double point : points.subspan(1)) {
    const double error = rounding_error(last, unit) + rounding_error(point, unit);
    if (point - last <= 2 * error) continue;
    gaps.push_back({point - last, error});
    last = point;
  }
  return gaps;
}

/// Greatest common divisor of two lengths known up to an error; none where the errors outgrow the remainders.
std::optional<Gap> common_divisor(Gap a, Gap b) {
  for (;;) {
    if (a.size < b.size) std::swap(a, b);
    const double quotient = std::round(a.size / b.size);
    const Gap remainder{std::abs(a.size - quotient * b.size), a.error + quotient * b.error};
    if (!(remainder.error <= 0.1 * b.size)) return std::nullopt;  // also where the quotient overflows
    if (remainder.size <= 3 * remainder.error) {
      return a.error / quotient < b.error ? Gap{a.size / quotient, a.error / quotient} : b;
    }
    a = b;
    b = remainder;
  }
}

/// The common divisor of the gaps from that rank on in order of size. Reorders `gaps`.
std::optional<Gap> divisor_at_rank(std::span<Gap> gaps, std::size_t rank) {
  const auto by_size = [](const Gap& a, const Gap& b) { return a.size < b.size; };
  const std::size_t count = std::min(gaps_for_divisor, gaps.size() - rank);
  std::nth_element(gaps.begin(), gaps.begin() + rank, gaps.end(), by_size);
  std::partial_sort(gaps.begin() + rank, gaps.begin() + rank + count, gaps.end(), by_size);
  std::optional<Gap> divisor = gaps[rank];
  for (std::size_t i = rank + 1; i < rank + count && divisor; ++i)
    divisor = common_divisor(*divisor, gaps[i]);
  return divisor;
}

/// How many spacings a distance may measure before the error of the spacing puts its count in doubt.
double countable(const Gap& spacing) {
  return 0.1 * spacing.size / spacing.error;
}

/// Least squares of the spacing on all gaps that it can count, again as it gets sharper. None if too many
/// gaps are no multiple.
std::optional<Gap> sharpen(Gap spacing, std::span<const Gap> gaps) {
  for (double reach = 0; reach < countable(spacing);) {
    reach = countable(spacing);
    double used = 0, fitting = 0, size_by_count = 0, squared_count = 0, squared_error = 0, largest = 0;
    for (const Gap& gap : gaps) {
      const double count = std::round(gap.size / spacing.size);
      largest = std::max(largest, count);
      if (count > reach) continue;
      ++used;
      if (count == 0 || std::abs(gap.size - count * spacing.size) > 0.1 * spacing.size + 3 * gap.error)
        continue;
      ++fitting;
      size_by_count += gap.size * count;
      squared_count += count * count;
      squared_error += count * count * gap.error * gap.error;
    }
    if (fitting < 0.6 * used) return std::nullopt;
    if (fitting == 0) return spacing;
    spacing.size = size_by_count / squared_count;
    spacing.error = std::max(std::sqrt(squared_error) / squared_count, double_unit * spacing.size);
    if (reach >= largest) return spacing;
  }
  return spacing;
}

/// Where in (-1/2, 1/2] of a spacing the points lie from `origin`, as a circular mean.
double phase(std::span<const double> points, double origin, double spacing) {
  double cosine = 0, sine = 0;
  for (const double point : points) {
    const double spacings = (point - origin) / spacing;
    const double angle = 2 * M_PI * (spacings - std::nearbyint(spacings));
    cosine += std::cos(angle);
    sine += std::sin(angle);
  }
  return std::atan2(sine, cosine) / (2 * M_PI);
}

/// One step of least squares of offset and spacing on the points near a grid point.
Lattice refit(const Lattice& lattice, std::span<const double> points) {
  double n = 0, k_sum = 0, k2_sum = 0, r_sum = 0, kr_sum = 0;
  const double centre = std::round(lattice.index(points[points.size() / 2]));
  for (const double point : points) {
    const double k = std::round(lattice.index(point));
    const double residual = point - (lattice.offset + k * lattice.spacing);
    if (std::abs(residual) > 0.2 * lattice.spacing) continue;
    const double k_centred = k - centre;
    ++n;
    k_sum += k_centred;
    k2_sum += k_centred * k_centred;
    r_sum += residual;
    kr_sum += k_centred * residual;
  }
  if (n < 2) return lattice;
  const double k_variance = k2_sum - k_sum * k_sum / n;
  const double slope = k_variance > 0 ? (kr_sum - k_sum * r_sum / n) / k_variance : 0;
  const double at_centre = (r_sum - slope * k_sum) / n;
  return {lattice.offset + at_centre - slope * centre, lattice.spacing + slope};
}

/// Offset and spacing from the middle outwards.
Lattice fit_lattice(std::span<const double> points, const Gap& spacing) {
  const double origin = points[points.size() / 2];
  const double range = std::max(points.back() - origin, origin - points.front());
  double reach = std::min(range, countable(spacing) * spacing.size);
  Lattice lattice{origin, spacing.size};
  for (bool first = true;; first = false) {
    const auto low = std::ranges::lower_bound(points, origin - reach);
    const auto high = std::ranges::upper_bound(points, origin + reach);
    const std::span window(low, high);
    if (first) lattice.offset += spacing.size * phase(window, origin, spacing.size);
    lattice = refit(lattice, window);
    if (reach >= range) return refit(lattice, window);
    reach *= 2;
  }
}

double rounded_to_digits(double x) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.12g", x);
  return std::strtod(text.data(), nullptr);
}

double largest_residual(const Lattice& lattice, std::span<const WeightedValue> values, double unit) {
  double largest = 0;
  for (const WeightedValue& value : values) {
    if (is_on(lattice, value.value, unit)) {
      largest = std::max(largest, std::abs(value.value - lattice.nearest(value.value)));
    }
  }
  return largest;
}

/// Multiplies the spacing by small primes while the share of rows on the grid allows it: a stray value in the
/// divisor's gaps makes the first grid too fine.
Lattice coarsened(Lattice lattice, std::span<const WeightedValue> values, double unit) {
  double total = 0;
  for (const WeightedValue& value : values) total += value.rows;
  for (bool again = true; again;) {
    again = false;
    for (const int prime : {2, 3, 5, 7, 11, 13}) {
      std::array<double, 13> rows_of_class{};
      double seen = 0;
      for (const WeightedValue& value : values) {
        if (is_on(lattice, value.value, unit)) {
          const double rest = std::fmod(std::round(lattice.index(value.value)), prime);
          rows_of_class[static_cast<std::size_t>(rest < 0 ? rest + prime : rest)] += value.rows;
        }
        seen += value.rows;
        if (seen - *std::ranges::max_element(rows_of_class) > (1 - required_share) * total) break;
      }
      const auto fullest = std::ranges::max_element(rows_of_class);
      if (*fullest < required_share * total) continue;
      lattice.offset += static_cast<double>(fullest - rows_of_class.begin()) * lattice.spacing;
      lattice.spacing *= prime;
      again = true;
      break;
    }
  }
  return lattice;
}

/// The offset at the smallest value on the grid, and both in few digits where that fits the values as well.
Lattice tidied(Lattice lattice, std::span<const WeightedValue> values, double unit) {
  const auto first = std::ranges::find_if(
      values, [&](const WeightedValue& value) { return is_on(lattice, value.value, unit); });
  lattice.offset = lattice.nearest(first->value);
  const Lattice rounded{rounded_to_digits(lattice.offset), rounded_to_digits(lattice.spacing)};
  const double largest_value = std::max(std::abs(values.front().value), std::abs(values.back().value));
  const double allowed =
      std::max(largest_residual(lattice, values, unit), rounding_error(largest_value, double_unit));
  const bool fits = share_on(rounded, values, unit) >= share_on(lattice, values, unit) &&
                    largest_residual(rounded, values, unit) <= allowed;
  return fits ? rounded : lattice;
}

/// Whether so many points so close to so few grid points are more than a search over all offsets and spacings
/// would find among points scattered at random.
bool is_evident(const Lattice& lattice, std::span<const WeightedValue> values, double unit) {
  constexpr double margin = 10;
  std::size_t points = 0;
  double last = -1;
  double largest_value = 0;
  for (const WeightedValue& value : values) {
    if (!is_on(lattice, value.value, unit)) continue;
    const double k = std::round(lattice.index(value.value));
    if (points == 0 || k != last) ++points;
    last = k;
    largest_value = std::max(largest_value, std::abs(value.value));
  }
  if (points < 3) return false;
  const double cells = (values.back().value - values.front().value) / lattice.spacing;
  const double closeness =
      std::max(largest_residual(lattice, values, unit), rounding_error(largest_value, unit)) /
      lattice.spacing;
  if (closeness >= 0.25) return false;
  return static_cast<double>(points - 2) * -std::log(2 * closeness) >
         2 * std::log(cells / closeness) + margin;
}

/// True if share_on() is at least the required share. A grid that does not hold is given up at once.
bool holds_nearly_all(const Lattice& lattice, std::span<const WeightedValue> values, double unit) {
  double total = 0;
  for (const WeightedValue& value : values) total += value.rows;
  double on = total;
  for (const WeightedValue& value : values) {
    if (is_on(lattice, value.value, unit)) continue;
    on -= value.rows;
    if (on / total < required_share) return false;
  }
  return total > 0;
}

std::optional<Lattice> find_lattice(std::span<const WeightedValue> values, double unit) {
  const std::vector<double> points = frequent_values(values);
  if (points.size() < 3) return std::nullopt;
  if (std::max(-points.front(), points.back()) > largest_magnitude) return std::nullopt;
  std::vector<Gap> gaps = gaps_between(points, unit);
  if (gaps.empty()) return std::nullopt;
  if (std::ranges::any_of(gaps, [](const Gap& gap) { return gap.size < smallest_gap; })) return std::nullopt;
  for (const double quantile : {0.0, 0.01, 0.05, 0.25, 0.5}) {
    const auto rank = static_cast<std::size_t>(quantile * static_cast<double>(gaps.size()));
    std::optional<Gap> spacing = divisor_at_rank(gaps, rank);
    if (spacing) spacing = sharpen(*spacing, gaps);
    if (!spacing) continue;
    Lattice lattice = fit_lattice(points, *spacing);
    if (!(lattice.spacing > 0) || !holds_nearly_all(lattice, values, unit)) continue;
    lattice = tidied(coarsened(lattice, values, unit), values, unit);
    if (is_evident(lattice, values, unit)) return lattice;
  }
  return std::nullopt;
}

}  // namespace

double Lattice::index(double x) const {
  return (x - offset) / spacing;
}

double Lattice::nearest(double x) const {
  return offset + std::round(index(x)) * spacing;
}

double rounding_unit(std::span<const WeightedValue> values) {
  double float32_rows = 0, total = 0;
  for (const WeightedValue& value : values) {
    if (static_cast<double>(static_cast<float>(value.value)) == value.value) float32_rows += value.rows;
    total += value.rows;
  }
  return float32_rows >= required_share * total ? float32_unit : double_unit;
}

bool is_on(const Lattice& lattice, double x, double unit) {
  const double tolerance = relative_tolerance * lattice.spacing + rounding_error(x, unit);
  return tolerance < 0.25 * lattice.spacing && std::abs(x - lattice.nearest(x)) <= tolerance;
}

double share_on(const Lattice& lattice, std::span<const WeightedValue> values, double unit) {
  double on = 0, total = 0;
  for (const WeightedValue& value : values) {
    if (is_on(lattice, value.value, unit)) on += value.rows;
    total += value.rows;
  }
  return total == 0 ? 0 : on / total;
}

std::optional<Lattice> find_lattice(std::span<const WeightedValue> values) {
  if (values.empty()) return std::nullopt;
  const double unit = rounding_unit(values);
  std::optional<Lattice> lattice = find_lattice(values, unit);
  // Whole numbers up to 2^24 are float32 too, and exact: the coarse unit may hide their grid.
  if (!lattice && unit == float32_unit) lattice = find_lattice(values, double_unit);
  return lattice;
}

}  // namespace jsdiv
