#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

namespace jsdiv {

/// SHA-256 (FIPS 180-4), fed in pieces. Written here because the alternative is to carry a TLS library for
/// one function.
class Sha256 {
 public:
  Sha256() = default;
  /// Without the processor's SHA instructions; the tests compare the two.
  static Sha256 portable() {
    Sha256 hash;
    hash.portable_ = true;
    return hash;
  }

  void update(const void* data, std::size_t size);
  /// Lower-case hexadecimal digest; the object must not be used afterwards.
  std::string finish();

 private:
  void compress(const std::uint8_t* blocks, std::size_t count);

  std::array<std::uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<std::uint8_t, 64> buffer_{};
  std::size_t buffered_ = 0;
  std::uint64_t length_ = 0;
  bool portable_ = false;
};

}  // namespace jsdiv
