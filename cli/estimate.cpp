#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/command.hpp"
#include "cli/process.hpp"
#include "core/format.hpp"
#include "core/output_file.hpp"
#include "core/safe_text.hpp"
#include "jsdiv/error.hpp"
#include "jsdiv/estimate.hpp"
#include "jsdiv/self_check.hpp"
#include "load/csv_writer.hpp"
#include "load/load.hpp"
#include "report/summary.hpp"

namespace jsdiv::cli {
namespace {

struct Arguments {
  std::string p;
  std::string q;
  SelfCheckOptions self_check_options;
  bool self_check = false;
  Output output;
  std::string rows;
  std::string posteriors;
  std::optional<double> fail_above;
  std::string fail_on = "low";

  EstimateOptions& options() { return self_check_options.estimate; }
  const EstimateOptions& options() const { return self_check_options.estimate; }
};

/// The one column of numbers in the file that --posteriors names, or its column `posterior`.
std::vector<double> read_posteriors(const std::string& path, const std::string& max_unpacked) {
  std::vector<Warning> ignored;
  const std::vector<std::string> paths = {path};
  const std::vector<Table> tables = read_tables(paths, {.max_unpacked = max_unpacked}, ignored);
  const Table& table = tables.at(0);
  const Column* column = table.columns.size() == 1 ? &table.columns[0] : table.find("posterior");
  if (column == nullptr) {
    throw InvalidInput(path + ": has " + std::to_string(table.columns.size()) +
                       " columns, none of them named 'posterior'; provide one column of probabilities");
  }
  if (column->type == ColumnType::category || column->type == ColumnType::datetime) {
    throw InvalidInput(path + ": column '" + column->name + "' does not contain numbers");
  }
  return column->values;
}

Table rows_table(const Result& result) {
  Column seed{.name = "seed", .type = ColumnType::integer};
  Column table{.name = "table", .type = ColumnType::category, .levels = {"P", "Q"}};
  Column row{.name = "row", .type = ColumnType::integer};
  Column posterior{.name = "posterior"};
  Column information{.name = "information_bits"};
  Column share{.name = "share_bits"};
  for (const RowRecord& record : result.rows) {
    seed.values.push_back(static_cast<double>(record.seed));
    table.values.push_back(record.table == 'P' ? 0 : 1);
    row.values.push_back(static_cast<double>(record.row));
    posterior.values.push_back(record.posterior);
    information.values.push_back(record.information);
    share.values.push_back(record.share);
  }
  return {.columns = {std::move(seed), std::move(table), std::move(row), std::move(posterior),
                      std::move(information), std::move(share)},
          .rows = result.rows.size()};
}

/// Options of Algorithm 1 mean nothing to the recommended estimator.
void check_protocol(const Command& command, const Arguments& arguments) {
  if (arguments.options().protocol == Protocol::paper || !arguments.posteriors.empty()) return;
  const auto option = command.first_given(paper_group);
  if (option) throw InvalidInput(*option + " needs " + mention("protocol", "paper"));
}

void check_gate(const Command& command, const Arguments& arguments) {
  if (arguments.fail_above && !(*arguments.fail_above >= 0 && *arguments.fail_above <= 1)) {
    throw InvalidInput(format("--fail-above is %g, but the divergence is between 0 and 1; for 5 %% give 0.05",
                              *arguments.fail_above));
  }
  if (command.has("--fail-on") && !arguments.fail_above) {
    throw InvalidInput("--fail-on chooses what --fail-above compares with its limit; give --fail-above too");
  }
  if (arguments.fail_on == "content" && arguments.options().protocol == Protocol::paper) {
    throw InvalidInput("--fail-on content needs --protocol auto, which puts both tables on common grids");
  }
}

void check_self_check(const Command& command, const Arguments& arguments) {
  if (arguments.self_check && !arguments.posteriors.empty()) {
    throw InvalidInput(
        "--self-check repeats the estimate on re-splits of the rows, for which --posteriors has no values; "
        "use only one of the two");
  }
  if (arguments.self_check) return;
  const auto option = command.first_given(self_check_group);
  if (option) throw InvalidInput(*option + " needs --self-check");
}

constexpr const char* interrupted_self_check =
    "jsdiv: interrupted; finished refits are kept; run the same command again to resume\n";

Result run_self_check(const Arguments& arguments) {
  SelfCheckOptions options = arguments.self_check_options;
  options.estimate.progress = progress_bar(arguments.output);
  options.force = arguments.output.force;
  if (!options.refits_folder.empty()) set_interrupted_message(interrupted_self_check);
  if (!arguments.output.quiet) {
    options.announce = [folder = options.refits_folder](std::size_t refits, std::size_t kept,
                                                        double seconds) {
      const std::string line_end = isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";
      const std::string resumed =
          kept == 0 ? ""
                    : format(", %zu of them already in %s", kept, safe_text(folder, Medium::line).c_str());
      std::fprintf(stderr, "%sself-check: %zu refits%s; about %.0f s, judging by the estimate\n",
                   line_end.c_str(), refits, resumed.c_str(), std::ceil(seconds));
    };
  }
  return self_check(arguments.p, arguments.q, options);
}

Result run_estimate(const Arguments& arguments) {
  if (arguments.self_check) return run_self_check(arguments);
  EstimateOptions options = arguments.options();
  options.progress = progress_bar(arguments.output);
  if (arguments.posteriors.empty()) return estimate(arguments.p, arguments.q, options);
  return estimate_posteriors(arguments.p, arguments.q,
                             read_posteriors(arguments.posteriors, options.load.max_unpacked), options);
}

/// What --fail-above compares with its limit.
struct GateReading {
  double value = 0;
  std::string name;
};

GateReading gate_reading(const Result& result, const std::string& fail_on) {
  if (fail_on == "estimate") return {result.jsd, "the divergence"};
  for (const Rung& rung : result.ladder) {
    if (fail_on == "content" && rung.rung == "content") {
      return {rung.confidence_interval.value().low, "the lower end of the interval for the content"};
    }
  }
  return {result.confidence_interval.value().low, "the lower end of the interval"};
}

int run(const Command& command, const Arguments& arguments) {
  check_protocol(command, arguments);
  check_gate(command, arguments);
  check_self_check(command, arguments);
  const Output& output = arguments.output;
  std::optional<OutputFile> rows;
  if (!arguments.rows.empty()) rows.emplace(arguments.rows, output.force);
  open_outputs(output, {arguments.p, arguments.q, arguments.posteriors}, {rows ? &*rows : nullptr});

  Result result;
  try {
    result = run_estimate(arguments);
  } catch (const Interrupted&) {
    if (arguments.self_check_options.refits_folder.empty()) throw;
    std::fputs(interrupted_self_check, stderr);
    return interrupted;
  }
  if (rows) rows->write(write_csv(rows_table(result)));
  write_html([&] { return to_html(result); }, output);
  write_json(to_json(result), output);
  if (!output.json_on_stdout()) print_styled(summary(result, terminal_style()));
  print_warnings(result.protocol.notes, output);
  print_warnings(result.warnings, output);
  if (!arguments.fail_above) return done;
  const GateReading reading = gate_reading(result, arguments.fail_on);
  if (reading.value <= *arguments.fail_above) return done;
  std::fprintf(stderr, "%s, %.4f, is above %g\n", reading.name.c_str(), reading.value, *arguments.fail_above);
  return answer_is_no;
}

}  // namespace

void add_estimate(Command app, Action& action) {
  auto arguments = std::make_shared<Arguments>();
  Command command =
      app.add_subcommand("estimate", "estimate the divergence between two tables, with its uncertainty");
  command
      .add_option("P", arguments->p,
                  "table: CSV, TSV (also .gz, .zst), Parquet or Arrow; a file, a folder of part files, or - "
                  "for standard input")
      .required();
  command.add_option("Q", arguments->q, "table to compare it with").required();
  add_estimate_options(command, arguments->options());
  command
      .add_flag("--self-check", arguments->self_check,
                "also estimate re-splits of the same rows with a known divergence, to see how far off the "
                "estimator is on these tables")
      .group(self_check_group);
  add_self_check_options(command, arguments->self_check_options);
  add_load_options(command, arguments->options().load);
  add_paper_options(command, arguments->options().paper);
  add_family_options(command, arguments->options().family);
  add_output_options(command, arguments->output);
  command
      .add_option("--rows", arguments->rows,
                  "write D(x) and the share of the divergence of each scored row as CSV")
      .type_name("FILE")
      .group(output_group);
  add_html_option(command, arguments->output);
  command
      .add_option("--posteriors", arguments->posteriors,
                  "measure your own classifier instead of training any: file with D(x), the probability of "
                  "P, for each row of P, then of Q")
      .type_name("FILE")
      .group("Estimate");
  add_number(command, "--fail-above", arguments->fail_above,
             "exit with code 1 if the divergence is above this")
      .group(output_group);
  command
      .add_option("--fail-on", arguments->fail_on,
                  "what --fail-above compares: the lower end of the interval, the estimate, or the lower end "
                  "for the content, with number formats made equal")
      .one_of({"low", "estimate", "content"})
      .default_text(arguments->fail_on)
      .group(output_group);
  command.callback(
      [arguments, command, &action] { action = [arguments, command] { return run(command, *arguments); }; });
}

}  // namespace jsdiv::cli
