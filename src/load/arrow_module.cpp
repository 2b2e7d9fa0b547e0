// The module jsdiv_arrow: the only code that is compiled against Arrow.
#include "load/arrow_module.hpp"

#include <arrow/c/bridge.h>
#include <arrow/chunked_array.h>
#include <arrow/io/memory.h>
#include <arrow/ipc/reader.h>
#include <arrow/memory_pool.h>
#include <arrow/record_batch.h>
#include <arrow/type.h>
#include <parquet/arrow/reader.h>
#include <parquet/properties.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using arrow::Result;
using arrow::Status;
using Buffer = std::shared_ptr<arrow::Buffer>;

thread_local std::string last_error;

template <typename Work>
const char* guarded(const Work& work) {
  try {
    const Status status = work();
    if (status.ok()) return nullptr;
    last_error = status.message();
  } catch (const std::exception& error) {
    last_error = error.what();
  }
  std::ranges::replace(last_error, '\n', ' ');
  return last_error.c_str();
}

}  // namespace

/// Refuses to give more than a limit.
class LimitedPool : public arrow::ProxyMemoryPool {
 public:
  LimitedPool() : ProxyMemoryPool(arrow::default_memory_pool()) {}
  using MemoryPool::Allocate;
  using MemoryPool::Reallocate;

  void set_limit(std::size_t bytes) {
    limit_ = bytes;
    refused_ = 0;
  }
  /// What would have been held if that had been given that was refused; 0 if nothing was.
  std::size_t refused() const { return refused_; }

  Status Allocate(std::int64_t size, std::int64_t alignment, std::uint8_t** out) override {
    ARROW_RETURN_NOT_OK(check(size));
    return ProxyMemoryPool::Allocate(size, alignment, out);
  }
  Status Reallocate(std::int64_t old_size, std::int64_t new_size, std::int64_t alignment,
                    std::uint8_t** pointer) override {
    ARROW_RETURN_NOT_OK(check(new_size - old_size));
    return ProxyMemoryPool::Reallocate(old_size, new_size, alignment, pointer);
  }

 private:
  Status check(std::int64_t more) {
    if (more <= 0) return Status::OK();
    const auto held = static_cast<std::size_t>(bytes_allocated()) + static_cast<std::size_t>(more);
    if (held <= limit_) return Status::OK();
    refused_ = held;
    return Status::CapacityError("more than the limit");
  }

  std::atomic<std::size_t> limit_ = SIZE_MAX;
  std::atomic<std::size_t> refused_ = 0;
};

/// One format of files.
struct JsdivArrowFile {
  virtual ~JsdivArrowFile() = default;
  virtual Result<std::shared_ptr<arrow::Schema>> schema() = 0;
  virtual Result<std::shared_ptr<arrow::ChunkedArray>> column(int index) = 0;

  LimitedPool pool;  ///< what is unpacked is held here
};

namespace {

class ParquetFile : public JsdivArrowFile {
 public:
  static Result<std::unique_ptr<JsdivArrowFile>> open(const Buffer& buffer) {
    auto file = std::make_unique<ParquetFile>();
    parquet::ReaderProperties properties(&file->pool);
    properties.set_page_checksum_verification(true);
    parquet::arrow::FileReaderBuilder builder;
    builder.memory_pool(&file->pool);
    ARROW_RETURN_NOT_OK(builder.Open(std::make_shared<arrow::io::BufferReader>(buffer), properties));
    ARROW_RETURN_NOT_OK(builder.Build(&file->reader_));
    return file;
  }

  Result<std::shared_ptr<arrow::Schema>> schema() override {
    std::shared_ptr<arrow::Schema> schema;
    ARROW_RETURN_NOT_OK(reader_->GetSchema(&schema));
    return schema;
  }

  Result<std::shared_ptr<arrow::ChunkedArray>> column(int index) override {
    std::shared_ptr<arrow::ChunkedArray> column;
    ARROW_RETURN_NOT_OK(reader_->ReadColumn(index, &column));
    return column;
  }

 private:
  std::unique_ptr<parquet::arrow::FileReader> reader_;
};

/// Both Arrow formats; what is not asked for is not unpacked.
class IpcFile : public JsdivArrowFile {
 public:
  IpcFile(Buffer buffer, bool stream) : buffer_(std::move(buffer)), stream_(stream) {}

  Result<std::shared_ptr<arrow::Schema>> schema() override {
    if (stream_) {
      ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(source()));
      return reader->schema();
    }
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(source()));
    return reader->schema();
  }

  Result<std::shared_ptr<arrow::ChunkedArray>> column(int index) override {
    arrow::ipc::IpcReadOptions options = arrow::ipc::IpcReadOptions::Defaults();
    options.included_fields = {index};
    options.memory_pool = &pool;
    arrow::ArrayVector chunks;
    const auto take = [&](const arrow::RecordBatch& batch) {
      ARROW_RETURN_NOT_OK(batch.ValidateFull());
      chunks.push_back(batch.column(0));
      return Status::OK();
    };
    if (stream_) {
      ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchStreamReader::Open(source(), options));
      for (;;) {
        std::shared_ptr<arrow::RecordBatch> batch;
        ARROW_RETURN_NOT_OK(reader->ReadNext(&batch));
        if (!batch) break;
        ARROW_RETURN_NOT_OK(take(*batch));
      }
      return arrow::ChunkedArray::Make(std::move(chunks), reader->schema()->field(0)->type());
    }
    ARROW_ASSIGN_OR_RAISE(auto reader, arrow::ipc::RecordBatchFileReader::Open(source(), options));
    for (int batch = 0; batch < reader->num_record_batches(); ++batch) {
      ARROW_ASSIGN_OR_RAISE(const auto read, reader->ReadRecordBatch(batch));
      ARROW_RETURN_NOT_OK(take(*read));
    }
    ARROW_ASSIGN_OR_RAISE(const auto whole, schema());
    return arrow::ChunkedArray::Make(std::move(chunks), whole->field(index)->type());
  }

 private:
  std::shared_ptr<arrow::io::BufferReader> source() const {
    return std::make_shared<arrow::io::BufferReader>(buffer_);
  }

  Buffer buffer_;
  bool stream_;
};

const char* open(const void* bytes, std::size_t size, JsdivArrowFile** out) {
  return guarded([&]() -> Status {
    const auto* const data = static_cast<const std::uint8_t*>(bytes);
    const auto buffer = std::make_shared<arrow::Buffer>(data, static_cast<std::int64_t>(size));
    const std::string_view text(static_cast<const char*>(bytes), size);
    if (text.starts_with("ARROW1") || text.starts_with("\xff\xff\xff\xff")) {
      *out = new IpcFile(buffer, !text.starts_with("ARROW1"));
      return Status::OK();
    }
    ARROW_ASSIGN_OR_RAISE(auto file, ParquetFile::open(buffer));
    *out = file.release();
    return Status::OK();
  });
}

const char* schema(JsdivArrowFile* file, ArrowSchema* out) {
  return guarded([&]() -> Status {
    ARROW_ASSIGN_OR_RAISE(const auto schema, file->schema());
    return arrow::ExportSchema(*schema, out);
  });
}

const char* column(JsdivArrowFile* file, std::size_t index, std::size_t most_bytes, std::size_t* unpacked,
                   ArrowArrayStream* out) {
  file->pool.set_limit(most_bytes);
  const char* const error = guarded([&]() -> Status {
    ARROW_ASSIGN_OR_RAISE(auto column, file->column(static_cast<int>(index)));
    *unpacked = static_cast<std::size_t>(file->pool.bytes_allocated());
    return arrow::ExportChunkedArray(std::move(column), out);
  });
  if (file->pool.refused() > 0) *unpacked = file->pool.refused();
  return error;
}

void close(JsdivArrowFile* file) {
  delete file;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) const JsdivArrowFunctions* jsdiv_arrow_functions() {
  static const JsdivArrowFunctions functions = {sizeof(JsdivArrowFunctions), open, schema, column, close};
  return &functions;
}
