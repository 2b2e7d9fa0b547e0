#pragma once

#include <cstddef>
#include <string_view>

namespace jsdiv {

/// SipHash-1-3 (Aumasson & Bernstein 2012) under a key that each process draws: a table cannot hold names
/// that are made to collide. For unordered containers whose order shows in no result.
struct TextHash {
  std::size_t operator()(std::string_view text) const noexcept;
};

}  // namespace jsdiv
