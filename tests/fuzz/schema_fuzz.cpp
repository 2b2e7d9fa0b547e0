#include <cstddef>
#include <cstdint>
#include <string_view>

#include "planted_bug.hpp"
#include "schema_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  jsdiv::fuzz::planted_bug(data, size);
  jsdiv::fuzz::check_schema({reinterpret_cast<const char*>(data), size});
  return 0;
}
