#include "cli/process.hpp"
#include "cli/program.hpp"

// OpenBLAS starts a thread for each core when it is loaded, each with a buffer of 128 MiB, and where there is
// no room it tries for ever. All our parallelism is over jobs, so it is told beforehand that one is enough:
// functions in .preinit_array run before the constructors of libraries, when the environment can no longer be
// changed. Weak, because another BLAS does not have them.
extern "C" {
extern __attribute__((weak)) int blas_cpu_number;
extern __attribute__((weak)) int blas_num_threads;
}

namespace {

void keep_blas_to_one_thread() {
  if (&blas_cpu_number == nullptr || &blas_num_threads == nullptr) return;
  blas_cpu_number = 1;
  blas_num_threads = 1;
}

__attribute__((section(".preinit_array"), used)) void (*const before_libraries)() = keep_blas_to_one_thread;

}  // namespace

// What can still be thrown is std::bad_alloc while an error is worded.
// NOLINTNEXTLINE(bugprone-exception-escape)
int main(int argument_count, char** arguments) {
  jsdiv::cli::give_back_large_blocks();
  return jsdiv::cli::run_program(argument_count, arguments);
}
