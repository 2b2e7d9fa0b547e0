#include "encode/encoder.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/assert.hpp"
#include "core/parallel.hpp"
#include "encode/iterative_imputer.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

constexpr float missing_cell = std::numeric_limits<float>::quiet_NaN();

std::vector<double> observed_values(const Column& column, Rows rows) {
  std::vector<double> result;
  result.reserve(rows.size());
  for (const RowIndex row : rows) {
    if (!std::isnan(column.values[row])) result.push_back(column.values[row]);
  }
  return result;
}

std::size_t code_count(const Column& column) {
  return column.type == ColumnType::boolean ? 2 : column.levels.size();
}

struct CodeCounts {
  std::vector<std::size_t> rows;  // of each code
  std::size_t missing = 0;
};

CodeCounts count_codes(const Column& column, Rows rows) {
  CodeCounts counts{std::vector<std::size_t>(code_count(column)), 0};
  for (const RowIndex row : rows) {
    const double value = column.values[row];
    if (std::isnan(value)) {
      ++counts.missing;
    } else {
      ++counts.rows[static_cast<std::size_t>(value)];
    }
  }
  return counts;
}

void check_column(const Column& column, std::size_t rows) {
  JSDIV_ASSERT(column.values.size() == rows);
  const bool coded = column.type == ColumnType::category || column.type == ColumnType::boolean;
  const double codes = static_cast<double>(code_count(column));
  for (const double value : column.values) {
    if (std::isinf(value)) {
      throw InvalidInput("column '" + column.name +
                         "' contains an infinite value; replace it with a number or leave the cell empty");
    }
    JSDIV_ASSERT(!coded || std::isnan(value) || (value >= 0 && value < codes && value == std::floor(value)));
  }
}

bool is_coded(const Column& column) {
  return column.type == ColumnType::category || column.type == ColumnType::boolean;
}

}  // namespace

Encoder Encoder::fit(const Sample& sample, Rows training_rows, Encoding encoding,
                     const EncodeOptions& options) {
  if (training_rows.empty()) throw InvalidInput("there is no row to train on; provide more rows");
  std::vector<Encoder> of_column(sample.columns.size());
  parallel_for(sample.columns.size(), [&](std::size_t index) {
    const Column& column = sample.columns[index];
    check_column(column, sample.rows());
    if (encoding == Encoding::paper) {
      of_column[index].add_paper_column(column, index, training_rows);
    } else {
      of_column[index].add_native_column(column, index, training_rows, options);
    }
  });
  Encoder encoder;
  for (Encoder& part : of_column) {
    std::ranges::move(part.features_, std::back_inserter(encoder.features_));
    std::ranges::move(part.rules_, std::back_inserter(encoder.rules_));
    std::ranges::move(part.many_levels_, std::back_inserter(encoder.many_levels_));
  }

  const bool imputes = !options.keep_missing && std::ranges::any_of(encoder.rules_, [](const Rule& rule) {
    return std::isnan(rule.if_missing);
  });
  if (imputes) {
    Matrix open_cells(sample.rows(), encoder.rules_.size());
    encoder.apply_rules(sample, open_cells);
    encoder.imputer_ =
        std::make_shared<const IterativeImputer>(IterativeImputer::fit(open_cells.view(), training_rows));
  }
  return encoder;
}

Matrix Encoder::transform(const Sample& sample) const {
  Matrix result(sample.rows(), rules_.size());
  transform(sample, result);
  return result;
}

void Encoder::transform(const Sample& sample, Matrix& result) const {
  JSDIV_ASSERT(result.rows() == sample.rows() && result.cols() >= rules_.size());
  JSDIV_ASSERT(!imputer_ || result.cols() == rules_.size());
  apply_rules(sample, result);
  if (imputer_) imputer_->fill(result);
}

bool Encoder::has_many_levels(std::size_t column) const {
  return std::ranges::count(many_levels_, column) > 0;
}

void Encoder::add(std::string name, std::size_t column, Rule rule) {
  features_.push_back({std::move(name), column});
  rules_.push_back(std::move(rule));
}

void Encoder::add_paper_column(const Column& column, std::size_t index, Rows training_rows) {
  // Cells are left open for the imputer only if there are any, in whatever row: otherwise it has nothing to
  // do.
  const bool any_missing = std::ranges::any_of(column.values, [](double value) { return std::isnan(value); });
  Rule rule;
  rule.if_missing = any_missing ? missing_cell : 0;
  if (is_coded(column)) {
    const CodeCounts counts = count_codes(column, training_rows);
    float ordinal = 0;
    for (std::size_t code = 0; code < counts.rows.size(); ++code) {
      if (column.type == ColumnType::boolean) {
        rule.by_code.push_back(static_cast<float>(code));
      } else {
        rule.by_code.push_back(counts.rows[code] > 0 ? ordinal++ : -1);
      }
    }
    if (counts.missing == training_rows.size()) std::ranges::fill(rule.by_code, 0.0F);
  } else {
    rule.kind = Rule::Kind::scale;
    rule.scaling = standard_scaling(observed_values(column, training_rows));
  }
  add(column.name, index, std::move(rule));
}

void Encoder::add_native_column(const Column& column, std::size_t index, Rows training_rows,
                                const EncodeOptions& options) {
  if (column.type == ColumnType::category) return add_native_category(column, index, training_rows, options);
  std::size_t missing = 0;
  Rule rule;
  if (column.type == ColumnType::boolean) {
    const CodeCounts counts = count_codes(column, training_rows);
    missing = counts.missing;
    const bool all_missing = missing == training_rows.size();
    rule.by_code = {0, all_missing ? 0.0F : 1.0F};
    rule.if_missing = counts.rows[1] > counts.rows[0] ? 1 : 0;
  } else {
    std::vector<double> observed = observed_values(column, training_rows);
    missing = training_rows.size() - observed.size();
    rule.kind = Rule::Kind::scale_and_compress;
    add_date_parts(column, index, observed, options);
    rule.scaling = robust_scaling(observed);
  }
  add(column.name, index, std::move(rule));
  if (missing > 0)
    add(column.name + " is missing", index, Rule{.kind = Rule::Kind::is_missing, .if_missing = 1});
}

void Encoder::add_date_parts(const Column& column, std::size_t index, std::span<const double> observed,
                             const EncodeOptions& options) {
  const std::span<const DatePart> parts =
      options.date_parts.empty() ? std::span(all_date_parts) : std::span(options.date_parts[index]);
  if (parts.empty()) return;
  const std::optional<TimeScale> time = time_scale(column.type, observed);
  if (!time) return;
  std::vector<double> seconds;
  seconds.reserve(observed.size());
  for (const double value : observed) seconds.push_back(time->seconds(value));
  for (const DateFeature& part : date_features(seconds, parts)) {
    std::vector<double> values;
    values.reserve(seconds.size());
    for (const double value : seconds) values.push_back(part.value(value));
    Rule rule;
    rule.kind = Rule::Kind::date_part;
    rule.date_part = part;
    rule.time = *time;
    rule.scaling = standard_scaling(values);
    add(column.name + ": " + part.name(), index, std::move(rule));
  }
}

void Encoder::add_native_category(const Column& column, std::size_t index, Rows training_rows,
                                  const EncodeOptions& options) {
  const CodeCounts counts = count_codes(column, training_rows);
  const std::size_t levels = counts.rows.size();
  std::vector<std::size_t> seen;
  for (std::size_t code = 0; code < levels; ++code) {
    if (counts.rows[code] > 0) seen.push_back(code);
  }

  if (seen.size() + (counts.missing > 0 ? 1 : 0) <= options.one_hot_limit) {
    for (const std::size_t code : seen) {
      Rule rule;
      rule.by_code.assign(levels, 0.0F);
      rule.by_code[code] = 1;
      add(column.name + "=" + column.levels[code], index, std::move(rule));
    }
    if (counts.missing > 0)
      add(column.name + " is missing", index, Rule{.kind = Rule::Kind::is_missing, .if_missing = 1});
    return;
  }

  // What a level of many tells is learnt from labels, out of fold: see Features.
  many_levels_.push_back(index);
}

void Encoder::apply_rules(const Sample& sample, Matrix& result) const {
  parallel_for(rules_.size(), [&](std::size_t feature) {
    const Rule& rule = rules_[feature];
    const Column& column = sample.columns.at(features_[feature].column);
    const std::vector<double>& cells = column.values;
    const std::span<float> out = result.column(feature);
    JSDIV_ASSERT(cells.size() == out.size());
    switch (rule.kind) {
      case Rule::Kind::scale:
        for (std::size_t i = 0; i < out.size(); ++i) {
          out[i] = std::isnan(cells[i]) ? rule.if_missing : bounded(rule.scaling(cells[i]));
        }
        break;
      case Rule::Kind::scale_and_compress:
        for (std::size_t i = 0; i < out.size(); ++i) {
          out[i] = std::isnan(cells[i]) ? rule.if_missing : compress_tails(rule.scaling(cells[i]));
        }
        break;
      case Rule::Kind::look_up:
        JSDIV_ASSERT(code_count(column) == rule.by_code.size());
        for (std::size_t i = 0; i < out.size(); ++i) {
          out[i] = std::isnan(cells[i]) ? rule.if_missing : rule.by_code[static_cast<std::size_t>(cells[i])];
        }
        break;
      case Rule::Kind::date_part:
        for (std::size_t i = 0; i < out.size(); ++i) {
          out[i] = std::isnan(cells[i])
                       ? rule.if_missing
                       : bounded(rule.scaling(rule.date_part.value(rule.time.seconds(cells[i]))));
        }
        break;
      case Rule::Kind::is_missing:
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = std::isnan(cells[i]) ? rule.if_missing : 0.0F;
        break;
    }
  });
}

}  // namespace jsdiv
