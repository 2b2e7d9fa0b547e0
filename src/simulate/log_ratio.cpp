#include "simulate/log_ratio.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/format.hpp"
#include "core/quantiles.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/simulate.hpp"

namespace jsdiv::simulate_detail {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

double uniform(RandomStream& random, double low, double high) {
  return low + (high - low) * random.uniform();
}

Index whole(RandomStream& random, Index low, Index high) {
  return low + static_cast<Index>(random.below(static_cast<std::uint64_t>(high - low + 1)));
}

double angle(RandomStream& random) {
  return uniform(random, 0, 2 * std::numbers::pi);
}

Vector normals(RandomStream& random, Index count) {
  Vector result(count);
  for (double& value : result) value = random.normal();
  return result;
}

void standardise(Eigen::Ref<Vector> values) {
  values.array() -= values.mean();
  const double deviation = std::sqrt(values.squaredNorm() / static_cast<double>(values.size()));
  if (deviation > 1e-12) {
    values /= deviation;
  } else {
    values.setZero();
  }
}

/// `share` of the values lie below it.
double quantile(Vector values, double share) {
  const auto place = static_cast<Index>(share * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), values.begin() + place, values.end());
  return values[place];
}

Vector above(const Vector& values, double limit) {
  return (values.array() > limit).cast<double>();
}

/// Columns that the log-ratio depends on: d^u of the d columns with u uniform, so that one, a few and all of
/// them are about equally likely.
Matrix some_columns(const CellView& cells, RandomStream& random, Index fewest = 1) {
  const Index d = cells.values.cols();
  const Index count = std::clamp(
      static_cast<Index>(std::ceil(std::pow(static_cast<double>(d), random.uniform()))), fewest, d);
  std::vector<Index> order(static_cast<std::size_t>(d));
  std::iota(order.begin(), order.end(), Index{0});
  random.shuffle(std::span(order));
  order.resize(static_cast<std::size_t>(count));
  return cells.values(Eigen::all, order);
}

Vector column(const Matrix& columns, RandomStream& random) {
  return columns.col(whole(random, 0, columns.cols() - 1));
}

/// Another column than the first, if there is one.
Index another(Index first, Index count, RandomStream& random) {
  return count == 1 ? first : (first + whole(random, 1, count - 1)) % count;
}

Vector linear(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  return x * normals(random, x.cols());
}

/// Even, odd, periodic and saturating shapes of one column each.
Vector additive(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector sum = Vector::Zero(x.rows());
  for (Index j = 0; j < x.cols(); ++j) {
    const auto z = x.col(j).array();
    const double weight = random.normal(), place = random.normal(), frequency = uniform(random, 0.5, 2.5);
    switch (random.below(4)) {
      case 0:
        sum.array() += weight * (frequency * (z - place)).sin();
        break;
      case 1:
        sum.array() += weight * (z - place).abs();
        break;
      case 2:
        sum.array() += weight * (z - place).square() / 2;
        break;
      default:
        sum.array() += weight * (2 * (z - place)).tanh();
    }
  }
  return sum;
}

Vector quadratic_form(const Matrix& x, RandomStream& random, double linear_share) {
  Matrix form(x.cols(), x.cols());
  for (double& entry : form.reshaped()) entry = random.normal();
  const Vector slope = normals(random, x.cols());
  return (x * form).cwiseProduct(x).rowwise().sum() / static_cast<double>(x.cols()) +
         linear_share / std::sqrt(static_cast<double>(x.cols())) * (x * slope);
}

Vector quadratic(const CellView& cells, RandomStream& random) {
  return quadratic_form(some_columns(cells, random), random, 0.3);
}

/// What two Gaussians of other mean and covariance differ by, in all columns.
Vector covariance(const CellView& cells, RandomStream& random) {
  return quadratic_form(cells.values, random, random.uniform());
}

Vector products(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random, std::min<Index>(2, cells.values.cols()));
  Vector sum = Vector::Zero(x.rows());
  for (Index term = whole(random, 1, x.cols()); term > 0; --term) {
    Vector product = Vector::Constant(x.rows(), random.normal());
    for (Index factor = whole(random, 2, 3); factor > 0; --factor) {
      product.array() *= column(x, random).array().cwiseMax(-3).cwiseMin(3);
    }
    sum += product;
  }
  return sum;
}

Vector waves(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector sum = Vector::Zero(x.rows());
  for (Index term = 0; term < x.cols(); ++term) {
    const Vector first = column(x, random), second = column(x, random);
    const double weight = random.normal();
    const double frequency_1 = uniform(random, 0.5, 2), phase_1 = angle(random);
    const double frequency_2 = uniform(random, 0.5, 2), phase_2 = angle(random);
    sum.array() += weight * (frequency_1 * first.array() + phase_1).sin() *
                   (frequency_2 * second.array() + phase_2).cos();
  }
  return sum;
}

Vector trees(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector sum = Vector::Zero(x.rows());
  for (Index tree = whole(random, 1, 7); tree > 0; --tree) {
    Vector leaf = Vector::Zero(x.rows());
    const Index depth = whole(random, 1, 4);
    for (Index level = 0; level < depth; ++level) {
      const Vector split = column(x, random);
      leaf = 2 * leaf + above(split, quantile(split, uniform(random, 0.15, 0.85)));
    }
    const Vector values = normals(random, Index{1} << depth);
    for (Index row = 0; row < x.rows(); ++row) sum[row] += values[static_cast<Index>(leaf[row])];
  }
  return sum;
}

Vector parity(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random, std::min<Index>(2, cells.values.cols()));
  Vector sign = Vector::Ones(x.rows());
  const Index columns = std::min<Index>(x.cols(), whole(random, 2, 3));
  for (Index j = 0; j < columns; ++j) {
    const Vector split = x.col(j);
    sign.array() *= 2 * above(split, quantile(split, 0.5)).array() - 1;
  }
  return sign;
}

Vector thresholds(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector sum = Vector::Zero(x.rows());
  for (Index j = 0; j < x.cols(); ++j) {
    for (Index step = whole(random, 1, 3); step > 0; --step) {
      const double height = random.normal(), share = uniform(random, 0.1, 0.9);
      sum += height * above(x.col(j), quantile(x.col(j), share));
    }
  }
  return sum;
}

/// The distance from a point, on a scale where it varies by about 1.
Vector distance_from(const Matrix& x, const Vector& centre) {
  Vector distance = (x.rowwise() - centre.transpose()).rowwise().norm();
  standardise(distance);
  return distance;
}

Vector radial(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  const Vector direction = normals(random, x.cols());
  const Vector distance = distance_from(x, random.uniform() * direction);
  const double frequency = uniform(random, 1, 3), phase = angle(random);
  return random.uniform() < 0.5 ? Vector((frequency * distance.array() + phase).sin()) : distance;
}

/// Local: most rows know nothing.
Vector bumps(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector sum = Vector::Zero(x.rows());
  for (Index bump = whole(random, 1, 5); bump > 0; --bump) {
    const Vector centre = x.row(whole(random, 0, x.rows() - 1));
    const double width = uniform(random, 0.4, 1) * std::sqrt(static_cast<double>(x.cols()));
    const double sign = random.uniform() < 0.5 ? 1 : -1, height = sign + random.normal();
    const Vector squares = (x.rowwise() - centre.transpose()).rowwise().squaredNorm();
    sum.array() += height * (squares.array() / (-2 * width * width)).exp();
  }
  return sum;
}

/// One level of a category, or a range of a number.
Vector level(const CellView& cells, RandomStream& random) {
  std::vector<Index> categories;
  for (std::size_t j = 0; j < cells.is_category.size(); ++j) {
    if (cells.is_category[j]) categories.push_back(static_cast<Index>(j));
  }
  if (!categories.empty()) {
    const Vector values =
        cells.values.col(categories[static_cast<std::size_t>(random.below(categories.size()))]);
    const double chosen = values[whole(random, 0, values.size() - 1)];
    return (values.array() == chosen).cast<double>();
  }
  const Vector values = column(cells.values, random);
  const double share = uniform(random, 0.05, 0.4), begin = uniform(random, 0, 1 - share);
  return above(values, quantile(values, begin)) - above(values, quantile(values, begin + share));
}

/// Which cells are missing. On a table without missing cells this is constant.
Vector missingness(const CellView& cells, RandomStream& random) {
  Vector sum = Vector::Zero(cells.missing.rows());
  for (Index j = 0; j < cells.missing.cols(); ++j) {
    if (cells.missing.col(j).any() && random.uniform() < 0.7) sum += random.normal() * cells.missing.col(j);
  }
  if (sum.isZero()) sum = cells.missing.rowwise().sum();
  return sum;
}

/// All columns, each with about the same say.
Vector weak(const CellView& cells, RandomStream& random) {
  Vector sum = Vector::Zero(cells.values.rows());
  for (Index j = 0; j < cells.values.cols(); ++j) {
    const Vector values = cells.values.col(j);
    const double sign = random.uniform() < 0.5 ? -1 : 1;
    switch (random.below(3)) {
      case 0:
        sum += sign * values;
        break;
      case 1:
        sum += 2 * sign * above(values, quantile(values, uniform(random, 0.3, 0.7)));
        break;
      default:
        sum.array() += sign * (values.array().abs() * 2);
    }
  }
  return sum;
}

/// One or two columns, with steep and uneven effects.
Vector strong(const CellView& cells, RandomStream& random) {
  Vector sum = Vector::Zero(cells.values.rows());
  for (Index effect = whole(random, 1, 2); effect > 0; --effect) {
    const Vector values = column(cells.values, random);
    const double weight = random.normal(), slope = uniform(random, 3, 10);
    sum.array() += weight * (slope * (values.array() - random.normal())).tanh();
  }
  return sum;
}

/// A network of one hidden layer with drawn weights.
Vector network(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector sum = Vector::Zero(x.rows());
  const double gain = uniform(random, 1, 3) / std::sqrt(static_cast<double>(x.cols()));
  for (Index unit = whole(random, 3, 16); unit > 0; --unit) {
    const Vector weights = gain * normals(random, x.cols());
    const double offset = random.normal(), out = random.normal();
    sum.array() += out * ((x * weights).array() + offset).tanh();
  }
  return sum;
}

/// A value for each cell of a Voronoi diagram around drawn rows.
Vector voronoi_cells(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector nearest = Vector::Constant(x.rows(), std::numeric_limits<double>::infinity());
  Vector result = Vector::Zero(x.rows());
  for (Index centre = whole(random, 4, 16); centre > 0; --centre) {
    const Vector place = x.row(whole(random, 0, x.rows() - 1));
    const Vector squares = (x.rowwise() - place.transpose()).rowwise().squaredNorm();
    const double value = random.normal();
    for (Index row = 0; row < x.rows(); ++row) {
      if (squares[row] >= nearest[row]) continue;
      nearest[row] = squares[row];
      result[row] = value;
    }
  }
  return result;
}

/// Which of two columns is the larger one; with one column only, on which side of a wave it lies.
Vector order(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random, std::min<Index>(2, cells.values.cols()));
  Vector sum = Vector::Zero(x.rows());
  if (x.cols() == 1) {
    const double frequency = uniform(random, 2, 4), phase = angle(random);
    return (frequency * x.col(0).array() + phase).sin().sign();
  }
  for (Index pair = whole(random, 1, x.cols()); pair > 0; --pair) {
    const Index first = whole(random, 0, x.cols() - 1);
    const Index second = another(first, x.cols(), random);
    sum.array() += random.normal() * (x.col(first) - x.col(second)).array().sign();
  }
  return sum;
}

/// Bins of about equally many rows, numbered from 0.
Vector bins(const Vector& values, Index count) {
  Vector result = Vector::Zero(values.size());
  for (Index bin = 1; bin < count; ++bin)
    result += above(values, quantile(values, static_cast<double>(bin) / static_cast<double>(count)));
  return result;
}

/// Whether two columns fall into the same of some bins; with one column only, whether its bin is odd.
Vector match(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random, std::min<Index>(2, cells.values.cols()));
  Vector sum = Vector::Zero(x.rows());
  for (Index term = whole(random, 1, std::max<Index>(1, x.cols() / 2)); term > 0; --term) {
    const Index count = whole(random, 3, 8), first = whole(random, 0, x.cols() - 1);
    const Index second = another(first, x.cols(), random);
    const double weight = random.normal();
    const Vector one = bins(x.col(first), count), other = bins(x.col(second), count);
    for (Index row = 0; row < x.rows(); ++row) {
      const bool odd = std::fmod(one[row], 2) == 1;
      if (first == second ? odd : one[row] == other[row]) sum[row] += weight;
    }
  }
  return sum;
}

/// A value for each remainder of a sum of binned columns.
Vector modulo(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random, std::min<Index>(2, cells.values.cols()));
  const Index modulus = whole(random, 2, 6), columns = std::min<Index>(x.cols(), whole(random, 2, 4));
  Vector total = Vector::Zero(x.rows());
  for (Index j = 0; j < columns; ++j) total += bins(x.col(j), modulus);
  const Vector values = normals(random, modulus);
  for (double& entry : total) entry = values[static_cast<Index>(entry) % modulus];
  return total;
}

/// Conditions on up to five columns that hold together, each rule with a weight.
Vector rules(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random, std::min<Index>(2, cells.values.cols()));
  Vector sum = Vector::Zero(x.rows());
  for (Index rule = whole(random, 3, 10); rule > 0; --rule) {
    Vector holds = Vector::Constant(x.rows(), random.normal());
    const Index first = whole(random, 0, x.cols() - 1);
    for (Index condition = std::min<Index>(x.cols(), whole(random, 2, 5)); condition > 0; --condition) {
      const Vector values = x.col((first + condition) % x.cols());
      const Vector larger = above(values, quantile(values, uniform(random, 0.3, 0.7)));
      const double wanted = random.uniform() < 0.5 ? 1 : 0;
      holds.array() *= (larger.array() == wanted).cast<double>();
    }
    sum += holds;
  }
  return sum;
}

/// A fast wave along one direction through some columns.
Vector ridge(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random);
  Vector along = x * normals(random, x.cols());
  standardise(along);
  const double frequency = uniform(random, 2, 5), phase = angle(random);
  return (frequency * along.array() + phase).sin();
}

/// How close columns are to one another, two at a time; with one column only, to a drawn value.
Vector closeness(const CellView& cells, RandomStream& random) {
  const Matrix x = some_columns(cells, random, std::min<Index>(2, cells.values.cols()));
  Vector sum = Vector::Zero(x.rows());
  for (Index term = whole(random, 1, x.cols()); term > 0; --term) {
    const Index first = whole(random, 0, x.cols() - 1);
    const Index second = another(first, x.cols(), random);
    const double weight = random.normal(), place = random.normal(), width = uniform(random, 0.2, 1);
    Vector apart = x.col(first);
    if (second == first) {
      apart.array() -= place;
    } else {
      apart -= x.col(second);
    }
    sum.array() += weight * (-apart.array().abs() / width).exp();
  }
  return sum;
}

/// Ranks turned into normal quantiles; equal values share their mean rank.
Vector normal_scores(const std::vector<double>& values) {
  std::vector<Index> order;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isnan(values[i])) order.push_back(static_cast<Index>(i));
  }
  const auto value = [&](std::size_t place) { return values[static_cast<std::size_t>(order[place])]; };
  std::ranges::sort(order, {}, [&](Index row) { return values[static_cast<std::size_t>(row)]; });
  Vector scores = Vector::Zero(static_cast<Index>(values.size()));
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && value(end) == value(begin)) ++end;
    const double mean_rank = 0.5 * static_cast<double>(begin + end) / static_cast<double>(order.size());
    const double score = normal_quantile(mean_rank);
    for (std::size_t place = begin; place < end; ++place) scores[order[place]] = score;
  }
  return scores;
}

Vector signed_logarithms(const std::vector<double>& values) {
  std::vector<double> present;
  std::ranges::copy_if(values, std::back_inserter(present), [](double value) { return !std::isnan(value); });
  Vector result = Vector::Zero(static_cast<Index>(values.size()));
  if (present.empty()) return result;
  const double centre =
      quantile(Eigen::Map<const Vector>(present.data(), static_cast<Index>(present.size())), 0.5);
  for (double& value : present) value = std::abs(value - centre);
  double scale = 0;
  for (const double value : present) scale += value / static_cast<double>(present.size());
  if (scale == 0) return result;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::isnan(values[i])) continue;
    const double offset = (values[i] - centre) / scale;
    result[static_cast<Index>(i)] = std::copysign(std::log1p(std::abs(offset)), offset);
  }
  return result;
}

}  // namespace

CellView view_cells(const Table& table, const RandomStream& random) {
  const auto rows = static_cast<Index>(table.rows), columns = static_cast<Index>(table.columns.size());
  CellView view{Matrix::Zero(rows, columns), Matrix::Zero(rows, columns), {}};
  const bool by_rank = random.child("scale").uniform() < 0.7;
  for (Index j = 0; j < columns; ++j) {
    const Column& source = table.columns[static_cast<std::size_t>(j)];
    view.is_category.push_back(source.type == ColumnType::category || source.type == ColumnType::boolean);
    if (source.type == ColumnType::category) {
      RandomStream draw = random.child("levels").child(static_cast<std::uint64_t>(j));
      const Vector effects = normals(draw, static_cast<Index>(source.levels.size()));
      for (Index row = 0; row < rows; ++row) {
        const double code = source.values[static_cast<std::size_t>(row)];
        if (!std::isnan(code)) view.values(row, j) = effects[static_cast<Index>(code)];
      }
    } else {
      view.values.col(j) = by_rank ? normal_scores(source.values) : signed_logarithms(source.values);
    }
    for (Index row = 0; row < rows; ++row) {
      view.missing(row, j) = std::isnan(source.values[static_cast<std::size_t>(row)]) ? 1 : 0;
    }
    standardise(view.values.col(j));
  }
  return view;
}

std::span<const LogRatioKind> log_ratios() {
  static constexpr std::array<LogRatioKind, 23> kinds = {{
      {"linear", "a weighted sum of columns", linear},
      {"additive", "a sum of curves, one for each column", additive},
      {"quadratic", "a quadratic form of some columns", quadratic},
      {"covariance", "a quadratic form of all columns, as between two Gaussians", covariance},
      {"products", "products of two or three columns", products},
      {"waves", "products of a sine and a cosine of two columns", waves},
      {"trees", "one to seven trees of up to four splits", trees},
      {"parity", "the parity of two or three columns, each above or below its median", parity},
      {"thresholds", "steps, one to three for each column", thresholds},
      {"radial", "the distance from a point, or a wave of it", radial},
      {"bumps", "one to five local bumps", bumps},
      {"level", "one level of a category, or one range of a number", level},
      {"missingness", "which cells are missing", missingness},
      {"weak", "all columns, each with a small effect", weak},
      {"strong", "one or two columns with steep effects", strong},
      {"match", "whether two columns fall into the same of some bins", match},
      {"modulo", "a sum of binned columns, modulo two to six", modulo},
      {"rules", "three to ten conjunctions of conditions", rules},
      {"network", "a network of one hidden layer", network},
      {"cells", "a value for each cell of a Voronoi diagram", voronoi_cells},
      {"order", "which of two columns is the larger one", order},
      {"ridge", "a fast wave along one direction", ridge},
      {"closeness", "how close two columns are to each other", closeness},
  }};
  return kinds;
}

const LogRatioKind& find_log_ratio(std::string_view name) {
  const auto found = std::ranges::find(log_ratios(), name, &LogRatioKind::name);
  if (found != log_ratios().end()) return *found;
  throw InvalidInput("unknown log-ratio '" + std::string(name) +
                     "'; choose from: " + joined(log_ratio_kinds()));
}

std::vector<double> draw_log_ratio(const LogRatioKind& kind, const CellView& cells,
                                   const RandomStream& random) {
  RandomStream draw = random;
  Vector values = kind.draw(cells, draw);
  standardise(values);
  return {values.begin(), values.end()};
}

}  // namespace jsdiv::simulate_detail

namespace jsdiv {

std::vector<std::string_view> log_ratio_kinds() {
  std::vector<std::string_view> names;
  for (const auto& kind : simulate_detail::log_ratios()) names.push_back(kind.name);
  return names;
}

}  // namespace jsdiv
