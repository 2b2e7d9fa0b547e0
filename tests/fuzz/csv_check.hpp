#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/assert.hpp"
#include "core/content_hash.hpp"
#include "jsdiv/error.hpp"
#include "load/csv_writer.hpp"
#include "load/load.hpp"
#include "load/read.hpp"

namespace jsdiv::fuzz {

/// What reading a text gave, as something that can be compared: the content, or the message.
inline std::string outcome(std::string_view p, std::string_view q, const LoadOptions& options,
                           std::size_t chunk_bytes, std::vector<Table>* read = nullptr) {
  std::vector<InputFile> files;
  files.push_back(InputFile::from_memory("p.csv", std::string(p)));
  files.push_back(InputFile::from_memory("q.csv", std::string(q)));
  std::vector<Warning> warnings;
  try {
    std::vector<Table> tables = read_inputs(std::move(files), options, warnings, chunk_bytes);
    std::string result = content_hash(tables[0]) + content_hash(tables[1]);
    for (const Warning& warning : warnings) result += warning.message;
    if (read != nullptr) *read = std::move(tables);
    return result;
  } catch (const InvalidInput& error) {
    const std::string message = error.what();
    JSDIV_ASSERT(message.find('\n') == std::string::npos);
    return message;
  }
}

/// The properties that hold for any bytes: reading gives tables or InvalidInput; how the text is cut into
/// chunks does not show; what is written reads back as the same. The text is P, and Q too, or the part after
/// "\n===\n" is Q.
inline void check_csv(std::string_view text) {
  const std::size_t cut = text.find("\n===\n");
  const std::string_view p = text.substr(0, cut);
  const std::string_view q = cut == std::string_view::npos ? p : text.substr(cut + 5);
  std::vector<Table> tables;
  const std::string whole = outcome(p, q, {}, text.size() + 1, &tables);
  for (const std::size_t chunk_bytes : {1, 3, 64}) JSDIV_ASSERT(outcome(p, q, {}, chunk_bytes) == whole);
  if (tables.empty()) return;

  // Levels are disarmed for spreadsheets when written, and then stay as they are.
  const std::string p_once = write_csv(tables[0]);
  const std::string q_once = write_csv(tables[1]);
  std::vector<Table> again;
  outcome(p_once, q_once, {}, 64, &again);
  JSDIV_ASSERT(again.size() == 2 && again[0].rows == tables[0].rows && again[1].rows == tables[1].rows);
  JSDIV_ASSERT(again[0].columns.size() == tables[0].columns.size());
  JSDIV_ASSERT(write_csv(again[0]) == p_once && write_csv(again[1]) == q_once);
}

}  // namespace jsdiv::fuzz
