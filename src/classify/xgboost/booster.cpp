#include "classify/xgboost/booster.hpp"

#include <xgboost/c_api.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <new>
#include <string>
#include <vector>

#include "core/assert.hpp"
#include "core/format.hpp"
#include "jsdiv/error.hpp"

namespace jsdiv::gradient_boosting {
namespace {

// What a user can get wrong is checked before the library sees it; a failure there is a lack of memory, which
// it reports in words alone, or a bug of ours.
void check(int status) {
  if (status == 0) return;
  const std::string message = XGBGetLastError();
  if (message.find("bad_alloc") != std::string::npos || message.find("allocate") != std::string::npos)
    throw std::bad_alloc();
  throw InternalError("xgboost: " + message);
}

/// The library takes rows; ours are columns. out [rows.size(), features], row-major.
void gather_row_major(MatrixView features, Rows rows, std::vector<float>& out) {
  out.resize(rows.size() * features.cols);
  for (std::size_t j = 0; j < features.cols; ++j) {
    const std::span<const float> column = features.column(j);
    for (std::size_t i = 0; i < rows.size(); ++i) out[i * features.cols + j] = column[rows[i]];
  }
}

/// The numpy array interface, through which the library reads our buffer in place.
std::string array_interface(const float* data, std::size_t rows, std::size_t cols) {
  return R"({"data":[)" + std::to_string(reinterpret_cast<std::uintptr_t>(data)) + R"(,true],"shape":[)" +
         std::to_string(rows) + "," + std::to_string(cols) +
         R"(],"strides":null,"typestr":"<f4","version":3})";
}

/// Blocks that stay in the cache; also bounds the buffers that the library keeps for each calling thread.
constexpr std::size_t block_rows = 4096;

/// What the library asks for, block by block, as often as it goes through the rows.
class Blocks {
 public:
  Blocks(MatrixView features, Rows rows, std::span<const float> weights)
      : features_(features), rows_(rows), weights_(weights) {
    check(XGProxyDMatrixCreate(&proxy_));
  }
  ~Blocks() { XGDMatrixFree(proxy_); }
  Blocks(const Blocks&) = delete;
  Blocks& operator=(const Blocks&) = delete;

  void* proxy() const { return proxy_; }

  static void restart(void* blocks) { static_cast<Blocks*>(blocks)->next_ = 0; }
  /// 1, or 0 after the last block. Nothing may be thrown through the library, which takes a lack of memory
  /// for the end of the rows: lost() tells.
  static int advance(void* blocks) noexcept {
    try {
      return static_cast<Blocks*>(blocks)->show_next() ? 1 : 0;
    } catch (...) {
      static_cast<Blocks*>(blocks)->lost_ = std::current_exception();
      return 0;
    }
  }
  void rethrow_lost() const {
    if (lost_) std::rethrow_exception(lost_);
  }

 private:
  bool show_next() {
    if (next_ == rows_.size()) return false;
    const std::size_t count = std::min(block_rows, rows_.size() - next_);
    gather_row_major(features_, rows_.subspan(next_, count), block_);
    const std::string values = array_interface(block_.data(), count, features_.cols);
    check(XGProxyDMatrixSetDataDense(proxy_, values.c_str()));
    if (!weights_.empty())
      check(XGDMatrixSetFloatInfo(proxy_, "weight", weights_.subspan(next_, count).data(), count));
    next_ += count;
    return true;
  }

  MatrixView features_;
  Rows rows_;
  std::span<const float> weights_;
  void* proxy_ = nullptr;
  std::vector<float> block_;
  std::size_t next_ = 0;
  std::exception_ptr lost_;
};

}  // namespace

DataMatrix::DataMatrix(MatrixView features, Rows rows, std::span<const float> weights, std::int64_t bins) {
  Blocks blocks(features, rows, weights);
  const std::string request = R"({"missing":NaN,"nthread":1,"max_bin":)" + std::to_string(bins) + "}";
  const int status = XGQuantileDMatrixCreateFromCallback(&blocks, blocks.proxy(), nullptr, &Blocks::restart,
                                                         &Blocks::advance, request.c_str(), &handle_);
  blocks.rethrow_lost();
  check(status);
}

DataMatrix::DataMatrix(MatrixView features, Rows rows) {
  std::vector<float> values;
  gather_row_major(features, rows, values);
  check(XGDMatrixCreateFromMat(values.data(), rows.size(), features.cols,
                               std::numeric_limits<float>::quiet_NaN(), &handle_));
}

DataMatrix::~DataMatrix() {
  XGDMatrixFree(handle_);
}

void DataMatrix::set_info(const char* field, std::span<const float> values) {
  check(XGDMatrixSetFloatInfo(handle_, field, values.data(), values.size()));
}

Booster::Booster(const DataMatrix& training) {
  const DMatrixHandle matrices[] = {training.handle()};
  check(XGBoosterCreate(matrices, 1, &handle_));
}

Booster::~Booster() {
  XGBoosterFree(handle_);
}

void Booster::set(const char* parameter, const std::string& value) {
  check(XGBoosterSetParam(handle_, parameter, value.c_str()));
}

void Booster::set(const char* parameter, double value) {
  set(parameter, format("%.9g", value));
}

void Booster::set(const char* parameter, std::int64_t value) {
  set(parameter, std::to_string(value));
}

void Booster::boost(int round, const DataMatrix& training) {
  check(XGBoosterUpdateOneIter(handle_, round, training.handle()));
}

std::span<const float> Booster::cached_margins(const DataMatrix& data) {
  const bst_ulong* shape = nullptr;
  bst_ulong dimensions = 0;
  const float* margins = nullptr;
  check(XGBoosterPredictFromDMatrix(
      handle_, data.handle(),
      R"({"type":1,"training":false,"iteration_begin":0,"iteration_end":0,"strict_shape":false})", &shape,
      &dimensions, &margins));
  JSDIV_ASSERT(dimensions == 1);
  return {margins, shape[0]};
}

void Booster::margins(MatrixView features, Rows rows, int rounds, std::span<double> out) const {
  JSDIV_ASSERT(out.size() == rows.size());
  std::vector<float> block;
  const std::string request = R"({"type":1,"iteration_begin":0,"iteration_end":)" + std::to_string(rounds) +
                              R"(,"strict_shape":false,"cache_id":0,"missing":NaN})";
  for (std::size_t begin = 0; begin < rows.size(); begin += block_rows) {
    const Rows part = rows.subspan(begin, std::min(block_rows, rows.size() - begin));
    gather_row_major(features, part, block);
    const std::string values = array_interface(block.data(), part.size(), features.cols);
    const bst_ulong* shape = nullptr;
    bst_ulong dimensions = 0;
    const float* margins = nullptr;
    check(XGBoosterPredictFromDense(handle_, values.c_str(), request.c_str(), nullptr, &shape, &dimensions,
                                    &margins));
    JSDIV_ASSERT(dimensions == 1 && shape[0] == part.size());
    std::copy_n(margins, part.size(), out.begin() + static_cast<std::ptrdiff_t>(begin));
  }
}

}  // namespace jsdiv::gradient_boosting
