#include "bench/plan.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "bench/json_fields.hpp"
#include "bench/setting_fields.hpp"
#include "classify/registry.hpp"
#include "core/format.hpp"
#include "core/sha256.hpp"
#include "jsdiv/error.hpp"
#include "load/input.hpp"
#include "protocol/option_fields.hpp"

namespace jsdiv::bench {
namespace {

constexpr std::size_t name_length = 32;

std::string sha256_of(std::string_view bytes) {
  Sha256 hash;
  hash.update(bytes.data(), bytes.size());
  return hash.finish();
}

std::string sha256_of_file(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored))
    throw InvalidInput("'" + path + "' is not a regular file");
  return sha256_of(InputFile::open(path).raw());
}

/// The experiment's estimators narrowed down to the user's; a grid with a list of its own keeps to it.
void narrow_families(Experiment& experiment, const std::vector<std::string>& wanted) {
  if (wanted.empty()) return;
  check_estimators(wanted, mention("families"));
  for (Setting& setting : experiment.settings) {
    if (setting.families == experiment.families) {
      setting.families = wanted;
    } else {
      std::erase_if(setting.families,
                    [&](const std::string& name) { return std::ranges::count(wanted, name) == 0; });
    }
  }
  experiment.families = wanted;
}

/// The tables keep a place for the published figures of families that are left out.
void leave_out(Plan& plan, const std::string& family) {
  plan.left_out.push_back(family);
  for (Setting& setting : plan.experiment.settings) std::erase(setting.families, family);
}

/// Leaves out families that cannot run here, with a warning; an error if the user named them.
void drop_unavailable(Plan& plan, bool named_by_user) {
  for (const Family* family : families()) {
    const std::string name(family->name());
    if (std::ranges::count(plan.experiment.families, name) == 0) continue;
    const Message reason = family->why_unavailable(plan.family);
    if (reason.empty()) continue;
    if (named_by_user) throw InvalidInput(reason);
    plan.warnings.push_back({"family_left_out", name + " is left out: " + reason.text()});
    leave_out(plan, name);
  }
}

std::vector<std::string> tables_of(const Experiment& experiment) {
  std::vector<std::string> paths;
  for (const Setting& setting : experiment.settings) {
    if (setting.reads_tables()) paths.insert(paths.end(), {setting.path_p, setting.path_q});
  }
  return paths;
}

void hash_tables(Plan& plan, const std::string& data) {
  const auto paths = tables_of(plan.experiment);
  if (paths.empty()) return;
  plan.data_folder = data.empty() ? plan.experiment.folder : data;
  if (plan.data_folder.empty()) {
    throw InvalidInput("the experiment '" + plan.experiment.name +
                       "' reads tables; name their directory with " + mention("data", "DIR") +
                       " (it looks for '" + paths[0] + "')");
  }
  for (const std::string& path : paths) {
    if (plan.sha256.contains(path)) continue;
    const std::string full = (std::filesystem::path(plan.data_folder) / path).string();
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(full, ignored)) {
      throw InvalidInput("the data set '" + full + "' is missing; check " + mention("data") +
                         ", or restrict the experiment");
    }
    plan.sha256[path] = sha256_of_file(full);
  }
}

bool uses_tabpfn(const std::string& family) {
  return family == "tabpfn" || family == "auto";
}

/// Nothing if no job uses them.
Json tabpfn_inputs(const Experiment& experiment, const FamilyOptions& options) {
  const bool used = std::ranges::any_of(experiment.settings, [](const Setting& setting) {
    return std::ranges::any_of(setting.families, uses_tabpfn);
  });
  return used ? tabpfn_record(options) : Json(nullptr);
}

void write_out_jobs(Plan& plan) {
  constexpr std::size_t most = 1'000'000;
  const Experiment& experiment = plan.experiment;
  std::size_t cells = 0;
  for (const Setting& setting : experiment.settings) cells += setting.families.size();
  if (cells > most / static_cast<std::size_t>(experiment.seeds))
    throw InvalidInput(experiment.name +
                       format(": has more than %zu jobs; use fewer settings, families or seeds", most));
  for (std::size_t s = 0; s < experiment.settings.size(); ++s) {
    const Setting& setting = experiment.settings[s];
    Json data = nullptr;
    if (setting.reads_tables())
      data = {{"p", plan.sha256.at(setting.path_p)}, {"q", plan.sha256.at(setting.path_q)}};
    for (const std::string& family : setting.families) {
      for (int i = 0; i < experiment.seeds; ++i) {
        Job job{
            .setting = s, .family = family, .seed = experiment.first_seed + static_cast<std::uint64_t>(i)};
        job.inputs = {{"setting", setting_json(setting)},
                      {"data", data},
                      {"family", family},
                      {"seed", job.seed},
                      {"tabpfn", uses_tabpfn(family) ? plan.tabpfn : Json(nullptr)}};
        job.name = job_name(job.inputs);
        plan.jobs.push_back(std::move(job));
      }
    }
  }
  if (plan.jobs.empty()) throw InvalidInput("no jobs are left to run; check " + mention("families"));
}

}  // namespace

std::string job_name(const Json& inputs) {
  return sha256_of(inputs.dump() + versions_json().dump()).substr(0, name_length);
}

Json tabpfn_record(const FamilyOptions& options) {
  if (!family("tabpfn").why_unavailable(options).empty()) return nullptr;
  const char* from_environment = std::getenv("JSDIV_TABPFN_WEIGHTS");
  const std::string path = !options.tabpfn.weights.empty() ? options.tabpfn.weights
                           : from_environment != nullptr   ? from_environment
                                                           : "";
  return {{"weights", sha256_of_file(path)},
          {"members", options.tabpfn.members ? Json(*options.tabpfn.members) : Json()},
          {"preprocessing", spell(options.tabpfn.preprocessing)}};
}

std::string Plan::describe(const Job& job) const {
  return setting(job).label + ", " + job.family + ", seed " + std::to_string(job.seed);
}

Plan make_plan(Experiment experiment, const PlanOptions& options) {
  Plan plan;
  plan.experiment = std::move(experiment);
  plan.family = options.family;
  if (options.seeds) {
    if (*options.seeds < 1) throw InvalidInput(mention("seeds") + " must be at least 1", {.option = "seeds"});
    plan.experiment.seeds = *options.seeds;
  }
  narrow_families(plan.experiment, options.families);
  drop_unavailable(plan, !options.families.empty());
  plan.tabpfn = tabpfn_inputs(plan.experiment, plan.family);
  hash_tables(plan, options.data);
  write_out_jobs(plan);
  return plan;
}

Json plan_json(const Plan& plan) {
  Json tables = Json::object();
  for (const auto& [path, sha256] : plan.sha256) tables[path] = sha256;
  return {{"schema", "jsdiv.bench/1"},
          {"experiment", plan.experiment.file},
          {"families", plan.experiment.families},
          {"left_out", plan.left_out},
          {"seeds", plan.experiment.seeds},
          {"tables", std::move(tables)},
          {"tabpfn", plan.tabpfn}};
}

Plan plan_from_json(const Json& json, const std::string& source) {
  Fields fields(json, source);
  if (fields.text("schema") != "jsdiv.bench/1")
    throw InvalidInput(source + ": is not of schema jsdiv.bench/1");
  Plan plan;
  plan.experiment = experiment_from_json(fields.object("experiment"), source);
  plan.experiment.seeds = fields.integer_or("seeds", plan.experiment.seeds);
  narrow_families(plan.experiment, fields.texts("families"));
  for (const std::string& family : fields.texts("left_out")) leave_out(plan, family);
  const Json tables = fields.object("tables");
  for (const auto& [path, sha256] : tables.items()) {
    plan.sha256[path] = sha256.is_string() ? sha256.get<std::string>() : "";
  }
  for (const std::string& path : tables_of(plan.experiment)) {
    if (!plan.sha256.contains(path)) throw InvalidInput(source + ": has no hash of '" + path + "'");
  }
  plan.tabpfn = json.value("tabpfn", Json(nullptr));
  write_out_jobs(plan);
  return plan;
}

}  // namespace jsdiv::bench
