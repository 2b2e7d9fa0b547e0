#include "load/table_paths.hpp"

#include <glob.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <system_error>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of_folder(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator entry(folder, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.starts_with('.') || name.starts_with('_')) continue;
    std::error_code ignored;
    if (entry->is_directory(ignored)) {
      throw InvalidInput(folder + ": contains the folder " + name +
                         "; give the folder that contains the part files themselves");
    }
    files.push_back(entry->path().string());
  }
  if (error) throw InvalidInput(folder + ": cannot be read (" + error.message() + ")");
  if (files.empty()) throw InvalidInput(folder + ": the folder contains no part files");
  std::ranges::sort(files);
  return files;
}

std::vector<std::string> files_of_pattern(const std::string& pattern) {
  glob_t found{};
  const std::unique_ptr<glob_t, decltype(&globfree)> guard(&found, globfree);
  if (::glob(pattern.c_str(), 0, nullptr, &found) != 0)
    throw InvalidInput(pattern + ": no file matches; check the path");
  return {found.gl_pathv, found.gl_pathv + found.gl_pathc};
}

}  // namespace

std::vector<std::string> table_paths(const std::string& name) {
  std::error_code ignored;
  if (fs::is_directory(name, ignored)) return files_of_folder(name);
  if (name == standard_input || fs::exists(name, ignored)) return {name};
  if (const std::size_t comma = name.find(','); comma != std::string::npos) {
    std::vector<std::string> paths = table_paths(name.substr(0, comma));
    const std::vector<std::string> rest = table_paths(name.substr(comma + 1));
    paths.insert(paths.end(), rest.begin(), rest.end());
    return paths;
  }
  if (name.find_first_of("*?[") != std::string::npos) return files_of_pattern(name);
  return {name};
}

}  // namespace jsdiv
