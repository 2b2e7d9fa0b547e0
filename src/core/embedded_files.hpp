#pragma once

#include <span>
#include <string_view>

namespace jsdiv {

/// A file of the source tree that is part of the library, so that it is there wherever the program runs.
struct EmbeddedFile {
  std::string_view name;  ///< relative to the source tree: "experiments/dependence.json"
  std::string_view content;
};

/// The files that src/bench/CMakeLists.txt lists.
std::span<const EmbeddedFile> embedded_files();

}  // namespace jsdiv
