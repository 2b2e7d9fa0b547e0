#include <oneapi/tbb/version.h>
#include <zlib.h>
#include <zstd.h>
#include <CLI/Version.hpp>

#include <string>

#include "cli/command.hpp"
#include "report/json.hpp"

namespace jsdiv::cli {

std::string version_text(bool verbose) {
  std::string text = "jsdiv " JSDIV_VERSION;
  if (!verbose) return text;
  const Json versions = versions_json();
  const auto add = [&](const std::string& name, const std::string& version) {
    text += "\n" + name + std::string(name.size() < 9 ? 9 - name.size() : 1, ' ') + version;
  };
  for (const auto& [name, version] : versions.items()) {
    if (name != "jsdiv") add(name, version.is_string() ? version.get<std::string>() : version.dump());
  }
  add("oneTBB", TBB_runtime_version());
  add("zlib", zlibVersion());
  add("zstd", ZSTD_versionString());
  add("json", std::to_string(NLOHMANN_JSON_VERSION_MAJOR) + "." +
                  std::to_string(NLOHMANN_JSON_VERSION_MINOR) + "." +
                  std::to_string(NLOHMANN_JSON_VERSION_PATCH));
  add("CLI11", CLI11_VERSION);
  add("compiler", std::string(JSDIV_COMPILER) + ", " + JSDIV_BUILD_TYPE);
  return text;
}

}  // namespace jsdiv::cli
