#pragma once

#include "jsdiv/matrix.hpp"
#include "jsdiv/table.hpp"

namespace jsdiv {

/// Some rows of P and of Q, in ascending order, as a sample of their own.
Sample subset(const Sample& sample, Rows rows);

}  // namespace jsdiv
