#pragma once

namespace jsdiv::cli {

/// Runs the command line: from the arguments, the first of which is the program's name, to the exit code.
/// Takes over the signals of the process.
int run_program(int argument_count, char** arguments);

}  // namespace jsdiv::cli
