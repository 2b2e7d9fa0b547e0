#include "self_check/recovery.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "calibrate/isotonic.hpp"
#include "core/format.hpp"

namespace jsdiv {
namespace {

/// The largest divergence that is asked for: beyond it tables have next to nothing in common.
constexpr double largest_wanted = 0.97;
/// Of the positions from 0 to 1, the one where the observed estimate lies.
constexpr double place_of_observed = 2.0 / 3;
/// An interval that holds its level misses so often with less than this probability.
constexpr double chance_of_misses = 0.01;

/// The van der Corput sequence: 1/2, 1/4, 3/4, 1/8, …
double bisecting(std::size_t i) {
  double value = 0, digit = 0.5;
  for (; i > 0; i /= 2, digit /= 2) value += digit * static_cast<double>(i % 2);
  return value;
}

/// Recovered over known divergences, made to rise: a point of value y counts as y of a row that is 1 and 1 -
/// y of a row that is 0.
IsotonicMap rising_curve(const std::vector<SelfCheckRefit>& refits) {
  std::vector<double> known, weights;
  std::vector<std::uint8_t> labels;
  for (const SelfCheckRefit& refit : refits) {
    for (const std::uint8_t label : {std::uint8_t{0}, std::uint8_t{1}}) {
      known.push_back(refit.known);
      labels.push_back(label);
      weights.push_back(label == 1 ? refit.jsd : 1 - refit.jsd);
    }
  }
  return fit_isotonic(known, labels, weights);
}

/// Where the curve has the value; the middle where it does over a stretch; none where it ends before.
Maybe where_curve_is(const IsotonicMap& curve, double value) {
  const auto& heights = curve.probabilities;
  const auto [first, last] = std::equal_range(heights.begin(), heights.end(), value);
  const auto score = [&](auto place) {
    return curve.scores[static_cast<std::size_t>(place - heights.begin())];
  };
  if (first != last) return (score(first) + score(last - 1)) / 2;
  if (first == heights.begin()) return score(first) == 0 ? Maybe(0) : std::nullopt;
  if (first == heights.end()) return std::nullopt;
  const auto before = first - 1;
  return score(before) + (score(first) - score(before)) * (value - *before) / (*first - *before);
}

/// The strength that has this divergence, between the refits to either side.
Maybe strength_at(std::vector<SelfCheckRefit> refits, double jsd) {
  std::ranges::sort(refits, {}, &SelfCheckRefit::known);
  const auto after = std::ranges::lower_bound(refits, jsd, {}, &SelfCheckRefit::known);
  if (after == refits.end()) return std::nullopt;
  if (after->known == jsd || after == refits.begin()) return after->strength;
  const auto before = after - 1;
  if (!before->strength || !after->strength) return std::nullopt;
  return *before->strength +
         (*after->strength - *before->strength) * (jsd - before->known) / (after->known - before->known);
}

}  // namespace

double wanted_divergence(std::size_t refit, double observed, double high) {
  constexpr std::array first = {place_of_observed, 0.0, 1.0};
  const double place = refit < first.size() ? first[refit] : bisecting(refit - first.size() + 1);
  const double top = std::clamp(std::max(observed, high), 0.01, largest_wanted);
  const double middle = std::clamp(observed, top / 3, top);
  if (place <= place_of_observed) return middle * place / place_of_observed;
  return middle + (top - middle) * (place - place_of_observed) / (1 - place_of_observed);
}

std::vector<SelfCheckSource> summarise_refits(const std::vector<SelfCheckRefit>& refits, double observed) {
  std::vector<SelfCheckSource> sources;
  for (const char* name : {"stack", "random"}) {
    std::vector<SelfCheckRefit> chosen;
    std::ranges::copy_if(refits, std::back_inserter(chosen),
                         [&](const SelfCheckRefit& refit) { return refit.source == name; });
    if (chosen.empty()) continue;
    SelfCheckSource source{.source = name, .refits = chosen.size()};
    const double share = 1 / static_cast<double>(chosen.size());
    for (const SelfCheckRefit& refit : chosen) {
      source.covered += refit.covered() ? 1 : 0;
      source.bias += share * (refit.jsd - refit.known);
      source.mean_absolute_error += share * std::abs(refit.jsd - refit.known);
    }
    source.implied_jsd = where_curve_is(rising_curve(chosen), observed);
    if (source.implied_jsd) source.implied_strength = strength_at(chosen, *source.implied_jsd);
    sources.push_back(std::move(source));
  }
  return sources;
}

void warn_of_misses(const std::vector<SelfCheckRefit>& refits, std::vector<Warning>& warnings) {
  const std::size_t count = refits.size();
  const auto covered = static_cast<std::size_t>(std::ranges::count_if(refits, &SelfCheckRefit::covered));
  const double level = refits.at(0).confidence_interval.level;
  double chance = 0;
  for (std::size_t k = 0; k <= covered; ++k) {
    const double ways = std::lgamma(static_cast<double>(count) + 1) -
                        std::lgamma(static_cast<double>(k) + 1) -
                        std::lgamma(static_cast<double>(count - k) + 1);
    chance += std::exp(ways + static_cast<double>(k) * std::log(level) +
                       static_cast<double>(count - k) * std::log1p(-level));
  }
  if (chance >= chance_of_misses) return;
  warnings.push_back(
      {"self_check_misses", format("of %zu re-splits of these rows with a known divergence, the interval "
                                   "contains it in only %zu: the interval is too narrow for these tables",
                                   count, covered)});
}

}  // namespace jsdiv
