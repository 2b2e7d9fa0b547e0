#include "encode/features.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "core/parallel.hpp"
#include "core/stop.hpp"
#include "encode/telling_parts.hpp"
#include "support/atoms.hpp"
#include "support/chance.hpp"
#include "support/number_format.hpp"
#include "support/support.hpp"

namespace jsdiv {
namespace {

/// Training rows of P and of Q that may count as independent: of each group the first in each table.
RowsOfTables independent_rows(const Sample& sample, std::span<const std::uint8_t> labels,
                              Rows training_rows) {
  RowsOfTables rows;
  std::array<std::unordered_set<std::uint32_t>, 2> seen;
  for (const RowIndex row : training_rows) {
    const Side side = labels[row] == 1 ? side_p : side_q;
    if (sample.groups.empty() || seen[side].insert(sample.groups[row]).second) rows[side].push_back(row);
  }
  return rows;
}

bool concerns_exact_values(const SupportFinding& finding) {
  return finding.kind == "lattice" || finding.kind == "precision" || finding.kind == "atoms";
}

bool is_numeric(const Column& column) {
  return column.type != ColumnType::category && column.type != ColumnType::boolean;
}

/// The values of the table that a finding is about, as find_lattice() saw them.
std::vector<WeightedValue> values_of_table(const ValueCounts& counts, char table) {
  const Side side = table == 'Q' ? side_q : side_p;
  std::vector<WeightedValue> values;
  for (const ValueCount& value : counts.values) {
    if (value.rows[side] > 0) values.push_back({value.value, static_cast<double>(value.rows[side])});
  }
  return values;
}

}  // namespace

float Features::Format::operator()(double value) const {
  if (!std::isfinite(value)) return 0;
  if (lattice) return is_on(*lattice, value, unit) ? 1.0F : 0.0F;
  return limit.is_beyond(value) ? 1.0F : 0.0F;
}

struct Features::OfColumn {
  std::vector<Format> formats;
  bool many_levels = false;
  bool exact = false;
};

Features Features::learn(const Sample& sample, std::span<const ValueCodes> values,
                         std::span<const std::uint8_t> labels, Rows training_rows,
                         const FeatureOptions& options, const RandomStream& random) {
  Features result;
  const RowsOfTables rows = independent_rows(sample, labels, training_rows);
  std::vector<std::vector<DatePart>> date_parts;
  if (options.encoding == Encoding::native) date_parts = telling_date_parts(sample, rows);
  result.encoder_ = Encoder::fit(sample, training_rows, options.encoding, {.date_parts = date_parts});
  result.with_missing_ = Encoder::fit(sample, training_rows, Encoding::paper, {.keep_missing = true});
  if (options.encoding == Encoding::paper) return result;

  result.relations_ = find_relations(sample, rows, options.unrelated);
  const double log_level = log_significance(sample.columns.size());
  std::vector<OfColumn> found(sample.columns.size());
  parallel_for(sample.columns.size(), [&](std::size_t j) {
    throw_if_interrupted();
    const Column& column = sample.columns[j];
    found[j].many_levels = result.encoder_.has_many_levels(j);
    if (!options.exact || !is_numeric(column)) return;
    const ValueCounts counts = count_values(values[j], rows);
    if (counts.present[side_p] == 0 || counts.present[side_q] == 0 || counts.values.size() <= 2) return;
    const auto findings = find_in_column(column, counts, log_level);
    for (const SupportFinding& finding : findings) {
      if (finding.kind != "lattice") continue;
      found[j].formats.push_back(
          {j, finding.lattice, rounding_unit(values_of_table(counts, finding.table)), {}});
    }
    for (const FormatLimit& limit : find_format_limits(counts, log_level))
      found[j].formats.push_back({j, {}, 0, limit});
    const bool recurs =
        std::ranges::any_of(counts.values, [](const ValueCount& value) { return value.total() > 1; });
    found[j].exact = recurs && (std::ranges::any_of(findings, concerns_exact_values) ||
                                !found[j].formats.empty() || frequencies_differ(counts, true, log_level));
  });

  const bool any_evidence =
      std::ranges::any_of(found, [](const OfColumn& of) { return of.many_levels || of.exact; });
  if (any_evidence) {
    result.folds_ = inner_folds(sample, labels, training_rows, random.child("exact values"));
    std::vector<bool> many_levels;
    many_levels.reserve(found.size());
    for (const OfColumn& of : found) many_levels.push_back(of.many_levels);
    result.within_levels_ =
        find_level_relations(sample, many_levels, labels, training_rows, result.folds_, options.unrelated);
  }
  for (std::size_t j = 0; j < found.size(); ++j) {
    result.formats_.insert(result.formats_.end(), found[j].formats.begin(), found[j].formats.end());
    if (found[j].many_levels) result.levels_.push_back({j, nullptr});
    if (found[j].exact) result.exact_.push_back({j, nullptr});
    if (found[j].exact || !found[j].formats.empty()) result.exact_columns_.push_back(sample.columns[j].name);
  }
  for (std::vector<Evidence>* list : {&result.levels_, &result.exact_}) {
    parallel_for(list->size(), [&](std::size_t i) {
      Evidence& evidence = (*list)[i];
      evidence.values = std::make_shared<const ValueEvidence>(sample, values[evidence.column], labels,
                                                              training_rows, result.folds_);
    });
  }
  return result;
}

Matrix Features::of_learnt(const Sample& sample, FeatureSet set) const {
  return apply(sample, set, folds_.fold_of_row);
}

Matrix Features::of_others(const Sample& sample, FeatureSet set) const {
  return apply(sample, set, {});
}

std::optional<double> Features::rows_with_level(const Sample& sample, RowIndex row) const {
  std::optional<double> fewest;
  for (const Evidence& evidence : levels_) {
    const auto held =
        evidence.values->held(sample.columns[evidence.column].values[row], InnerFolds::not_training);
    fewest = std::min(fewest.value_or(INFINITY), held[0] + held[1]);
  }
  return fewest;
}

std::vector<std::size_t> Features::columns_of(FeatureSet set) const {
  std::vector<std::size_t> columns;
  const bool with_nan = set == FeatureSet::missing_as_nan;
  for (const Feature& feature : (with_nan ? with_missing_ : encoder_).features())
    columns.push_back(feature.column);
  if (with_nan) return columns;
  for (const Format& format : formats_) columns.push_back(format.column);
  for (const Relation& relation : relations_) columns.insert(columns.end(), 2, relation.target);
  for (const NumberWithinLevel& each : within_levels_.numbers) columns.push_back(each.number());
  for (const LevelPair& each : within_levels_.pairs) columns.insert(columns.end(), 2, each.second());
  for (const Evidence& evidence : levels_) columns.insert(columns.end(), 2, evidence.column);
  if (set == FeatureSet::plain) return columns;
  for (const Evidence& evidence : exact_) columns.insert(columns.end(), 2, evidence.column);
  return columns;
}

Matrix Features::apply(const Sample& sample, FeatureSet set,
                       std::span<const std::uint8_t> fold_of_row) const {
  if (set == FeatureSet::missing_as_nan) return with_missing_.transform(sample);
  const std::size_t encoded = encoder_.features().size();
  const std::size_t exact = set == FeatureSet::exact_values ? exact_.size() : 0;
  Matrix result(sample.rows(), count() + 2 * exact);
  encoder_.transform(sample, result);
  parallel_for(formats_.size(), [&](std::size_t i) {
    const std::vector<double>& cells = sample.columns[formats_[i].column].values;
    std::ranges::transform(cells, result.column(encoded + i).begin(), formats_[i]);
  });
  const std::size_t related = encoded + formats_.size();
  parallel_for(relations_.size(), [&](std::size_t i) {
    for (RowIndex row = 0; row < sample.rows(); ++row) {
      const auto deviation = relations_[i].deviation(sample, row).value_or(Relation::Deviation{});
      result.at(row, related + 2 * i) = static_cast<float>(std::asinh(deviation.in_form));
      // Its size alone tells a broken relation from one that holds.
      result.at(row, related + 2 * i + 1) = static_cast<float>(std::asinh(std::abs(deviation.in_target)));
    }
  });
  const auto left_out_of = [&](std::size_t row) {
    return fold_of_row.empty() ? InnerFolds::not_training : fold_of_row[row];
  };
  const std::size_t numbers = related + 2 * relations_.size();
  parallel_for(within_levels_.numbers.size(), [&](std::size_t i) {
    for (RowIndex row = 0; row < sample.rows(); ++row)
      result.at(row, numbers + i) = within_levels_.numbers[i].of_row(sample, row, left_out_of(row));
  });
  const std::size_t pairs = numbers + within_levels_.numbers.size();
  parallel_for(within_levels_.pairs.size(), [&](std::size_t i) {
    for (RowIndex row = 0; row < sample.rows(); ++row) {
      const auto told = within_levels_.pairs[i].of_row(sample, row, left_out_of(row));
      result.at(row, pairs + 2 * i) = told[0];
      result.at(row, pairs + 2 * i + 1) = told[1];
    }
  });
  const std::size_t evidence_begin = pairs + 2 * within_levels_.pairs.size();
  parallel_for(levels_.size() + exact, [&](std::size_t i) {
    const bool of_level = i < levels_.size();
    const Evidence& evidence = of_level ? levels_[i] : exact_[i - levels_.size()];
    const ValueEvidence& known = *evidence.values;
    const std::vector<double>& cells = sample.columns[evidence.column].values;
    const std::size_t first = evidence_begin + 2 * i;
    for (std::size_t row = 0; row < cells.size(); ++row) {
      const std::uint8_t left_out = left_out_of(row);
      const auto held = known.held(cells[row], left_out);
      const auto total = known.total(left_out);
      const auto pair = of_level ? known.log_ratio(held, total) : ValueEvidence::shares(held, total);
      result.at(row, first) = pair[0];
      result.at(row, first + 1) = pair[1];
    }
  });
  return result;
}

}  // namespace jsdiv
