#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "arrow_check.hpp"
#include "document_check.hpp"
#include "estimate_check.hpp"
#include "schema_check.hpp"

namespace jsdiv {
namespace {

/// Runs `check` on every file of a corpus; how many there are and how many were accepted.
template <typename Check>
std::pair<int, int> replay(const char* corpus, const Check& check) {
  int files = 0, accepted = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(JSDIV_CORPUS_DIR) / corpus)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_NO_THROW(accepted += check(text) ? 1 : 0) << entry.path().filename();
    ++files;
  }
  return {files, accepted};
}

TEST(FuzzCorpus, Documents) {
  const auto [files, accepted] =
      replay("document", [](const std::string& text) { return fuzz::check_document(text) > 0; });
  EXPECT_GE(files, 12);
  EXPECT_GE(accepted, 3);
}

TEST(FuzzCorpus, ArrowStructures) {
  const auto [files, accepted] = replay("arrow", fuzz::check_arrow);
  EXPECT_GE(files, 20);
  EXPECT_GE(accepted, 8);
}

TEST(FuzzCorpus, Schemas) {
  const auto [files, accepted] = replay("schema", fuzz::check_schema);
  EXPECT_GE(files, 9);
  EXPECT_GE(accepted, 6);
}

TEST(FuzzCorpus, Estimates) {
  const auto [files, accepted] = replay("estimate", fuzz::check_estimate);
  EXPECT_GE(files, 8);
  EXPECT_GE(accepted, 4);
}

}  // namespace
}  // namespace jsdiv
