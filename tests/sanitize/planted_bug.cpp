// planted_bug address|undefined|thread|eigen: does what that sanitizer, or Eigen's own checks, are there to
// report.

#include <Eigen/Core>
#include <csignal>
#include <cstdio>
#include <cstdlib>
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

int add_unequal(int rows) {
  const Eigen::VectorXi sum = Eigen::VectorXi::Ones(rows) + Eigen::VectorXi::Ones(rows + 1);
  return sum[0];
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
  if (bug == "eigen") {
    // CTest takes a signal for a crash of its own, whatever was reported before it.
    std::signal(SIGABRT, [](int) { std::_Exit(1); });
    result = add_unequal(argc);
  }
  std::printf("%d\n", result);
}
