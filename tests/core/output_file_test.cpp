#include "core/output_file.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <vector>

#include "core/stop.hpp"
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

  /// What is said about an output of that name; empty if it can be written.
  static std::string refusal(const std::string& path, bool force) {
    try {
      check_output(path, force);
    } catch (const InvalidInput& error) {
      return error.what();
    }
    return "";
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

TEST_F(OutputFileTest, SaysWhyAnOutputIsRefused) {
  write_output(path("a"), "one", false);
  EXPECT_EQ(refusal(path("a"), false), "'" + path("a") + "' already exists; use force to overwrite it");
  EXPECT_EQ(refusal(path("a"), true), "");
  EXPECT_EQ(refusal("", false), "the name of an output file is empty");
  EXPECT_EQ(refusal(folder_.string(), true),
            "cannot write '" + folder_.string() + "': it is a directory; give a file name");
  EXPECT_EQ(refusal(path("none/b"), false),
            "cannot write '" + path("none/b") + "': the directory '" + path("none") + "' does not exist");
  EXPECT_EQ(refusal(path("a/b"), false),
            "cannot write '" + path("a/b") + "': the directory '" + path("a") + "' does not exist");
  EXPECT_EQ(refusal("none-of-that-name", false), "");
  EXPECT_EQ(refusal("/none/b", false), "cannot write '/none/b': the directory '/none' does not exist");
  EXPECT_EQ(refusal("/proc/none", false).substr(0, 29),
            geteuid() == 0 ? "" : "cannot write '/proc/none': no");
  EXPECT_EQ(files(), 1U);

  const int socket_end = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{.sun_family = AF_UNIX, .sun_path = {}};
  ASSERT_LT(path("socket").size(), sizeof address.sun_path);
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(socket_end, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(refusal(path("socket"), true),
            "cannot write '" + path("socket") + "': it is neither a file nor a pipe");
  close(socket_end);
}

TEST_F(OutputFileTest, DevicesAndPipesAreWrittenToAsTheyAre) {
  EXPECT_THROW(write_output("/dev/full", "x", true), InvalidInput);
  EXPECT_NO_THROW(write_output("/dev/null", "x", true));
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));

  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  std::string read;
  std::thread reader([&] { read = content(path("pipe")); });
  const std::string large(200'000, 'x');  // more than a pipe holds
  write_output(path("pipe"), large, false);
  reader.join();
  EXPECT_EQ(read, large);
  EXPECT_TRUE(std::filesystem::is_fifo(path("pipe")));
  EXPECT_EQ(files(), 1U);
}

TEST_F(OutputFileTest, WhatTheShellOpenedIsWrittenToEvenIfItIsAFile) {
  const int descriptor = open(path("opened").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  ASSERT_EQ(::write(descriptor, "one ", 4), 4);
  write_output("/dev/fd/" + std::to_string(descriptor), "two ", false);
  write_output("/proc/self/fd/" + std::to_string(descriptor), "three", false);
  close(descriptor);
  EXPECT_EQ(content(path("opened")), "one two three");
}

TEST_F(OutputFileTest, AnInterruptEndsTheWaitForAReader) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  interrupt_requested = true;
  EXPECT_THROW(OutputFile(path("pipe"), false), Interrupted);
  interrupt_requested = false;
}

TEST_F(OutputFileTest, WhatAppearedInTheMeantimeIsKept) {
  OutputFile file(path("a"), false);
  std::ofstream(path("a")) << "another run";
  EXPECT_THROW(file.write("ours"), InvalidInput);
  EXPECT_EQ(content(path("a")), "another run");
  OutputFile forced(path("a"), true);
  forced.write("ours");
  EXPECT_EQ(content(path("a")), "ours");
}

TEST_F(OutputFileTest, AFileThatAppearsDuringTheLookIsNotTakenForALink) {
  constexpr int count = 2000;
  const auto name = [this](int i) { return path(std::to_string(i).c_str()); };
  std::thread maker([&] {
    for (int i = 0; i < count; ++i) std::ofstream(name(i)) << "x";
  });
  for (int i = 0; i < count; ++i) {
    while (!std::filesystem::exists(name(i))) EXPECT_EQ(refusal(name(i), true), "");
  }
  maker.join();
}

TEST_F(OutputFileTest, AFolderThatVanishedIsAnError) {
  std::filesystem::create_directory(path("sub"));
  OutputFile file(path("sub/a"), false);
  std::filesystem::remove_all(path("sub"));
  EXPECT_THROW(file.write("x"), InvalidInput);
  EXPECT_THROW(refuse_overlap({&file}, {}), InvalidInput);
  EXPECT_NO_THROW(remove_leftovers(path("sub")));
}

TEST_F(OutputFileTest, StreamsNeverOverlap) {
  const OutputFile first("/dev/null", false);
  const OutputFile second("/dev/null", false);
  EXPECT_NO_THROW(refuse_overlap({&first, &second}, {"/dev/null"}));
}

TEST_F(OutputFileTest, LeftoversAreFilesOnly) {
  std::filesystem::create_symlink("nothing", path(".jsdiv-1.tmp"));
  ASSERT_EQ(mkfifo(path(".jsdiv-2.tmp").c_str(), 0600), 0);
  std::filesystem::create_directory(path(".jsdiv-3.tmp"));
  std::ofstream(path(".jsdiv-4.tmp.kept")) << "x";
  remove_leftovers(folder_.string());
  EXPECT_EQ(files(), 4U);
}

TEST_F(OutputFileTest, AnyNumberOfFilesAtOnce) {
  std::vector<OutputFile> outputs;
  for (int i = 0; i < 70; ++i) outputs.emplace_back(path(std::to_string(i).c_str()), false);
  for (OutputFile& output : outputs) output.write("x");
  outputs.clear();
  EXPECT_EQ(files(), 70U);
}

using OutputFileDeathTest = OutputFileTest;

TEST_F(OutputFileDeathTest, ASignalHandlerCanRemoveTemporaryFiles) {
  EXPECT_EXIT(
      {
        const OutputFile file(path("a"), false);
        const std::size_t before = files();
        remove_temporary_files();
        std::exit(before == 1 && files() == 0 ? 7 : 8);
      },
      ::testing::ExitedWithCode(7), "");
}

}  // namespace
}  // namespace jsdiv
