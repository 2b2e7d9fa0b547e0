#include "core/output_file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

class OutputFile : public ::testing::Test {
 protected:
  void SetUp() override { std::filesystem::create_directories(folder_); }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string path(const char* name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::stringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder_), {}));
  }

  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("jsdiv_output_" + std::to_string(::getpid()));
};

TEST_F(OutputFile, WritesTheWholeFileAndNothingBesides) {
  write_output(path("a.json"), "hello\n", false);
  EXPECT_EQ(content(path("a.json")), "hello\n");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, OverwritesOnlyWithForce) {
  write_output(path("a"), "one", false);
  EXPECT_THROW(write_output(path("a"), "two", false), InvalidInput);
  EXPECT_EQ(content(path("a")), "one");
  write_output(path("a"), "two", true);
  EXPECT_EQ(content(path("a")), "two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFile, NamesWhatIsWrongWithThePath) {
  EXPECT_THROW(check_output(path("no/such/folder.json"), false), InvalidInput);
  EXPECT_THROW(check_output(folder_.string(), true), InvalidInput);
  EXPECT_NO_THROW(check_output("relative-name-that-does-not-exist", false));
}

}  // namespace
}  // namespace jsdiv
