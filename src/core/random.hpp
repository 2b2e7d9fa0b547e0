#pragma once

#include "jsdiv/random.hpp"  // IWYU pragma: export
