#pragma once

#include "jsdiv/family.hpp"  // IWYU pragma: export
