#include "core/file_map.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <functional>
#include <mutex>
#include <utility>

namespace jsdiv {
namespace {

/// A mapping where the signal handler finds it. `end` is set last and cleared first.
struct Place {
  std::atomic<bool> taken{false};
  std::atomic<std::uintptr_t> begin{0};
  std::atomic<std::uintptr_t> end{0};
  std::atomic<bool> faulted{false};
};

std::array<Place, 64> places;
std::uintptr_t page_bytes;
struct sigaction previous_action;

int take_place() {
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!places[i].taken.exchange(true)) return static_cast<int>(i);
  }
  return -1;
}

/// Puts zeros where a mapped file has lost its pages, and lets the read go on. Any other error of this kind
/// goes where it went before.
void on_bus_error(int signal, siginfo_t* info, void* context) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (Place& place : places) {
    const std::uintptr_t begin = place.begin;
    const std::uintptr_t end = place.end;
    if (address < begin || address >= end) continue;
    place.faulted = true;
    const std::uintptr_t into_page = address % page_bytes;
    void* zeros = mmap(static_cast<char*>(info->si_addr) - into_page, end - (address - into_page), PROT_READ,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0);
    if (zeros != MAP_FAILED) return;
  }
  if ((previous_action.sa_flags & SA_SIGINFO) != 0)
    return previous_action.sa_sigaction(signal, info, context);
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
    return previous_action.sa_handler(signal);
  std::signal(SIGBUS, SIG_DFL);  // the instruction faults again and ends the process
}

void watch_bus_errors() {
  static std::once_flag once;
  std::call_once(once, [] {
    page_bytes = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
    struct sigaction action {};
    action.sa_sigaction = on_bus_error;
    action.sa_flags = SA_SIGINFO | SA_NODEFER;
    sigemptyset(&action.sa_mask);
    sigaction(SIGBUS, &action, &previous_action);
  });
}

bool same_time(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

}  // namespace

std::optional<FileMap> FileMap::of(int descriptor) {
  FileMap map;
  if (fstat(descriptor, &map.opened_) != 0 || !S_ISREG(map.opened_.st_mode) || map.opened_.st_size <= 0)
    return std::nullopt;
  watch_bus_errors();
  map.place_ = take_place();
  if (map.place_ < 0) return std::nullopt;
  const auto size = static_cast<std::size_t>(map.opened_.st_size);
  void* mapped = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, descriptor, 0);
  if (mapped == MAP_FAILED) return std::nullopt;
  map.data_ = static_cast<const char*>(mapped);
  map.size_ = size;
  map.descriptor_ = descriptor;
  Place& place = places[static_cast<std::size_t>(map.place_)];
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped);
  place.faulted = false;
  place.begin = begin;
  place.end = (begin + size + page_bytes - 1) / page_bytes * page_bytes;
  return map;
}

FileMap::FileMap(FileMap&& other) noexcept {
  *this = std::move(other);
}

FileMap& FileMap::operator=(FileMap&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(place_, other.place_);
  std::swap(opened_, other.opened_);
  return *this;
}

FileMap::~FileMap() {
  if (place_ >= 0) {
    Place& place = places[static_cast<std::size_t>(place_)];
    place.end = 0;
    place.taken = false;
  }
  if (data_ != nullptr) munmap(const_cast<char*>(data_), size_);
  if (descriptor_ >= 0) close(descriptor_);
}

void FileMap::release(std::string_view part) const {
  const std::less<const char*> before;
  const char* const part_end = part.data() + part.size();
  if (before(part.data(), data_) || before(data_ + size_, part_end)) return;
  const auto first = static_cast<std::size_t>(part.data() - data_);
  const std::size_t begin = (first + page_bytes - 1) / page_bytes * page_bytes;
  const std::size_t end = (first + part.size()) / page_bytes * page_bytes;
  if (begin < end) madvise(const_cast<char*>(data_) + begin, end - begin, MADV_DONTNEED);
}

bool FileMap::changed() const {
  struct stat now {};
  return places[static_cast<std::size_t>(place_)].faulted || fstat(descriptor_, &now) != 0 ||
         now.st_size != opened_.st_size || !same_time(now.st_mtim, opened_.st_mtim);
}

}  // namespace jsdiv
