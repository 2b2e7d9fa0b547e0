#include "classify/pairs/additive_model.hpp"

#include <algorithm>
#include <cmath>

#include "core/assert.hpp"
#include "core/numeric.hpp"
#include "core/stop.hpp"

namespace jsdiv::pairs {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// A feature whose rows all lie on knots: a row touches one of them.
struct KnotAxis {
  const std::uint16_t* knot;

  template <typename At>
  double value(std::size_t row, const At& at) const {
    return at(knot[row]);
  }
  template <typename Power, typename Add>
  void spread(std::size_t row, double value, const Power&, const Add& add) const {
    add(knot[row], value);
  }
};

/// A feature with rows between knots: a row touches two neighbours.
struct LineAxis {
  const std::uint16_t* below;
  const float* share;

  template <typename At>
  double value(std::size_t row, const At& at) const {
    const double low = at(below[row]);
    return low + share[row] * (at(below[row] + std::size_t{1}) - low);
  }
  template <typename Power, typename Add>
  void spread(std::size_t row, double value, const Power& power, const Add& add) const {
    const double high = share[row];
    add(below[row], value * power(1 - high));
    add(below[row] + std::size_t{1}, value * power(high));
  }
};

template <typename Sweep>
void with_axis(const Places& places, const Sweep& sweep) {
  if (places.on_knots()) {
    sweep(KnotAxis{places.below.data()});
  } else {
    sweep(LineAxis{places.below.data(), places.share.data()});
  }
}

template <typename Sweep>
void with_axes(const Places& a, const Places& b, const Sweep& sweep) {
  with_axis(
      a, [&](const auto& along_a) { with_axis(b, [&](const auto& along_b) { sweep(along_a, along_b); }); });
}

/// The penalised loss around one point.
class Objective {
 public:
  Objective(const AdditiveModel& model, std::span<const Places> places, const Target& target, double c)
      : model_(model),
        places_(places),
        target_(target),
        c_(c),
        scores_(target.signs.size()),
        row_values_(target.signs.size()),
        curvature_(target.signs.size()) {}

  double value(std::span<const double> point) {
    model_.apply(places_, point, scores_);
    double loss = 0;
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      loss += target_.weights[i] * log1p_exp(-target_.signs[i] * scores_[i]);
    }
    return c_ * loss + 0.5 * dot(point.subspan(1), point.subspan(1));
  }

  /// At the point of the last value().
  void gradient(std::span<const double> point, std::span<double> out) {
    for (std::size_t i = 0; i < scores_.size(); ++i) {
      const double wrong = sigmoid(-target_.signs[i] * scores_[i]);
      row_values_[i] = -c_ * target_.weights[i] * target_.signs[i] * wrong;
      curvature_[i] = c_ * target_.weights[i] * wrong * (1 - wrong);
    }
    model_.transpose(places_, row_values_, out);
    for (std::size_t k = 1; k < out.size(); ++k) out[k] += point[k];
  }

  /// The diagonal of the second derivative at the point of the last gradient().
  void curvature_diagonal(std::span<double> out) {
    model_.transpose_squares(places_, curvature_, out);
    for (std::size_t k = 1; k < out.size(); ++k) out[k] += 1;
  }

  /// The second derivative there, times `direction`.
  void curvature_times(std::span<const double> direction, std::span<double> out) {
    model_.apply(places_, direction, row_values_);
    for (std::size_t i = 0; i < row_values_.size(); ++i) row_values_[i] *= curvature_[i];
    model_.transpose(places_, row_values_, out);
    for (std::size_t k = 1; k < out.size(); ++k) out[k] += direction[k];
  }

 private:
  const AdditiveModel& model_;
  std::span<const Places> places_;
  const Target& target_;
  double c_;
  std::vector<double> scores_;
  std::vector<double> row_values_;
  std::vector<double> curvature_;
};

/// Solves curvature · step = -gradient to the given share of |gradient|.
std::vector<double> newton_step(Objective& objective, std::span<const double> gradient, double share) {
  constexpr int most_steps = 100;
  const std::size_t size = gradient.size();
  std::vector<double> step(size, 0.0), residual(size), scaled(size), direction(size), product(size),
      diagonal(size);
  objective.curvature_diagonal(diagonal);
  for (std::size_t k = 0; k < size; ++k) {
    residual[k] = -gradient[k];
    direction[k] = scaled[k] = residual[k] / diagonal[k];
  }
  double norm = dot(residual, scaled);
  const double enough = share * share * norm;
  for (int iteration = 0; iteration < most_steps && norm > enough; ++iteration) {
    throw_if_interrupted();
    objective.curvature_times(direction, product);
    const double bend = dot(direction, product);
    if (!(bend > 0)) break;
    const double length = norm / bend;
    for (std::size_t k = 0; k < size; ++k) {
      step[k] += length * direction[k];
      residual[k] -= length * product[k];
      scaled[k] = residual[k] / diagonal[k];
    }
    const double next = dot(residual, scaled);
    for (std::size_t k = 0; k < size; ++k) direction[k] = scaled[k] + next / norm * direction[k];
    norm = next;
  }
  return step;
}

}  // namespace

AdditiveModel::AdditiveModel(std::vector<Hats> hats, std::vector<Pair> pairs)
    : hats_(std::move(hats)), pairs_(std::move(pairs)) {
  std::vector<bool> paired(hats_.size(), false);
  for (const auto& [a, b] : pairs_) paired[a] = paired[b] = true;
  for (std::size_t j = 0; j < hats_.size(); ++j) {
    if (hats_[j].constant() || paired[j]) continue;
    singles_.push_back(j);
    single_offset_.push_back(size_);
    size_ += hats_[j].size();
  }
  for (const auto& [a, b] : pairs_) {
    JSDIV_ASSERT(!hats_[a].constant() && !hats_[b].constant());
    pair_offset_.push_back(size_);
    size_ += hats_[a].size() * hats_[b].size();
  }
}

void AdditiveModel::apply(std::span<const Places> places, std::span<const double> coefficients,
                          std::span<double> out) const {
  std::fill(out.begin(), out.end(), coefficients[0]);
  for (std::size_t s = 0; s < singles_.size(); ++s) {
    const double* part = coefficients.data() + single_offset_[s];
    with_axis(places[singles_[s]], [&](const auto& axis) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] += axis.value(i, [&](std::size_t knot) { return part[knot]; });
      }
    });
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [a, b] = pairs_[k];
    const std::size_t width = hats_[b].size();
    const double* part = coefficients.data() + pair_offset_[k];
    with_axes(places[a], places[b], [&](const auto& along_a, const auto& along_b) {
      for (std::size_t i = 0; i < out.size(); ++i) {
        out[i] += along_a.value(i, [&](std::size_t knot_a) {
          const double* row = part + knot_a * width;
          return along_b.value(i, [&](std::size_t knot_b) { return row[knot_b]; });
        });
      }
    });
  }
}

template <typename Power>
void AdditiveModel::transpose_with(const Power& power, std::span<const Places> places,
                                   std::span<const double> residuals, std::span<double> out) const {
  std::fill(out.begin(), out.end(), 0.0);
  for (const double residual : residuals) out[0] += residual;
  for (std::size_t s = 0; s < singles_.size(); ++s) {
    double* part = out.data() + single_offset_[s];
    with_axis(places[singles_[s]], [&](const auto& axis) {
      for (std::size_t i = 0; i < residuals.size(); ++i) {
        axis.spread(i, residuals[i], power, [&](std::size_t knot, double value) { part[knot] += value; });
      }
    });
  }
  for (std::size_t k = 0; k < pairs_.size(); ++k) {
    const auto [a, b] = pairs_[k];
    const std::size_t width = hats_[b].size();
    double* part = out.data() + pair_offset_[k];
    with_axes(places[a], places[b], [&](const auto& along_a, const auto& along_b) {
      for (std::size_t i = 0; i < residuals.size(); ++i) {
        along_a.spread(i, residuals[i], power, [&](std::size_t knot_a, double value_a) {
          double* row = part + knot_a * width;
          along_b.spread(i, value_a, power, [&](std::size_t knot_b, double value) { row[knot_b] += value; });
        });
      }
    });
  }
}

void AdditiveModel::transpose(std::span<const Places> places, std::span<const double> residuals,
                              std::span<double> out) const {
  transpose_with([](double value) { return value; }, places, residuals, out);
}

void AdditiveModel::transpose_squares(std::span<const Places> places, std::span<const double> residuals,
                                      std::span<double> out) const {
  transpose_with([](double value) { return value * value; }, places, residuals, out);
}

void fit_ridge(const AdditiveModel& model, std::span<const Places> places, const Target& target, double c,
               double tolerance, std::span<double> coefficients) {
  constexpr int most_steps = 30;
  Objective objective(model, places, target, c);
  std::vector<double> gradient(model.size()), moved(model.size());
  std::vector<double> origin(model.size(), 0.0);
  objective.value(origin);
  objective.gradient(origin, gradient);
  const double enough = tolerance * std::sqrt(dot(gradient, gradient));
  double value = objective.value(coefficients);
  for (int step = 0; step < most_steps; ++step) {
    objective.gradient(coefficients, gradient);
    const double norm = std::sqrt(dot(gradient, gradient));
    if (norm <= enough) return;
    const std::vector<double> direction = newton_step(objective, gradient, 0.1);
    const double slope = dot(gradient, direction);
    double length = 1;
    double next = 0;
    do {
      for (std::size_t k = 0; k < moved.size(); ++k) moved[k] = coefficients[k] + length * direction[k];
      next = objective.value(moved);
      if (next <= value + 1e-4 * length * slope) break;
      length /= 2;
    } while (length > 1e-6);
    if (!(next < value)) return;
    std::ranges::copy(moved, coefficients.begin());
    value = next;
  }
}

}  // namespace jsdiv::pairs
