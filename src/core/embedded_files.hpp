#pragma once

#include <algorithm>
#include <span>
#include <string_view>

#include "core/assert.hpp"

namespace jsdiv {

/// A file of the source tree that is part of the library, so that it is there wherever the program runs.
struct EmbeddedFile {
  std::string_view name;  ///< relative to the source tree: "experiments/dependence.json"
  std::string_view content;
};

/// The files that src/bench/CMakeLists.txt lists.
std::span<const EmbeddedFile> embedded_files();

/// The content of one of them.
inline std::string_view embedded_file(std::string_view name) {
  const auto files = embedded_files();
  const auto found = std::ranges::find(files, name, &EmbeddedFile::name);
  JSDIV_ASSERT(found != files.end());
  return found->content;
}

}  // namespace jsdiv
