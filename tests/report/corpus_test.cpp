#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "fuzz/result_check.hpp"

namespace jsdiv {
namespace {

TEST(ResultCorpus, EveryFileKeepsTheFuzzersProperties) {
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(JSDIV_CORPUS_DIR)) {
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    EXPECT_NO_THROW(fuzz::check_result(text)) << entry.path().filename();
    ++files;
  }
  EXPECT_GE(files, 20U);
}

TEST(ResultCorpus, AResultIsAcceptedAndOneWithAChangedTypeIsNot) {
  Result result;
  result.protocol.families = {"rf"};
  Json json = result_json(result);
  EXPECT_TRUE(fuzz::check_result(dump(json)));
  json["protocol"]["options"]["seed"] = 1.5;
  EXPECT_FALSE(fuzz::check_result(dump(json)));
  json["protocol"]["options"]["seed"] = -1;
  EXPECT_FALSE(fuzz::check_result(dump(json)));
}

}  // namespace
}  // namespace jsdiv
