#pragma once

#include "jsdiv/hyperparameters.hpp"  // IWYU pragma: export
