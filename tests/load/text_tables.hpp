#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "jsdiv/error.hpp"
#include "load/load.hpp"
#include "load/read.hpp"

namespace jsdiv::test {

/// Tables from CSV text, called p.csv, q.csv, x.csv in messages.
struct TextTables {
  std::vector<Table> tables;
  std::vector<Warning> warnings;

  std::vector<std::string> codes() const {
    std::vector<std::string> result;
    for (const Warning& warning : warnings) result.push_back(warning.code);
    return result;
  }
};

inline TextTables read_text(const std::vector<std::string>& texts, const LoadOptions& options = {},
                            std::size_t chunk_bytes = 0) {
  const std::vector<std::string> names = {"p.csv", "q.csv", "x.csv"};
  std::vector<InputFile> files;
  for (std::size_t i = 0; i < texts.size(); ++i)
    files.push_back(InputFile::from_memory(names.at(i), texts[i]));
  TextTables result;
  result.tables = read_inputs(std::move(files), options, result.warnings, chunk_bytes);
  return result;
}

/// The one table of a text, read as both P and Q.
inline Table read_one(const std::string& text, const LoadOptions& options = {}) {
  return std::move(read_text({text, text}, options).tables.at(0));
}

/// The message of the InvalidInput that reading throws; fails the test if it throws none or more than a line.
inline std::string rejection(const std::vector<std::string>& texts, const LoadOptions& options = {}) {
  try {
    read_text(texts, options);
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "nothing was rejected";
  return "";
}

}  // namespace jsdiv::test
