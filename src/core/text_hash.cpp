#include "core/text_hash.hpp"

#include <sys/random.h>

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>

namespace jsdiv {
namespace {

using Key = std::array<std::uint64_t, 2>;

/// Without random bytes from the system, where the table is: address space is laid out at random too.
Key draw_key() {
  Key key{};
  if (getrandom(key.data(), sizeof key, GRND_NONBLOCK) == sizeof key) return key;
  return {reinterpret_cast<std::uintptr_t>(&key), reinterpret_cast<std::uintptr_t>(&draw_key)};
}

struct State {
  std::uint64_t v0, v1, v2, v3;

  void round() {
    v0 += v1;
    v1 = std::rotl(v1, 13) ^ v0;
    v0 = std::rotl(v0, 32);
    v2 += v3;
    v3 = std::rotl(v3, 16) ^ v2;
    v0 += v3;
    v3 = std::rotl(v3, 21) ^ v0;
    v2 += v1;
    v1 = std::rotl(v1, 17) ^ v2;
    v2 = std::rotl(v2, 32);
  }
  void absorb(std::uint64_t word) {
    v3 ^= word;
    round();
    v0 ^= word;
  }
};

}  // namespace

std::size_t TextHash::operator()(std::string_view text) const noexcept {
  static const Key key = draw_key();
  State state{key[0] ^ 0x736f6d6570736575, key[1] ^ 0x646f72616e646f6d, key[0] ^ 0x6c7967656e657261,
              key[1] ^ 0x7465646279746573};
  std::uint64_t last = std::uint64_t{text.size()} << 56;
  for (; text.size() >= 8; text.remove_prefix(8)) {
    std::uint64_t word;
    std::memcpy(&word, text.data(), 8);
    state.absorb(word);
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    last |= std::uint64_t{static_cast<unsigned char>(text[i])} << (8 * i);
  }
  state.absorb(last);
  state.v2 ^= 0xFF;
  for (int i = 0; i < 3; ++i) state.round();
  return state.v0 ^ state.v1 ^ state.v2 ^ state.v3;
}

}  // namespace jsdiv
