#include "core/file_map.hpp"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace jsdiv {
namespace {

constexpr std::size_t page = 4096;

/// An open file with that content and no name.
int open_file(const std::string& content) {
  std::string path = ::testing::TempDir() + "/jsdiv_map_XXXXXX";
  const int descriptor = mkstemp(path.data());
  unlink(path.c_str());
  EXPECT_EQ(::write(descriptor, content.data(), content.size()), static_cast<ssize_t>(content.size()));
  return descriptor;
}

TEST(FileMap, HoldsTheBytesOfARegularFile) {
  const std::string content(3 * page + 5, 'x');
  std::optional<FileMap> map = FileMap::of(open_file(content));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->bytes(), content);
  EXPECT_FALSE(map->changed());
  const FileMap moved = std::move(*map);
  map.reset();
  EXPECT_EQ(moved.bytes(), content);
  EXPECT_FALSE(moved.changed());
}

/// Pages of files that this process holds.
std::size_t file_pages() {
  std::size_t total = 0, resident = 0, of_files = 0;
  std::ifstream("/proc/self/statm") >> total >> resident >> of_files;
  return of_files;
}

TEST(FileMap, GivesBackTheWholePagesOfAPart) {
  constexpr std::size_t pages = 2048;
  std::string content(pages * page + 5, 'x');
  content[700 * page] = 'y';
  const std::optional<FileMap> map = FileMap::of(open_file(content));
  ASSERT_TRUE(map);
  EXPECT_EQ(map->bytes(), content);
  const std::size_t held = file_pages();
  map->release(content);  // not of the map
  EXPECT_GE(file_pages() + 16, held);
  map->release(map->bytes().substr(1, 1024 * page));
  EXPECT_LE(file_pages(), held - 1000);
  EXPECT_GE(file_pages(), held - 1040);
  EXPECT_EQ(map->bytes(), content);  // read again
  EXPECT_GE(file_pages() + 16, held);
  EXPECT_FALSE(map->changed());
}

TEST(FileMap, IsRefusedForWhatHasNoBytesToMap) {
  const int empty = open_file("");
  EXPECT_FALSE(FileMap::of(empty));
  EXPECT_EQ(close(empty), 0);  // the descriptor is still the caller's
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_FALSE(FileMap::of(ends[0]));
  close(ends[0]), close(ends[1]);
  EXPECT_FALSE(FileMap::of(-1));
  const int unreadable = open("/dev/null", O_WRONLY);
  EXPECT_FALSE(FileMap::of(unreadable));
  close(unreadable);
}

TEST(FileMap, TellsThatTheFileWasWrittenTo) {
  const int descriptor = open_file("before");
  const int writer = dup(descriptor);
  const std::optional<FileMap> map = FileMap::of(descriptor);
  ASSERT_TRUE(map);
  // The clock of files may stand still for some milliseconds.
  const timespec later[2] = {{.tv_sec = 1, .tv_nsec = 0}, {.tv_sec = 1, .tv_nsec = 0}};
  futimens(writer, later);
  EXPECT_TRUE(map->changed());
  const int longer = open_file("before");
  const int appender = dup(longer);
  const std::optional<FileMap> second = FileMap::of(longer);
  EXPECT_EQ(::write(appender, "more", 4), 4);
  EXPECT_TRUE(second->changed());
  close(writer), close(appender);
}

TEST(FileMap, WhatWasCutOffReadsAsZeros) {
  const int descriptor = open_file(std::string(4 * page, 'x'));
  const int writer = dup(descriptor);
  const std::optional<FileMap> map = FileMap::of(descriptor);
  ASSERT_TRUE(map);
  ASSERT_EQ(ftruncate(writer, page), 0);
  EXPECT_EQ(map->bytes()[0], 'x');
  EXPECT_EQ(map->bytes()[page], '\0');
  EXPECT_EQ(map->bytes()[4 * page - 1], '\0');
  // Grown again to the old size at the old time, it is still known to have been cut.
  struct stat now {};
  ASSERT_EQ(ftruncate(writer, 4 * page), 0);
  fstat(writer, &now);
  EXPECT_TRUE(map->changed());
  close(writer);
}

TEST(FileMap, ThereArePlacesForSixtyFour) {
  std::vector<FileMap> maps;
  int refused = -1;
  while (refused < 0 && maps.size() < 1000) {
    const int descriptor = open_file("x");
    std::optional<FileMap> map = FileMap::of(descriptor);
    if (map) {
      maps.push_back(std::move(*map));
    } else {
      refused = descriptor;
    }
  }
  EXPECT_EQ(maps.size(), 64U);
  maps.pop_back();
  EXPECT_TRUE(FileMap::of(refused));
}

/// Reads beyond the end of a file that is mapped without the class.
void cause_a_bus_error() {
  const int descriptor = open_file(std::string(page, 'x'));
  const auto* data =
      static_cast<const volatile char*>(mmap(nullptr, page, PROT_READ, MAP_SHARED, descriptor, 0));
  ASSERT_EQ(ftruncate(descriptor, 0), 0);
  static_cast<void>(data[0]);
}

TEST(FileMapDeathTest, OtherBusErrorsGoWhereTheyWentBefore) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";  // a process in which nothing is mapped yet
  const auto with_map = [] {
    const std::optional<FileMap> map = FileMap::of(open_file("x"));
    cause_a_bus_error();
  };
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, SIG_DFL);
        with_map();
      },
      ::testing::KilledBySignal(SIGBUS), "");
  EXPECT_EXIT(
      {
        std::signal(SIGBUS, [](int) { std::_Exit(7); });
        with_map();
      },
      ::testing::ExitedWithCode(7), "");
  EXPECT_EXIT(
      {
        struct sigaction action {};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = [](int, siginfo_t* info, void*) {
          std::_Exit(info->si_code == BUS_ADRERR ? 8 : 9);
        };
        sigaction(SIGBUS, &action, nullptr);
        with_map();
      },
      ::testing::ExitedWithCode(8), "");
}

}  // namespace
}  // namespace jsdiv
