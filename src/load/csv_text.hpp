#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv {

/// The grammar of CSV text, RFC 4180 with these additions: any of CR, LF and CRLF ends a record; the
/// delimiter may be another character; a quote inside a cell that does not begin with one stands for itself;
/// lines without any character are no records.

/// One cell. `text` is what stands between the delimiters or between the quotes.
struct CsvCell {
  std::string_view text;
  bool quoted = false;
  bool has_doubled_quotes = false;  ///< `text` still holds "" for each "
};

/// The cell's value: blanks around an unquoted cell go, doubled quotes become one. Uses `buffer` where it
/// must copy.
std::string_view cell_value(const CsvCell& cell, std::string& buffer);

enum class CsvFault : std::uint8_t {
  none,
  stray_quote,   ///< a quote within an unquoted cell: allowed, but counting quotes no longer tells what is
                 ///< quoted
  unterminated,  ///< a quoted cell that the end of the file cuts off
  text_after_quote,  ///< something between a closing quote and the delimiter
  ragged,            ///< a record with more or fewer cells than the header
};

/// The first byte that no UTF-8 text table holds.
struct EncodingFault {
  std::size_t position = 0;
  bool nul = false;
};

class CsvTokenizer {
 public:
  CsvTokenizer(std::string_view text, char delimiter);

  /// Reads the cell that begins at `position`; returns the position of what ends it: a delimiter, CR, LF or
  /// the end of the text. `fault` is set if there is one, and otherwise left alone.
  std::size_t read_cell(std::size_t position, CsvCell& cell, CsvFault& fault) const;

  /// The start of the record after the one that begins at `position`.
  std::size_t skip_record(std::size_t position) const;

  /// The position after the line end at `position`.
  std::size_t skip_line_end(std::size_t position) const {
    return position +
           (text_[position] == '\r' && position + 1 < text_.size() && text_[position + 1] == '\n' ? 2 : 1);
  }

  bool at_line_end(std::size_t position) const { return text_[position] == '\n' || text_[position] == '\r'; }
  bool ends_cell(char letter) const { return ends_cell_[static_cast<unsigned char>(letter)] == cell_end; }

  std::string_view text() const { return text_; }
  char delimiter() const { return delimiter_; }

 private:
  enum : std::uint8_t { ordinary, cell_end, quote };
  std::string_view text_;
  char delimiter_;
  std::array<std::uint8_t, 256> ends_cell_{};
};

/// A stretch of the text that one job reads: the records that begin at positions in (begin, end], and for the
/// first chunk also the one at `begin`.
struct CsvChunk {
  std::size_t first_record = 0;  ///< start of the first of them; the text's size if there is none
  std::size_t end = 0;
  std::size_t record_limit = 0;  ///< at most so many records, lines without a character counted
};

struct CsvPlan {
  std::vector<CsvChunk> chunks;
  std::optional<EncodingFault> encoding_fault;
};

/// The chunks of the records from `begin` on. Counts line ends outside quotes in parallel: each chunk is
/// counted for both states it may begin in, and the parity of the quotes before it then picks one (Ge et al.,
/// "Speculative distributed CSV data parsing", SIGMOD 2019, call this the two-pass approach). That is right
/// up to the first stray quote, where the reader stops and asks for `exact_chunks`.
CsvPlan parity_chunks(const CsvTokenizer& tokenizer, std::size_t begin, std::size_t chunk_bytes);

/// The same by reading every record in order: slower, right for any text.
std::vector<CsvChunk> exact_chunks(const CsvTokenizer& tokenizer, std::size_t begin, std::size_t chunk_bytes);

/// The delimiter among , ; tab | that stands most often in the header line outside quotes; a comma if none
/// does.
char sniff_delimiter(std::string_view header_onwards);

/// Looks for NUL and for what is not UTF-8 in [begin, end). Characters that begin before `begin` are left to
/// the range before it.
std::optional<EncodingFault> find_encoding_fault(std::string_view text, std::size_t begin, std::size_t end);

/// Number of the line, from 1, that holds `position`.
std::size_t line_number(std::string_view text, std::size_t position);

}  // namespace jsdiv
