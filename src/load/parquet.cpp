#include "load/parquet.hpp"

#include <arrow/array.h>
#include <arrow/chunked_array.h>
#include <arrow/io/memory.h>
#include <arrow/type.h>
#include <arrow/util/decimal.h>
#include <parquet/arrow/reader.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>

#include "core/message.hpp"
#include "core/sha256.hpp"
#include "core/stop.hpp"
#include "jsdiv/error.hpp"
#include "load/csv_text.hpp"
#include "load/dictionary.hpp"

namespace jsdiv {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

void check(const arrow::Status& status, const std::string& path) {
  if (status.ok()) return;
  std::string reason = status.message();
  std::ranges::replace(reason, '\n', ' ');
  throw InvalidInput(path + ": is not a readable Parquet file (" + reason + ")");
}

std::unique_ptr<parquet::arrow::FileReader> open_reader(const InputFile& file) {
  const std::string_view bytes = file.raw();
  const auto buffer = std::make_shared<arrow::Buffer>(reinterpret_cast<const std::uint8_t*>(bytes.data()),
                                                      static_cast<std::int64_t>(bytes.size()));
  parquet::arrow::FileReaderBuilder builder;
  check(builder.Open(std::make_shared<arrow::io::BufferReader>(buffer)), file.path());
  std::unique_ptr<parquet::arrow::FileReader> reader;
  check(builder.Build(&reader), file.path());
  return reader;
}

std::shared_ptr<arrow::Schema> schema_of(parquet::arrow::FileReader& reader, const std::string& path) {
  std::shared_ptr<arrow::Schema> schema;
  check(reader.GetSchema(&schema), path);
  return schema;
}

double seconds_per(arrow::TimeUnit::type unit) {
  switch (unit) {
    case arrow::TimeUnit::SECOND:
      return 1;
    case arrow::TimeUnit::MILLI:
      return 1e3;
    case arrow::TimeUnit::MICRO:
      return 1e6;
    default:
      return 1e9;
  }
}

/// Our type for an Arrow type; nothing if there is none.
std::optional<ColumnType> column_type(const arrow::DataType& type) {
  switch (type.id()) {
    case arrow::Type::NA:
    case arrow::Type::UINT8:
    case arrow::Type::INT8:
    case arrow::Type::UINT16:
    case arrow::Type::INT16:
    case arrow::Type::UINT32:
    case arrow::Type::INT32:
    case arrow::Type::UINT64:
    case arrow::Type::INT64:
    case arrow::Type::FLOAT:
    case arrow::Type::DOUBLE:
    case arrow::Type::DECIMAL128:
      return ColumnType::number;
    case arrow::Type::BOOL:
      return ColumnType::boolean;
    case arrow::Type::DATE32:
    case arrow::Type::DATE64:
    case arrow::Type::TIMESTAMP:
      return ColumnType::datetime;
    case arrow::Type::STRING:
    case arrow::Type::LARGE_STRING:
      return ColumnType::category;
    case arrow::Type::DICTIONARY:
      return column_type(*static_cast<const arrow::DictionaryType&>(type).value_type());
    default:
      return std::nullopt;
  }
}

/// Collects the chunks of a column.
class ColumnBuilder {
 public:
  void append(const arrow::Array& array) {
    switch (array.type_id()) {
      case arrow::Type::NA:
        values_.insert(values_.end(), static_cast<std::size_t>(array.length()), missing);
        return;
      case arrow::Type::UINT8:
        return append_numbers<arrow::UInt8Array>(array);
      case arrow::Type::INT8:
        return append_numbers<arrow::Int8Array>(array);
      case arrow::Type::UINT16:
        return append_numbers<arrow::UInt16Array>(array);
      case arrow::Type::INT16:
        return append_numbers<arrow::Int16Array>(array);
      case arrow::Type::UINT32:
        return append_numbers<arrow::UInt32Array>(array);
      case arrow::Type::INT32:
        return append_numbers<arrow::Int32Array>(array);
      case arrow::Type::UINT64:
        return append_numbers<arrow::UInt64Array>(array);
      case arrow::Type::INT64:
        return append_numbers<arrow::Int64Array>(array);
      case arrow::Type::FLOAT:
        return append_numbers<arrow::FloatArray>(array);
      case arrow::Type::DOUBLE:
        return append_numbers<arrow::DoubleArray>(array);
      case arrow::Type::BOOL:
        return append_numbers<arrow::BooleanArray>(array);
      case arrow::Type::DATE32:
        return append_numbers<arrow::Date32Array>(array, 1.0 / 86400);
      case arrow::Type::DATE64:
        return append_numbers<arrow::Date64Array>(array, 1e3);
      case arrow::Type::TIMESTAMP:
        return append_numbers<arrow::TimestampArray>(
            array, seconds_per(static_cast<const arrow::TimestampType&>(*array.type()).unit()));
      case arrow::Type::DECIMAL128:
        return append_decimals(static_cast<const arrow::Decimal128Array&>(array));
      case arrow::Type::STRING:
        return append_texts<arrow::StringArray>(array);
      case arrow::Type::LARGE_STRING:
        return append_texts<arrow::LargeStringArray>(array);
      case arrow::Type::DICTIONARY:
        return append_dictionary(static_cast<const arrow::DictionaryArray&>(array));
      default:
        throw InternalError("a Parquet column of a type that was not announced");
    }
  }

  Column finish(std::string name, ColumnType type) {
    Column column{std::move(name), type, std::move(values_), {}};
    if (type != ColumnType::category) return column;
    std::vector<std::uint32_t> order(levels_.texts().size());
    for (std::uint32_t id = 0; id < order.size(); ++id) order[id] = id;
    std::ranges::sort(order, {}, [&](std::uint32_t id) { return levels_.texts()[id]; });
    std::vector<double> code(order.size());
    for (const std::uint32_t id : order) {
      code[id] = static_cast<double>(column.levels.size());
      column.levels.emplace_back(levels_.texts()[id]);
    }
    for (double& value : column.values) {
      if (value == value) value = code[static_cast<std::size_t>(value)];
    }
    return column;
  }

 private:
  template <typename Array>
  void append_numbers(const arrow::Array& array, double divisor = 1) {
    const auto& typed = static_cast<const Array&>(array);
    for (std::int64_t i = 0; i < typed.length(); ++i) {
      values_.push_back(typed.IsNull(i) ? missing : static_cast<double>(typed.Value(i)) / divisor);
    }
  }

  void append_decimals(const arrow::Decimal128Array& array) {
    const int scale = static_cast<const arrow::Decimal128Type&>(*array.type()).scale();
    for (std::int64_t i = 0; i < array.length(); ++i) {
      values_.push_back(array.IsNull(i) ? missing : arrow::Decimal128(array.GetValue(i)).ToDouble(scale));
    }
  }

  template <typename Array>
  void append_texts(const arrow::Array& array) {
    const auto& typed = static_cast<const Array&>(array);
    for (std::int64_t i = 0; i < typed.length(); ++i) {
      values_.push_back(typed.IsNull(i) ? missing : levels_.intern_copy(typed.GetView(i)));
    }
  }

  void append_dictionary(const arrow::DictionaryArray& array) {
    std::vector<double> before = std::exchange(values_, {});
    append(*array.dictionary());
    const std::vector<double> entries = std::exchange(values_, std::move(before));
    for (std::int64_t i = 0; i < array.length(); ++i) {
      values_.push_back(array.IsNull(i) ? missing
                                        : entries[static_cast<std::size_t>(array.GetValueIndex(i))]);
    }
  }

  std::vector<double> values_;
  Dictionary levels_;
};

}  // namespace

bool has_parquet() {
  return true;
}

std::vector<std::string> parquet_names(const InputFile& file) {
  const auto reader = open_reader(file);
  return schema_of(*reader, file.path())->field_names();
}

Table read_parquet(const InputFile& file, std::span<const std::size_t> columns) {
  const auto reader = open_reader(file);
  const auto schema = schema_of(*reader, file.path());
  Table table;
  table.source = file.path();
  for (const std::size_t index : columns) {
    throw_if_interrupted();
    const auto& field = schema->field(static_cast<int>(index));
    const auto type = column_type(*field->type());
    if (!type) {
      throw InvalidInput(file.path() + ": column " + quoted(field->name()) + " has the type " +
                             field->type()->ToString() + ", which cannot be compared; leave it out with " +
                             mention("ignore", field->name()),
                         {.option = "", .column = field->name()});
    }
    std::shared_ptr<arrow::ChunkedArray> data;
    check(reader->ReadColumn(static_cast<int>(index), &data), file.path());
    ColumnBuilder builder;
    for (const auto& chunk : data->chunks()) builder.append(*chunk);
    Column column = builder.finish(field->name(), *type);
    for (const std::string& level : column.levels) {
      if (find_encoding_fault(level, 0, level.size())) {
        throw InvalidInput(file.path() + ": column " + quoted(field->name()) +
                           " holds text that is not valid UTF-8; convert it and write the file again");
      }
    }
    table.rows = column.values.size();
    table.columns.push_back(std::move(column));
  }
  if (table.rows == 0) throw InvalidInput(file.path() + ": no data rows; the table needs rows");
  Sha256 hash;
  hash.update(file.raw().data(), file.raw().size());
  table.sha256 = hash.finish();
  return table;
}

}  // namespace jsdiv
