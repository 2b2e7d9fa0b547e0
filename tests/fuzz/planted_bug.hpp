#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace jsdiv::fuzz {

/// In the fuzzers' planted variants: reads the byte after an input that holds "bug", to show that a run would
/// find such a thing.
inline void planted_bug([[maybe_unused]] const std::uint8_t* data, [[maybe_unused]] std::size_t size) {
#ifdef JSDIV_PLANTED_BUG
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (text.find("bug") != std::string_view::npos) [[maybe_unused]]
    const volatile std::uint8_t beyond = data[size];
#endif
}

}  // namespace jsdiv::fuzz
