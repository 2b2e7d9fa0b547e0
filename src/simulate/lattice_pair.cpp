#include <array>
#include <cmath>
#include <limits>

#include "core/numeric.hpp"
#include "simulate/reference.hpp"
#include "simulate/scenarios.hpp"

namespace jsdiv::simulate_detail {
namespace {

constexpr std::array centres_p = {20.0, 5.0, 1.0};
constexpr std::array scales = {2.0, 0.8, 0.25};
/// Q's centres, in units of the scale away from those of P.
constexpr std::array shifts = {1.0, -0.8, 0.6};
constexpr double rounded_share = 0.4, grid = 0.5;

double logistic_log_density(double z) {
  return -z - 2 * log1p_exp(-z);
}

bool on_grid(double value) {
  return value / grid == std::round(value / grid);
}

/// Columns price, weight, length. Price has the measure "Lebesgue plus an atom at each multiple of the grid".
class PartlyRounded final : public RowwiseDistribution {
 public:
  PartlyRounded(bool shifted, double share) : share_(share) {
    for (std::size_t j = 0; j < 3; ++j) centres_[j] = centres_p[j] + (shifted ? shifts[j] * scales[j] : 0);
  }

 private:
  void draw_row(RandomStream& random, std::span<double> row) const override {
    const bool rounded = random.uniform() < share_;
    for (std::size_t j = 0; j < 3; ++j) {
      // An unrounded price on the grid has probability 0, but a generator can reach it.
      do {
        row[j] = centres_[j] + scales[j] * logit((random.uniform() + 0x1.0p-54));
      } while (j == 0 && !rounded && on_grid(row[0]));
    }
    if (rounded) row[0] = grid * std::round(row[0] / grid);
  }

  double log_density_of_row(std::span<const double> row) const override {
    double sum = 0;
    for (std::size_t j = 1; j < 3; ++j) sum += logistic_log_density((row[j] - centres_[j]) / scales[j]);
    const double z = (row[0] - centres_[0]) / scales[0];
    if (!on_grid(row[0])) return sum + logistic_log_density(z) - std::log(scales[0]) + std::log1p(-share_);
    if (share_ == 0) return -std::numeric_limits<double>::infinity();
    const double half_cell = grid / 2 / scales[0];
    return sum + std::log(share_) + std::log(sigmoid(z + half_cell) - sigmoid(z - half_cell));
  }

  std::array<double, 3> centres_;
  double share_;
};

}  // namespace

// Three independent logistic columns; Q is shifted by 1, −.8 and .6 scales, and 40 % of its rows have their
// price rounded to a multiple of .5. P never has such a price, so those rows give themselves away: they add
// nothing to the affinity, whose rounded-free part is .6^(1/2 − it) times that of the three shifts.
Pair lattice_pair(const SimulateOptions&) {
  std::array<BlockAffinity, 3> blocks;
  for (std::size_t j = 0; j < 3; ++j) {
    for (const Node& z : trapezoidal_nodes(-45, 45, 1800)) {
      blocks[j].add(std::exp(logistic_log_density(z.x)) * z.weight,
                    std::exp(logistic_log_density(z.x - shifts[j])) * z.weight);
    }
  }
  Pair pair;
  for (const char* name : {"price", "weight", "length"}) pair.columns.push_back({name});
  pair.p = std::make_unique<PartlyRounded>(false, 0);
  pair.q = std::make_unique<PartlyRounded>(true, rounded_share);
  pair.reference = {jsd_from_affinity([&](double t) {
                      return std::pow(1 - rounded_share, std::complex<double>(0.5, -t)) * blocks[0](t) *
                             blocks[1](t) * blocks[2](t);
                    }),
                    0, "quadrature"};
  return pair;
}

}  // namespace jsdiv::simulate_detail
