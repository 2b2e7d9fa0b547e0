// planted_bug address|undefined|thread: does what that sanitizer is there to report.

#include <cstdio>
#include <limits>
#include <string_view>
#include <thread>
#include <vector>

namespace {

int read_beyond(std::size_t count) {
  const std::vector<int> values(count);
  return values.data()[count];
}

int overflow(int value) {
  return value + std::numeric_limits<int>::max();
}

int race() {
  int shared = 0;
  std::thread other([&] { ++shared; });
  ++shared;
  other.join();
  return shared;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view bug = argc > 1 ? argv[1] : "";
  int result = 0;
  if (bug == "address") result = read_beyond(static_cast<std::size_t>(argc));
  if (bug == "undefined") result = overflow(argc);
  if (bug == "thread") result = race();
  std::printf("%d\n", result);
}
