#include "bench/tables.hpp"

#include <algorithm>
#include <ctime>

#include "bench/published.hpp"
#include "core/format.hpp"
#include "load/csv_writer.hpp"

namespace jsdiv::bench {
namespace {

constexpr const char* none = "–";

std::string csv_number(const Maybe& value) {
  return value ? format("%.10g", *value) : "";
}

/// Every axis of the experiment, in the order of their first use.
std::vector<std::string> axes_of(const Experiment& experiment) {
  std::vector<std::string> axes;
  for (const Setting& setting : experiment.settings) {
    for (const auto& [key, value] : setting.axes.items()) {
      if (std::ranges::count(axes, key) == 0) axes.push_back(key);
    }
  }
  return axes;
}

std::string with_sd(double mean, const Maybe& sd) {
  return sd ? format("%.2f ± %.2f", mean, *sd) : format("%.2f", mean);
}

std::string seconds_text(const Maybe& seconds) {
  if (!seconds) return none;
  return format(*seconds < 0.095 ? "%.3f" : *seconds < 9.95 ? "%.2f" : "%.0f", *seconds);
}

const Cell* find_cell(const Cells& cells, std::size_t setting, const std::string& family) {
  const auto found = cells.find({setting, family});
  return found == cells.end() ? nullptr : &found->second;
}

/// Which of a cell's numbers a table shows.
enum class Quantity { error, estimate };

std::string own_text(const Cell* cell, Quantity quantity) {
  if (cell == nullptr) return none;
  if (quantity == Quantity::estimate) return with_sd(cell->estimate.mean, cell->estimate.sd);
  return cell->error ? with_sd(cell->error->mean, cell->error->sd) : none;
}

std::string published_text(const Published* row, Quantity quantity) {
  if (row == nullptr) return none;
  const Maybe& mean = quantity == Quantity::error ? row->error : row->estimate;
  const Maybe& sd = quantity == Quantity::error ? row->error_sd : row->estimate_sd;
  return mean ? with_sd(*mean, sd) : none;
}

/// One table: a row of ours for each setting, then the published ones where there are any.
class PaperTable {
 public:
  PaperTable(const Plan& plan, const Cells& cells, Quantity quantity)
      : plan_(plan), cells_(cells), quantity_(quantity), families_(plan.experiment.families) {}

  plot::TextTable make(const std::string& title) {
    plot::TextTable table{.title = title, .header = {"setting", "source"}, .rows = {}};
    for (const std::string& family : families_) table.header.push_back(display_name(family));
    const bool errors = quantity_ == Quantity::error;
    table.header.push_back(errors ? "oracle" : "harmonised");
    if (errors) table.header.push_back("true JSD");
    for (std::size_t s = 0; s < plan_.experiment.settings.size(); ++s) add_setting(s, table);
    add_times(table);
    return table;
  }

 private:
  void add_setting(std::size_t s, plot::TextTable& table) const {
    const Setting& setting = plan_.experiment.settings[s];
    std::vector<std::string> own = {setting.label, "jsdiv"};
    Maybe oracle, reference, harmonised;
    for (const std::string& family : families_) {
      const Cell* cell = find_cell(cells_, s, family);
      own.push_back(own_text(cell, quantity_));
      if (cell == nullptr) continue;
      oracle = cell->oracle_error;
      reference = cell->reference;
      if (cell->harmonised_jsd) harmonised = cell->harmonised_jsd;
    }
    const Maybe& last = quantity_ == Quantity::error ? oracle : harmonised;
    own.push_back(last ? format("%.2f", *last) : none);
    if (quantity_ == Quantity::error) own.push_back(reference ? format("%.4f", *reference) : none);
    table.rows.push_back(std::move(own));
    for (const char* source : {"paper", "files"}) add_published(setting, source, table);
  }

  void add_published(const Setting& setting, const char* source, plot::TextTable& table) const {
    std::vector<std::string> row = {"", source};
    bool any = false;
    Maybe oracle, reference;
    for (const std::string& family : families_) {
      const Published* figure = find_published(source, plan_.experiment.published, setting.label, family);
      row.push_back(published_text(figure, quantity_));
      any = any || figure != nullptr;
      if (figure != nullptr) oracle = figure->oracle_error;
      if (figure != nullptr) reference = figure->reference;
    }
    if (!any) return;
    row.push_back(oracle ? format("%.2f", *oracle) : none);
    if (quantity_ == Quantity::error) row.push_back(reference ? format("%.4f", *reference) : none);
    table.rows.push_back(std::move(row));
  }

  /// Means over the settings.
  void add_times(plot::TextTable& table) const {
    std::vector<std::string> own = {"Time (s)", "jsdiv"};
    std::vector<std::string> published = {"", "published"};
    bool any_published = false;
    for (const std::string& family : families_) {
      std::vector<double> ours, theirs;
      for (std::size_t s = 0; s < plan_.experiment.settings.size(); ++s) {
        const std::string& label = plan_.experiment.settings[s].label;
        if (const Cell* cell = find_cell(cells_, s, family)) ours.push_back(cell->seconds);
        if (const Maybe seconds = published_seconds(plan_.experiment.published, label, family))
          theirs.push_back(*seconds);
      }
      own.push_back(seconds_text(ours.empty() ? Maybe() : spread_of(ours).mean));
      published.push_back(seconds_text(theirs.empty() ? Maybe() : spread_of(theirs).mean));
      any_published = any_published || !theirs.empty();
    }
    own.resize(table.header.size(), none);
    published.resize(table.header.size(), none);
    table.rows.push_back(std::move(own));
    if (any_published) table.rows.push_back(std::move(published));
  }

  const Plan& plan_;
  const Cells& cells_;
  Quantity quantity_;
  const std::vector<std::string>& families_;
};

}  // namespace

std::string display_name(std::string_view estimator) {
  constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"mlp", "MLP"},       {"rf", "RF"},
      {"logreg", "LogReg"}, {"xgboost", "XGBoost"},
      {"lr-pol", "LR-Pol"}, {"tabpfn", "TabPFN"},
      {"syndat", "Syndat"}, {"synthcity", "Synthcity"},
      {"kernel", "Kernel"}, {"gaussian", "Gaussian"},
      {"pairs", "Pairs"},   {"pfn", "PFN"}};
  for (const auto& [name, display] : names) {
    if (name == estimator) return std::string(display);
  }
  return std::string(estimator);
}

std::string describe_run(const Plan& plan) {
  const std::time_t now = std::time(nullptr);
  char date[16];
  std::tm calendar{};
  std::strftime(date, sizeof date, "%Y-%m-%d", gmtime_r(&now, &calendar));
  const Json versions = versions_json();
  const auto last_seed = plan.experiment.first_seed + static_cast<std::uint64_t>(plan.experiment.seeds) - 1;
  return format("%s; jsdiv %s, Eigen %s; seeds %llu to %llu; %zu jobs.", date,
                versions.at("jsdiv").get<std::string>().c_str(),
                versions.at("eigen").get<std::string>().c_str(),
                static_cast<unsigned long long>(plan.experiment.first_seed),
                static_cast<unsigned long long>(last_seed), plan.jobs.size());
}

std::string results_csv(const Plan& plan, const JobResults& results) {
  const auto axes = axes_of(plan.experiment);
  std::string text = "experiment,setting";
  for (const std::string& axis : axes) text += "," + csv_cell(axis);
  text +=
      ",family,seed,jsd,raw,standard_error,low,high,held_out,harmonised_jsd,reference,oracle,seconds,job\n";
  for (std::size_t i = 0; i < plan.jobs.size(); ++i) {
    if (!results[i]) continue;
    const Job& job = plan.jobs[i];
    const JobResult& result = *results[i];
    const Setting& setting = plan.setting(job);
    text += csv_cell(plan.experiment.name) + "," + csv_cell(setting.label);
    for (const std::string& axis : axes) {
      const auto found = setting.axes.find(axis);
      text += "," + (found == setting.axes.end() ? "" : csv_cell(axis_text(*found)));
    }
    text += "," + job.family + "," + std::to_string(job.seed);
    for (const Maybe& value :
         {Maybe(result.jsd), Maybe(result.raw), result.standard_error, result.low, result.high,
          result.held_out, result.harmonised_jsd, result.reference, result.oracle, Maybe(result.seconds)}) {
      text += "," + csv_number(value);
    }
    text += "," + job.name + "\n";
  }
  return text;
}

std::string summary_csv(const Plan& plan, const Cells& cells) {
  std::string text =
      "source,experiment,setting,family,seeds,estimate,estimate_sd,error_x100,error_sd_x100,error_of_mean_"
      "x100,"
      "reference_jsd,oracle_error_x100,harmonised_jsd,seconds\n";
  const auto add = [&](const std::string& source, const Setting& setting, const std::string& family,
                       const std::string& seeds, std::initializer_list<Maybe> numbers) {
    text += source + "," + csv_cell(plan.experiment.name) + "," + csv_cell(setting.label) + "," + family +
            "," + seeds;
    for (const Maybe& number : numbers) text += "," + csv_number(number);
    text += "\n";
  };
  for (std::size_t s = 0; s < plan.experiment.settings.size(); ++s) {
    const Setting& setting = plan.experiment.settings[s];
    for (const std::string& family : plan.experiment.families) {
      if (const Cell* cell = find_cell(cells, s, family)) {
        const Maybe error = cell->error ? Maybe(cell->error->mean) : Maybe();
        const Maybe error_sd = cell->error ? cell->error->sd : Maybe();
        add("jsdiv", setting, family, std::to_string(cell->seeds),
            {cell->estimate.mean, cell->estimate.sd, error, error_sd, cell->error_of_mean, cell->reference,
             cell->oracle_error, cell->harmonised_jsd, cell->seconds});
      }
      for (const char* source : {"paper", "files"}) {
        const Published* row = find_published(source, plan.experiment.published, setting.label, family);
        if (row == nullptr) continue;
        add(source, setting, family, "",
            {row->estimate,
             row->estimate_sd,
             row->error,
             row->error_sd,
             {},
             row->reference,
             row->oracle_error,
             {},
             row->seconds});
      }
    }
  }
  return text;
}

std::vector<plot::TextTable> paper_tables(const Plan& plan, const Cells& cells) {
  const bool has_truth =
      std::ranges::any_of(cells, [](const auto& entry) { return entry.second.error.has_value(); });
  const std::string& title = plan.experiment.title;
  if (!has_truth)
    return {PaperTable(plan, cells, Quantity::estimate).make(title + ": estimate, mean ± sd over the seeds")};
  return {PaperTable(plan, cells, Quantity::error)
              .make(title + ": absolute error ×100, mean ± sd over the seeds")};
}

}  // namespace jsdiv::bench
