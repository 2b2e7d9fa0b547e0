#include "jsdiv/error.hpp"
#include "load/parquet.hpp"

namespace jsdiv {
namespace {

[[noreturn]] void reject(const InputFile& file) {
  throw InvalidInput(file.path() +
                     ": this build has no Parquet support; save the table as CSV, or build jsdiv where Arrow "
                     "C++ is installed");
}

}  // namespace

bool has_parquet() {
  return false;
}

std::vector<std::string> parquet_names(const InputFile& file) {
  reject(file);
}

Table read_parquet(const InputFile& file, std::span<const std::size_t>) {
  reject(file);
}

}  // namespace jsdiv
