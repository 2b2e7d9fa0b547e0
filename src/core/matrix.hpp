#pragma once

#include "jsdiv/matrix.hpp"  // IWYU pragma: export
