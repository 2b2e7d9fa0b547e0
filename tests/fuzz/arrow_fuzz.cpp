#include <cstddef>
#include <cstdint>
#include <string_view>

#include "arrow_check.hpp"
#include "planted_bug.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  jsdiv::fuzz::planted_bug(data, size);
  jsdiv::fuzz::check_arrow({reinterpret_cast<const char*>(data), size});
  return 0;
}
