#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "core/output_file.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "load/csv_writer.hpp"
#include "load/load.hpp"
#include "report/summary.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string p;
  std::string q;
  EstimateOptions options;
  Output output;
  std::string rows;
  std::string posteriors;
  std::optional<double> fail_above;
};

/// The one column of numbers in the file that --posteriors names, or its column `posterior`.
std::vector<double> read_posteriors(const std::string& path) {
  std::vector<Warning> ignored;
  const std::vector<std::string> paths = {path};
  const std::vector<Table> tables = read_tables(paths, {}, ignored);
  const Table& table = tables.at(0);
  const Column* column = table.columns.size() == 1 ? &table.columns[0] : table.find("posterior");
  if (column == nullptr) {
    throw InvalidInput(path + ": has " + std::to_string(table.columns.size()) +
                       " columns and none is called 'posterior'; give one column of probabilities");
  }
  if (column->type == ColumnType::category || column->type == ColumnType::datetime) {
    throw InvalidInput(path + ": column '" + column->name + "' does not hold numbers");
  }
  return column->values;
}

Table rows_table(const Result& result) {
  Column seed{.name = "seed", .type = ColumnType::integer};
  Column table{.name = "table", .type = ColumnType::category, .levels = {"P", "Q"}};
  Column row{.name = "row", .type = ColumnType::integer};
  Column posterior{.name = "posterior"};
  Column share{.name = "share_bits"};
  for (const RowRecord& record : result.rows) {
    seed.values.push_back(static_cast<double>(record.seed));
    table.values.push_back(record.table == 'P' ? 0 : 1);
    row.values.push_back(static_cast<double>(record.row));
    posterior.values.push_back(record.posterior);
    share.values.push_back(record.share);
  }
  return {
      .columns = {std::move(seed), std::move(table), std::move(row), std::move(posterior), std::move(share)},
      .rows = result.rows.size()};
}

/// Options of Algorithm 1 mean nothing to the recommended estimator.
void check_protocol(const CLI::App& command, const Arguments& arguments) {
  if (arguments.options.protocol == Protocol::paper || !arguments.posteriors.empty()) return;
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group() == paper_group && option->count() > 0) {
      throw InvalidInput(option->get_name() + " belongs to --protocol paper");
    }
  }
}

int run(const CLI::App& command, const Arguments& arguments) {
  check_protocol(command, arguments);
  const Output& output = arguments.output;
  check_json(output);
  if (!arguments.rows.empty()) check_output(arguments.rows, output.force);

  EstimateOptions options = arguments.options;
  options.progress = progress_bar(output);
  const Result result =
      arguments.posteriors.empty()
          ? estimate(arguments.p, arguments.q, options)
          : estimate_posteriors(arguments.p, arguments.q, read_posteriors(arguments.posteriors), options);

  if (!arguments.rows.empty()) write_output(arguments.rows, write_csv(rows_table(result)), output.force);
  write_json(to_json(result), output);
  if (!output.json_on_stdout()) std::fputs(summary(result).c_str(), stdout);
  print_warnings(result.warnings, output);
  if (arguments.fail_above && result.jsd > *arguments.fail_above) {
    std::fprintf(stderr, "the divergence %.4f is above %g\n", result.jsd, *arguments.fail_above);
    return answer_is_no;
  }
  return done;
}

}  // namespace

void add_estimate(CLI::App& app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = app.add_subcommand("estimate", "one number with its uncertainty");
  command->add_option("P", arguments->p, "table (CSV, TSV, also .gz and .zst)")->required();
  command->add_option("Q", arguments->q, "table to compare it with")->required();
  add_estimate_options(*command, arguments->options);
  add_load_options(*command, arguments->options.load);
  add_paper_options(*command, arguments->options.paper);
  add_family_options(*command, arguments->options.family);
  add_output_options(*command, arguments->output);
  command
      ->add_option("--rows", arguments->rows,
                   "write each scored row with D(x) and its share of the divergence")
      ->group("Output");
  command
      ->add_option("--posteriors", arguments->posteriors,
                   "measure a classifier of your own: D(x) for each row of P, then of Q; no training")
      ->group("Estimate");
  command->add_option("--fail-above", arguments->fail_above, "exit 1 if the divergence is above this")
      ->group("Output");
  command->callback(
      [arguments, command, &action] { action = [arguments, command] { return run(*command, *arguments); }; });
}

}  // namespace jsdiv::cli
