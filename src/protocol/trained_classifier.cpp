#include <algorithm>
#include <cmath>

#include "classify/complete_config.hpp"
#include "core/message.hpp"
#include "core/numeric.hpp"
#include "core/parallel.hpp"
#include "core/rows.hpp"
#include "encode/features.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "load/load.hpp"
#include "protocol/posterior_steps.hpp"
#include "protocol/record.hpp"
#include "protocol/score.hpp"

namespace jsdiv {
namespace {

/// A level that sorts behind every text in UTF-8 and that no cell has: it stands for levels that come later.
const std::string unseen_level = "\xff";

Sample training_sample(Table p, Table q, const LoadOptions& options) {
  std::vector<Table> tables;
  tables.push_back(std::move(p));
  tables.push_back(std::move(q));
  std::vector<Warning> told_by_the_estimate;
  align_tables(tables, options, told_by_the_estimate);
  Sample sample = pool_tables(std::move(tables), options, told_by_the_estimate);
  for (Column& column : sample.columns) {
    if (column.type == ColumnType::category) column.levels.push_back(unseen_level);
  }
  return sample;
}

bool has_missing(const Column& column) {
  return std::ranges::any_of(column.values, [](double value) { return std::isnan(value); });
}

/// A table of one row with a value in each column: to align another table with it is to hold that table to
/// the types of the training rows.
Table example_of(const Sample& sample) {
  Table example;
  example.rows = 1;
  for (const Column& column : sample.columns) {
    const auto present = std::ranges::find_if(column.values, [](double value) { return !std::isnan(value); });
    Column cell{column.name, column.type, {*present}, column.levels};
    if (column.type == ColumnType::category) cell.levels.pop_back();
    example.columns.push_back(std::move(cell));
  }
  return example;
}

/// Codes of the training rows in place of codes of the table's own levels.
void recode(Column& column, const std::vector<std::string>& levels) {
  std::vector<double> code;
  for (const std::string& level : column.levels) {
    const auto found = std::ranges::lower_bound(levels, level);
    code.push_back(static_cast<double>(found != levels.end() && *found == level
                                           ? found - levels.begin()
                                           : static_cast<std::ptrdiff_t>(levels.size()) - 1));
  }
  for (double& value : column.values) {
    if (!std::isnan(value)) value = code[static_cast<std::size_t>(value)];
  }
  column.levels = levels;
}

}  // namespace

struct Classifier::Trained {
  Trained(Table p, Table q, std::string_view family_name, const Hyperparameters& hyperparameters,
          const EstimateOptions& given, bool calibrated)
      : options(given),
        sample(training_sample(std::move(p), std::move(q), options.load)),
        labels(sample.labels()),
        rows(row_range(0, sample.rows())),
        example(example_of(sample)) {
    options.families = {std::string(family_name)};
    options.exclude_families.clear();
    if (options.protocol == Protocol::automatic) {
      options.paper.encoding = Encoding::native;
      options.paper.correction = Correction::on;
    }
    options.load.group.clear();
    options.load.weight.clear();
    options.load.columns.clear();
    options.load.ignore.clear();
    for (const Column& column : sample.columns) missing_seen.push_back(has_missing(column));
    family = choose_families(options).at(0);
    const RandomStream random = RandomStream(options.seed).child("classifier").child(family_name);
    features = Features::learn(sample, value_codes(sample), labels, rows,
                               {.encoding = options.paper.encoding}, random.child("features"));
    matrix = features.of_learnt(sample, feature_set_of(*family));
    for (Column& column : sample.columns) column.values = {};
    const Problem problem{.features = matrix.view(),
                          .labels = labels,
                          .weights = sample.weights,
                          .training_rows = rows,
                          .options = options.family};
    const Config config = complete_config(
        *family, {.features = matrix.cols(), .reweighting = options.paper.reweighting}, hyperparameters);
    trainer = family->prepare(problem);
    if (calibrated) {
      model = std::make_unique<CalibratedModel>(*family, problem, *trainer, sample.groups, config,
                                                options.paper, random);
    } else {
      plain_model = trainer->fit(rows, config,
                                 {.random = random.child("fit"), .validation = {}, .loss = Loss::balanced});
    }
  }

  std::vector<double> posteriors(MatrixView others, Rows of) const {
    if (model) return model->posteriors(others, of);
    std::vector<double> result(of.size());
    plain_model->log_odds(others, of, result);
    for (double& value : result) value = sigmoid(value - plain_model->prior_log_odds());
    return result;
  }

  /// The table as a sample with the columns and levels of the training rows.
  Sample conform(Table x) const {
    x.source = x.source.empty() ? "X" : x.source;
    for (const Column& column : sample.columns) {
      if (x.find(column.name) != nullptr) continue;
      throw InvalidInput(x.source + ": no column " + quoted(column.name) + ", which P and Q have");
    }
    std::vector<Table> tables;
    tables.push_back(example);
    tables.push_back(std::move(x));
    std::vector<Warning> of_no_matter_here;
    LoadOptions load;
    for (const Column& column : sample.columns) load.columns.push_back(column.name);
    for (const Column& column : sample.columns) {
      if (column.type == ColumnType::category) load.categorical.push_back(column.name);
    }
    align_tables(tables, load, of_no_matter_here);
    Sample result;
    result.table_rows = {tables[1].rows};
    for (std::size_t j = 0; j < sample.columns.size(); ++j) {
      const Column& known = sample.columns[j];
      Column* found = &*std::ranges::find(tables[1].columns, known.name, &Column::name);
      if (options.paper.encoding == Encoding::paper && !missing_seen[j] && has_missing(*found)) {
        throw InvalidInput(tables[1].source + ": column " + quoted(known.name) +
                               " has missing cells, but has none in P and Q; use " +
                               mention("encoding", "native"),
                           {.option = "encoding", .column = known.name});
      }
      if (known.type == ColumnType::category) recode(*found, known.levels);
      found->type = known.type;
      result.columns.push_back(std::move(*found));
    }
    return result;
  }

  EstimateOptions options;
  Sample sample;  ///< without values once they are encoded
  std::vector<std::uint8_t> labels;
  std::vector<RowIndex> rows;
  Table example;
  std::vector<bool> missing_seen;
  const Family* family = nullptr;
  Features features;
  Matrix matrix;  ///< of the training rows: models and trainers may look at the rows they were trained on
  std::unique_ptr<Trainer> trainer;
  std::unique_ptr<CalibratedModel> model;
  std::unique_ptr<Model> plain_model;  ///< in place of `model`, where nothing is calibrated
};

Classifier::Classifier(Table p, Table q, std::string_view family, const Hyperparameters& config,
                       const EstimateOptions& options, bool calibrated) {
  with_threads(options.threads, [&] {
    trained_ =
        std::make_shared<const Trained>(std::move(p), std::move(q), family, config, options, calibrated);
  });
}

std::vector<double> Classifier::posteriors(Table x) const {
  std::vector<double> result;
  with_threads(trained_->options.threads, [&] {
    const Sample sample = trained_->conform(std::move(x));
    const Matrix matrix = trained_->features.of_others(sample, feature_set_of(*trained_->family));
    result = trained_->posteriors(matrix.view(), row_range(0, sample.rows()));
  });
  return result;
}

}  // namespace jsdiv
