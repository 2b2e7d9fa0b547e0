#include "measure/kernel_distances.hpp"

#include <cblas.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "core/simd.hpp"
#include "core/stop.hpp"
#include "core/vector_exp.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t strip_rows = 500;
constexpr std::size_t block_rows = 64;  // of one strip, whose distances to the other stay in the cache
constexpr std::size_t median_rows = 1000;
constexpr double rounding = 1e-8;  // of a labelling's value, whose products are in single precision

/// Rows of P, then of Q, gathered, centred and transposed: row i is contiguous at values + i * cols.
struct Points {
  std::vector<double> values;         // [rows, cols], row-major
  std::vector<double> squared_norms;  // [rows]
  std::size_t rows = 0;
  std::size_t rows_p = 0;
  std::size_t cols = 0;

  const double* row(std::size_t i) const { return values.data() + i * cols; }
  std::size_t rows_q() const { return rows - rows_p; }
  double share(std::size_t i) const { return 1 / static_cast<double>(i < rows_p ? rows_p : rows_q()); }
};

std::vector<RowIndex> sampled(Rows rows, std::size_t most, RandomStream random) {
  std::vector<RowIndex> chosen(rows.begin(), rows.end());
  if (chosen.size() <= most) return chosen;
  for (std::size_t k = 0; k < most; ++k) std::swap(chosen[k], chosen[k + random.below(chosen.size() - k)]);
  chosen.resize(most);
  std::ranges::sort(chosen);
  return chosen;
}

Points gather(MatrixView features, Rows rows_p, Rows rows_q) {
  std::vector<RowIndex> rows(rows_p.begin(), rows_p.end());
  rows.insert(rows.end(), rows_q.begin(), rows_q.end());
  Points points;
  points.rows = rows.size();
  points.rows_p = rows_p.size();
  points.cols = features.cols;
  points.values.resize(points.rows * points.cols);
  points.squared_norms.resize(points.rows);
  for (std::size_t col = 0; col < points.cols; ++col) {
    const auto column = features.column(col);
    double mean = 0;
    for (const RowIndex row : rows) mean += column[row];
    mean /= static_cast<double>(points.rows);
    JSDIV_ASSERT(std::isfinite(mean));
    for (std::size_t i = 0; i < points.rows; ++i) {
      const double value = column[rows[i]] - mean;
      points.values[i * points.cols + col] = value;
      points.squared_norms[i] += value * value;
    }
  }
  return points;
}

/// Rows [begin, end) of one table.
struct Strip {
  std::size_t begin = 0;
  std::size_t end = 0;

  std::size_t size() const { return end - begin; }
};

std::vector<Strip> strips_of(const Points& points) {
  std::vector<Strip> strips;
  for (const auto& [first, last] : {std::pair{std::size_t{0}, points.rows_p}, {points.rows_p, points.rows}}) {
    for (std::size_t begin = first; begin < last; begin += strip_rows) {
      strips.push_back({begin, std::min(begin + strip_rows, last)});
    }
  }
  return strips;
}

/// Turns the products -2 x·y of one row with `count` others into distances.
JSDIV_SIMD_CLONES void distances_from_products(const double* norms, double norm, std::size_t count,
                                               double* values) {
  for (std::size_t i = 0; i < count; ++i) {
    const double square = values[i] + norms[i] + norm;
    values[i] = std::sqrt(square > 0 ? square : 0);
  }
}

/// Distances of the rows of two strips [a.size(), b.size()].
Eigen::MatrixXd distance_tile(const Points& points, Strip a, Strip b) {
  const auto size = [](std::size_t value) { return static_cast<int>(value); };
  Eigen::MatrixXd tile(size(a.size()), size(b.size()));
  cblas_dgemm(CblasColMajor, CblasTrans, CblasNoTrans, size(a.size()), size(b.size()), size(points.cols), -2,
              points.row(a.begin), size(points.cols), points.row(b.begin), size(points.cols), 0, tile.data(),
              size(a.size()));
  for (std::size_t j = 0; j < b.size(); ++j) {
    auto column = tile.col(static_cast<Eigen::Index>(j));
    const std::size_t row = b.begin + j;
    distances_from_products(points.squared_norms.data() + a.begin, points.squared_norms[row], a.size(),
                            column.data());
    if (a.begin <= row && row < a.end) column[static_cast<Eigen::Index>(row - a.begin)] = 0;
  }
  return tile;
}

/// Median distance among a sample of both tables; their mean where more than half of the pairs are equal.
double typical_distance(const Points& points, const RandomStream& random) {
  const std::vector<RowIndex> chosen = sampled(row_range(0, points.rows), median_rows, random);
  Points few;
  few.rows = chosen.size();
  few.cols = points.cols;
  for (const RowIndex row : chosen) {
    few.values.insert(few.values.end(), points.row(row), points.row(row) + points.cols);
    few.squared_norms.push_back(points.squared_norms[row]);
  }
  const Eigen::MatrixXd tile = distance_tile(few, {0, few.rows}, {0, few.rows});
  std::vector<double> distances;
  for (std::size_t j = 0; j < few.rows; ++j) {
    const double* above_diagonal = tile.data() + j * few.rows;
    distances.insert(distances.end(), above_diagonal, above_diagonal + j);
  }
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  if (*middle > 0) return *middle;
  return std::accumulate(distances.begin(), distances.end(), 0.0) / static_cast<double>(distances.size());
}

/// What one tile of pairs adds: for each row of either strip its sum over the other, and for each labelling s
/// the sum of s_i K_ij s_j.
struct TileSums {
  std::vector<double> kernel_a, kernel_b, distance_a, distance_b;
  std::vector<double> labelled;
};

template <typename Real>
[[gnu::always_inline]] inline double add_values(const Real* values, std::size_t rows, double* row_sums) {
  double lanes[8] = {};
  std::size_t i = 0;
  for (; i + 8 <= rows; i += 8) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      row_sums[i + lane] += static_cast<double>(values[i + lane]);
      lanes[lane] += static_cast<double>(values[i + lane]);
    }
  }
  for (; i < rows; ++i) {
    row_sums[i] += static_cast<double>(values[i]);
    lanes[0] += static_cast<double>(values[i]);
  }
  double sum = 0;
  for (const double lane : lanes) sum += lane;
  return sum;
}

/// Adds `values` to the sums of their rows, and returns their own sum.
JSDIV_SIMD_CLONES double add_column(const double* values, std::size_t rows, double* row_sums) {
  return add_values(values, rows, row_sums);
}
JSDIV_SIMD_CLONES double add_column(const float* values, std::size_t rows, double* row_sums) {
  return add_values(values, rows, row_sums);
}

/// Turns distances into exp(scale · distance²), in single precision. The compiler makes vector code of two
/// loops, but not of both in one: it would branch at the bound.
JSDIV_SIMD_CLONES void gaussian_kernel(const double* distances, std::size_t count, double scale, float* out) {
  for (std::size_t i = 0; i < count; ++i) {
    const auto exponent = static_cast<float>(distances[i] * distances[i] * scale);
    out[i] = exponent > -87.0F ? exponent : -87.0F;
  }
  for (std::size_t i = 0; i < count; ++i) out[i] = exp_of_negative(out[i]);
}

/// `signs` is column-major [rows, labellings], +1 for rows labelled P and -1 for Q.
TileSums sum_tile(const Points& points, Strip a, Strip b, double bandwidth, std::span<const float> signs,
                  std::size_t labellings) {
  TileSums sums;
  for (auto* of_a : {&sums.kernel_a, &sums.distance_a}) of_a->resize(a.size());
  for (auto* of_b : {&sums.kernel_b, &sums.distance_b}) of_b->resize(b.size());
  const auto rows = static_cast<Eigen::Index>(a.size());
  const auto cols = static_cast<Eigen::Index>(b.size());
  const double scale = -0.5 / (bandwidth * bandwidth);
  Eigen::MatrixXf kernel(rows, cols);
  for (std::size_t begin = b.begin; begin < b.end; begin += block_rows) {
    const Strip block{begin, std::min(begin + block_rows, b.end)};
    const Eigen::MatrixXd distances = distance_tile(points, a, block);
    for (std::size_t j = 0; j < block.size(); ++j) {
      const std::size_t of_b = begin + j - b.begin;
      const double* of_row = distances.data() + j * a.size();
      sums.distance_b[of_b] = add_column(of_row, a.size(), sums.distance_a.data());
      auto values = kernel.col(static_cast<Eigen::Index>(of_b));
      gaussian_kernel(of_row, a.size(), scale, values.data());
      if (a.begin == b.begin) values[static_cast<Eigen::Index>(of_b)] = 0;
      sums.kernel_b[of_b] = add_column(values.data(), a.size(), sums.kernel_a.data());
    }
  }

  sums.labelled.resize(labellings);
  if (labellings == 0) return sums;
  const auto stride = static_cast<Eigen::Index>(points.rows);
  const Eigen::Map<const Eigen::MatrixXf> all_signs(signs.data(), stride,
                                                    static_cast<Eigen::Index>(labellings));
  const Eigen::MatrixXf product = kernel * all_signs.middleRows(static_cast<Eigen::Index>(b.begin), cols);
  for (std::size_t labelling = 0; labelling < labellings; ++labelling) {
    const float* sign = signs.data() + labelling * points.rows + a.begin;
    const float* row_product = product.data() + labelling * a.size();
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(sign[i] * row_product[i]);
    sums.labelled[labelling] = sum;
  }
  return sums;
}

/// Mean kernel values (or distances) between rows, from sums that leave out each row's pair with itself.
struct PairMeans {
  double within_p, within_q, between;

  /// The U-statistic of squared MMD. For distances, minus it is the energy distance.
  double contrast() const { return within_p + within_q - 2 * between; }
};

PairMeans pair_means(double sum_pp, double sum_qq, double sum_pq, const Points& points) {
  const double p = static_cast<double>(points.rows_p);
  const double q = static_cast<double>(points.rows_q());
  return {sum_pp / (p * (p - 1)), sum_qq / (q * (q - 1)), sum_pq / (p * q)};
}

/// Sums over the other rows of P and of Q, for each row.
struct RowSums {
  std::vector<double> over_p, over_q;

  explicit RowSums(std::size_t rows) : over_p(rows), over_q(rows) {}
  void add(Strip strip, std::span<const double> sums, bool over_rows_of_p) {
    auto& target = over_rows_of_p ? over_p : over_q;
    for (std::size_t i = 0; i < strip.size(); ++i) target[strip.begin + i] += sums[i];
  }
};

/// The contrast and its standard error: a row of P moves it by 2 / |P| times the centred difference of its
/// mean kernel values with P and with Q.
Measured contrast_with_error(const RowSums& sums, const Points& points) {
  const double p = static_cast<double>(points.rows_p);
  const double q = static_cast<double>(points.rows_q());
  std::array<double, 2> mean{};
  std::vector<double> difference(points.rows);
  std::array<double, 3> total{};  // QQ, PP, PQ
  for (std::size_t i = 0; i < points.rows; ++i) {
    const bool of_p = i < points.rows_p;
    const double mean_p = sums.over_p[i] / (of_p ? p - 1 : p);
    const double mean_q = sums.over_q[i] / (of_p ? q : q - 1);
    difference[i] = of_p ? mean_p - mean_q : mean_q - mean_p;
    mean[of_p] += difference[i] * points.share(i);
    total[of_p] += of_p ? sums.over_p[i] : sums.over_q[i];
    if (of_p) total[2] += sums.over_q[i];
  }
  double variance = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    const double count = i < points.rows_p ? p : q;
    const double influence = 2 * points.share(i) * (difference[i] - mean[i < points.rows_p]);
    variance += influence * influence * count / (count - 1);
  }
  return {pair_means(total[1], total[0], total[2], points).contrast(), std::sqrt(variance)};
}

std::vector<float> random_signs(const Points& points, std::size_t labellings, const RandomStream& random) {
  std::vector<float> signs(points.rows * labellings);
  parallel_for(labellings, [&](std::size_t labelling) {
    const std::span<float> column = std::span(signs).subspan(labelling * points.rows, points.rows);
    std::fill_n(column.begin(), points.rows_p, 1.0F);
    std::fill(column.begin() + static_cast<std::ptrdiff_t>(points.rows_p), column.end(), -1.0F);
    RandomStream stream = random.child(labelling);
    stream.shuffle(column);
  });
  return signs;
}

void measure_pairs(const Points& points, const RandomStream& random, std::size_t permutations,
                   KernelDistances& result) {
  const double typical = typical_distance(points, random.child("median"));
  const double bandwidth = typical > 0 ? typical : 1.0;
  const std::vector<float> signs = random_signs(points, permutations, random.child("labels"));
  const std::vector<Strip> strips = strips_of(points);
  std::vector<std::pair<std::size_t, std::size_t>> pairs;
  for (std::size_t a = 0; a < strips.size(); ++a) {
    for (std::size_t b = a; b < strips.size(); ++b) pairs.emplace_back(a, b);
  }
  std::vector<TileSums> tiles(pairs.size());
  parallel_for(pairs.size(), [&](std::size_t job) {
    throw_if_interrupted();
    tiles[job] =
        sum_tile(points, strips[pairs[job].first], strips[pairs[job].second], bandwidth, signs, permutations);
  });

  RowSums kernel(points.rows);
  RowSums distance(points.rows);
  std::vector<double> labelled(permutations);
  for (std::size_t job = 0; job < pairs.size(); ++job) {
    const Strip a = strips[pairs[job].first];
    const Strip b = strips[pairs[job].second];
    kernel.add(a, tiles[job].kernel_a, b.begin < points.rows_p);
    distance.add(a, tiles[job].distance_a, b.begin < points.rows_p);
    const bool diagonal = a.begin == b.begin;
    if (!diagonal) {
      kernel.add(b, tiles[job].kernel_b, a.begin < points.rows_p);
      distance.add(b, tiles[job].distance_b, a.begin < points.rows_p);
    }
    for (std::size_t k = 0; k < permutations; ++k) labelled[k] += (diagonal ? 1 : 2) * tiles[job].labelled[k];
  }
  result.mmd2 = contrast_with_error(kernel, points);
  const Measured minus_energy = contrast_with_error(distance, points);
  result.energy = Measured{-minus_energy.value, minus_energy.standard_error};
  if (permutations == 0) return;

  // s'Ks = PP - 2 PQ + QQ, s'K1 = PP - QQ and 1'K1 = PP + 2 PQ + QQ give the three sums under each labelling
  // s.
  std::vector<double> row_total(points.rows);
  for (std::size_t i = 0; i < points.rows; ++i) row_total[i] = kernel.over_p[i] + kernel.over_q[i];
  const double total = std::accumulate(row_total.begin(), row_total.end(), 0.0);
  std::size_t reached = 0;
  for (std::size_t k = 0; k < permutations; ++k) {
    const float* sign = signs.data() + k * points.rows;
    double signed_total = 0;
    for (std::size_t i = 0; i < points.rows; ++i) signed_total += static_cast<double>(sign[i]) * row_total[i];
    const double within = 0.5 * (total + labelled[k]);
    const PairMeans means = pair_means(0.5 * (within + signed_total), 0.5 * (within - signed_total),
                                       0.25 * (total - labelled[k]), points);
    if (means.contrast() >= result.mmd2->value - rounding) ++reached;
  }
  result.mmd2_p_value = (1 + static_cast<double>(reached)) / (1 + static_cast<double>(permutations));
}

/// The 1-Wasserstein distance of the projections, the integral of |F - G|, and each row's Kantorovich
/// potential: the integral of sign(G - F) up to the row's own value.
double wasserstein_1(std::span<const double> projection, const Points& points, std::span<double> potential) {
  std::vector<std::pair<double, std::size_t>> order(points.rows);  // what is compared lies side by side
  for (std::size_t i = 0; i < points.rows; ++i) order[i] = {projection[i], i};
  std::ranges::sort(order);
  const auto p = static_cast<std::int64_t>(points.rows_p);
  const auto q = static_cast<std::int64_t>(points.rows_q());
  std::int64_t excess = 0;  // (F - G) |P| |Q|, in whole numbers so that its sign is exact
  double distance = 0;
  double height = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t row = order[k].second;
    if (k > 0) {
      const double gap = order[k].first - order[k - 1].first;
      distance += std::abs(static_cast<double>(excess)) * gap;
      height -= static_cast<double>((excess > 0) - (excess < 0)) * gap;
    }
    potential[row] = height;
    excess += row < points.rows_p ? q : -p;
  }
  return distance / (static_cast<double>(p) * static_cast<double>(q));
}

Measured sliced_wasserstein(const Points& points, const RandomStream& random, std::size_t directions) {
  std::vector<double> distances(directions);
  std::vector<std::vector<double>> potentials(directions);
  parallel_for(directions, [&](std::size_t k) {
    throw_if_interrupted();
    RandomStream stream = random.child(k);
    std::vector<double> direction(points.cols);
    double norm = 0;
    while (!(norm > 0)) {
      for (double& value : direction) value = stream.normal();
      norm = std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
    }
    std::vector<double> projection(points.rows);
    for (std::size_t i = 0; i < points.rows; ++i) {
      projection[i] = std::inner_product(direction.begin(), direction.end(), points.row(i), 0.0) / norm;
    }
    potentials[k].resize(points.rows);
    distances[k] = wasserstein_1(projection, points, potentials[k]);
  });
  std::vector<double> potential(points.rows);
  for (const auto& of_direction : potentials) {
    for (std::size_t i = 0; i < points.rows; ++i) potential[i] += of_direction[i];
  }
  const double count = static_cast<double>(directions);
  std::vector<std::uint8_t> labels(points.rows);
  std::fill_n(labels.begin(), points.rows_p, std::uint8_t{1});
  for (std::size_t i = 0; i < points.rows; ++i) potential[i] *= (labels[i] == 1 ? 1 : -1) / count;
  const double mean = std::accumulate(distances.begin(), distances.end(), 0.0) / count;
  return {mean, sum_of_class_means(potential, {labels, {}, {}}).standard_error};
}

}  // namespace

std::vector<RowIndex> distance_rows(Rows rows, char table, const RandomStream& random,
                                    const KernelDistanceOptions& options) {
  return sampled(rows, options.max_rows, random.child(std::string("rows of ") + table));
}

KernelDistances kernel_distances(MatrixView features, Rows rows_p, Rows rows_q, const RandomStream& random,
                                 const KernelDistanceOptions& options) {
  JSDIV_ASSERT(options.max_rows >= 2 && options.directions > 0);
  KernelDistances result;
  const std::vector<RowIndex> chosen_p = distance_rows(rows_p, 'P', random, options);
  const std::vector<RowIndex> chosen_q = distance_rows(rows_q, 'Q', random, options);
  result.rows_p = chosen_p.size();
  result.rows_q = chosen_q.size();
  if (chosen_p.size() < 2 || chosen_q.size() < 2 || features.cols == 0) return result;
  const Points points = gather(features, chosen_p, chosen_q);
  measure_pairs(points, random, options.permutations, result);
  result.sliced_wasserstein = sliced_wasserstein(points, random.child("directions"), options.directions);
  return result;
}

}  // namespace jsdiv
