#pragma once

#include <nanobind/nanobind.h>

#include <functional>

#include "jsdiv/options.hpp"

namespace jsdiv::python {

/// Runs `work` on a thread of its own, with the GIL released, while the calling thread hands its progress to
/// `callback` (None: to nobody) and looks out for Ctrl-C. What Python raises meanwhile asks the work to stop
/// and is raised once it has.
void run_while_listening(const std::function<void(const ProgressFunction&)>& work, nanobind::handle callback);

}  // namespace jsdiv::python
