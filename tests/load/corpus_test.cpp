#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/csv_check.hpp"

namespace jsdiv {
namespace {

TEST(CsvCorpus, EveryFileKeepsTheFuzzersProperties) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(JSDIV_FUZZ_CORPUS_DIR "/csv")) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_NO_THROW(fuzz::check_csv(text)) << entry.path().filename();
    ++files;
  }
  EXPECT_GE(files, 15U);
}

}  // namespace
}  // namespace jsdiv
