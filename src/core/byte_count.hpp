#pragma once

#include <cstddef>
#include <string>

namespace jsdiv {

/// 2G, 512M, 1.5g, 4096: a number of bytes, with K, M, G and T for powers of 1024. Throws InvalidInput, about
/// the option, for anything else.
std::size_t parse_bytes(const std::string& text, const std::string& option = "memory");

/// "1.5 GB", in powers of 1024 as above.
std::string format_bytes(double bytes);

/// The smallest number of bytes in whole M or G that is no smaller: "3G", for the option `memory`.
std::string bytes_to_allow(double bytes);

}  // namespace jsdiv
