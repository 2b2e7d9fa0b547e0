// Whatever the bytes are, the reader accepts them or throws InvalidInput.

#include <cstddef>
#include <cstdint>
#include <span>

#include "classify/tabpfn/weights.hpp"
#include "jsdiv/error.hpp"
#include "planted_bug.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  jsdiv::fuzz::planted_bug(data, size);
  try {
    const jsdiv::tabpfn::SafetensorsView view(std::as_bytes(std::span(data, size)), "fuzz");
    for (const auto& [name, tensor] : view.tensors()) tensor.values();
    jsdiv::tabpfn::read_weights(view, "fuzz");
  } catch (const jsdiv::InvalidInput&) {
  }
  return 0;
}
