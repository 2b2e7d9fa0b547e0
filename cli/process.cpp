#include "cli/process.hpp"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <ctime>
#include <exception>
#include <new>
#include <system_error>
#include <utility>

#include "cli/command.hpp"
#include "core/output_file.hpp"
#include "core/stop.hpp"

namespace jsdiv::cli {
namespace {

/// How long the jobs have to stop by themselves.
constexpr timespec patience{0, 600'000'000};

timer_t deadline;
bool has_deadline = false;
std::atomic<const char*> interrupted_message{"jsdiv: interrupted; nothing was written\n"};

[[noreturn]] void leave(ExitCode code, const char* message) {
  remove_temporary_files();
  [[maybe_unused]] const ssize_t ignored = write(STDERR_FILENO, message, std::strlen(message));
  _exit(code);
}

void on_deadline(int) {
  leave(interrupted, interrupted_message);
}

void on_interrupt(int) {
  const int saved = errno;
  if (interrupt_requested.exchange(true) || !has_deadline) leave(interrupted, interrupted_message);
  const itimerspec once{{}, patience};
  timer_settime(deadline, 0, &once, nullptr);
  errno = saved;
}

/// An exception that nobody could catch, as one of a library's own threads.
[[noreturn]] void on_terminate() {
  if (const std::exception_ptr current = std::current_exception()) {
    try {
      std::rethrow_exception(current);
    } catch (const std::bad_alloc&) {
      leave(no_resources, "jsdiv: not enough memory; use fewer rows, columns or threads\n");
    } catch (const std::system_error&) {
      leave(no_resources, "jsdiv: the system has run out of memory or threads\n");
    } catch (...) {
    }
  }
  leave(our_bug, "jsdiv: stopped unexpectedly (this is a bug in jsdiv; please report it)\n");
}

void handle(int signal, void (*handler)(int)) {
  struct sigaction action {};
  action.sa_handler = handler;  // without SA_RESTART: waiting for a pipe ends too
  sigemptyset(&action.sa_mask);
  sigaction(signal, &action, nullptr);
}

void handle_unless_ignored(int signal, void (*handler)(int)) {
  struct sigaction inherited {};
  if (sigaction(signal, nullptr, &inherited) == 0 && inherited.sa_handler == SIG_IGN) return;
  handle(signal, handler);
}

}  // namespace

void occupy_standard_descriptors() {
  // A file of ours in the place of a closed standard output would receive what is printed. Read-only there,
  // so that printing fails instead of vanishing.
  for (const auto& [descriptor, flags] :
       {std::pair(STDIN_FILENO, O_RDONLY), std::pair(STDOUT_FILENO, O_RDONLY),
        std::pair(STDERR_FILENO, O_WRONLY)}) {
    if (fcntl(descriptor, F_GETFD) >= 0 || errno != EBADF) continue;
    if (open("/dev/null", flags) != descriptor) _exit(bad_input);  // the lowest free one, by definition
  }
}

void give_back_large_blocks() {
  constexpr int smallest_large_block = 4 << 20;
  constexpr int most_kept = 64 << 20;
  mallopt(M_MMAP_THRESHOLD, smallest_large_block);
  mallopt(M_TRIM_THRESHOLD, most_kept);
}

void watch_signals() {
  sigevent event{};
  event.sigev_notify = SIGEV_SIGNAL;
  event.sigev_signo = SIGALRM;
  has_deadline = timer_create(CLOCK_MONOTONIC, &event, &deadline) == 0;
  handle(SIGALRM, on_deadline);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) handle_unless_ignored(signal, on_interrupt);
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  std::set_terminate(on_terminate);
}

void set_interrupted_message(const char* message) {
  interrupted_message = message;
}

}  // namespace jsdiv::cli
