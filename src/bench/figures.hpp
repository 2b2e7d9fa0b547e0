#pragma once

#include <vector>

#include "bench/aggregate.hpp"
#include "plot/page.hpp"

namespace jsdiv::bench {

/// The pictures that the experiment asks for.
std::vector<plot::Figure> figures(const Plan& plan, const Cells& cells);

}  // namespace jsdiv::bench
