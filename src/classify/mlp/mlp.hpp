#pragma once

#include "jsdiv/family.hpp"

namespace jsdiv {

/// A network 256-64-32, each layer linear → batch norm → dropout ½ → LeakyReLU 0.2, trained by Adam with
/// early stopping. Written here, on BLAS, because a framework would weigh more than the rest of the library.
const Family& mlp_family();

}  // namespace jsdiv
