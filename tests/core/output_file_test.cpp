#include "core/output_file.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

class OutputFileTest : public ::testing::Test {
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

TEST_F(OutputFileTest, WritesTheWholeFileAndNothingBesides) {
  write_output(path("a.json"), "hello\n", false);
  EXPECT_EQ(content(path("a.json")), "hello\n");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, OverwritesOnlyWithForce) {
  write_output(path("a"), "one", false);
  EXPECT_THROW(write_output(path("a"), "two", false), InvalidInput);
  EXPECT_EQ(content(path("a")), "one");
  write_output(path("a"), "two", true);
  EXPECT_EQ(content(path("a")), "two");
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, NamesWhatIsWrongWithThePath) {
  EXPECT_THROW(OutputFile(path("no/such/folder.json"), false), InvalidInput);
  EXPECT_THROW(OutputFile(folder_.string(), true), InvalidInput);
  EXPECT_THROW(OutputFile(path(std::string(300, 'n').c_str()), false), InvalidInput);
  EXPECT_THROW(OutputFile("-", false), InvalidInput);
  std::filesystem::create_symlink("nothing", path("link"));
  EXPECT_THROW(OutputFile(path("link"), true), InvalidInput);
}

TEST_F(OutputFileTest, LongestNameThatTheFileSystemTakes) {
  write_output(path(std::string(255, 'n').c_str()), "x", false);
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, LeavesNothingUnlessItIsWritten) {
  { const OutputFile file(path("a"), false); }
  EXPECT_EQ(files(), 0U);
}

TEST_F(OutputFileTest, KeepsASymbolicLinkAndReplacesWhatItPointsTo) {
  write_output(path("real"), "one", false);
  std::filesystem::create_symlink("real", path("link"));
  write_output(path("link"), "two", true);
  EXPECT_TRUE(std::filesystem::is_symlink(path("link")));
  EXPECT_EQ(content(path("real")), "two");
}

TEST_F(OutputFileTest, RefusesTwoOutputsOfOneNameAndOutputsThatAreRead) {
  write_output(path("read"), "one", false);
  const OutputFile first(path("a"), false);
  const OutputFile second((folder_ / "." / "a").string(), false);
  EXPECT_THROW(refuse_overlap({&first, &second}, {}), InvalidInput);
  const OutputFile over(path("read"), true);
  EXPECT_THROW(refuse_overlap({&over, nullptr}, {"", path("read")}), InvalidInput);
  EXPECT_NO_THROW(refuse_overlap({&first, &over}, {path("none")}));
}

TEST_F(OutputFileTest, RemovesLeftoversButNotWhatIsInUse) {
  std::ofstream(path(".jsdiv-0123456789abcdef.tmp")) << "half";
  std::ofstream(path("mine.tmp")) << "kept";
  const OutputFile used(path("a"), false);
  remove_leftovers(folder_.string());
  EXPECT_FALSE(std::filesystem::exists(path(".jsdiv-0123456789abcdef.tmp")));
  EXPECT_EQ(files(), 2U);
}

}  // namespace
}  // namespace jsdiv
