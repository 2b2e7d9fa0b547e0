#pragma once

#include "jsdiv/family.hpp"

namespace jsdiv {

/// Ridge logistic regression on random Fourier features of the standardised columns and on those columns
/// themselves: kernel logistic regression in time that grows linearly with the rows.
const Family& kernel_family();

}  // namespace jsdiv
