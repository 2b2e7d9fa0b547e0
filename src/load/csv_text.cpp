#include "load/csv_text.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "core/parallel.hpp"
#include "core/simd.hpp"
#include "core/stop.hpp"
#include "load/cell.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t block_size = 64;

/// What 64 bytes hold: bit i of each mask is about byte i.
struct BlockMasks {
  std::uint64_t line_feed = 0;
  std::uint64_t carriage_return = 0;
  std::uint64_t quote = 0;
  std::uint64_t suspicious = 0;  ///< NUL, or not ASCII
};

inline BlockMasks block_masks(const char* bytes) {
  BlockMasks masks;
#if defined(__SSE2__)
  const __m128i line_feed = _mm_set1_epi8('\n');
  const __m128i carriage_return = _mm_set1_epi8('\r');
  const __m128i quote = _mm_set1_epi8('"');
  const __m128i one = _mm_set1_epi8(1);
  for (int part = 0; part < 4; ++part) {
    const __m128i block = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * part));
    const auto mask = [&](__m128i compared) {
      return static_cast<std::uint64_t>(static_cast<std::uint32_t>(_mm_movemask_epi8(compared)))
             << (16 * part);
    };
    masks.line_feed |= mask(_mm_cmpeq_epi8(block, line_feed));
    masks.carriage_return |= mask(_mm_cmpeq_epi8(block, carriage_return));
    masks.quote |= mask(_mm_cmpeq_epi8(block, quote));
    masks.suspicious |= mask(_mm_cmpgt_epi8(one, block));  // signed: 0 and everything from 0x80 on
  }
#else
  for (std::size_t i = 0; i < block_size; ++i) {
    masks.line_feed |= std::uint64_t{bytes[i] == '\n'} << i;
    masks.carriage_return |= std::uint64_t{bytes[i] == '\r'} << i;
    masks.quote |= std::uint64_t{bytes[i] == '"'} << i;
    masks.suspicious |= std::uint64_t{static_cast<signed char>(bytes[i]) < 1} << i;
  }
#endif
  return masks;
}

/// Bit i of the result is the parity of bits 0 … i.
inline std::uint64_t prefix_parity(std::uint64_t bits) {
  for (int shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
  return bits;
}

struct ChunkCounts {
  std::uint64_t line_ends[2] = {0,
                                0};  ///< outside quotes, if the chunk begins outside [0] or inside [1] quotes
  bool odd_quotes = false;
  bool suspicious = false;
};

JSDIV_SIMD_CLONES
ChunkCounts count_chunk(const char* text, std::size_t size, std::size_t begin, std::size_t end) {
  ChunkCounts counts;
  char tail[block_size];
  for (std::size_t position = begin; position < end; position += block_size) {
    const std::size_t length = std::min(block_size, end - position);
    const char* bytes = text + position;
    if (length < block_size) {
      std::memset(tail, ' ', block_size);
      std::memcpy(tail, bytes, length);
      bytes = tail;
    }
    const BlockMasks masks = block_masks(bytes);
    std::uint64_t line_end = masks.line_feed;
    if (masks.carriage_return != 0) {
      const bool feed_follows = position + length < size && text[position + length] == '\n';
      const std::uint64_t before_feed = masks.line_feed >> 1 | std::uint64_t{feed_follows} << (length - 1);
      line_end |= masks.carriage_return & ~before_feed;
    }
    std::uint64_t inside = counts.odd_quotes ? ~std::uint64_t{0} : 0;
    if (masks.quote != 0) {
      inside ^= prefix_parity(masks.quote);
      counts.odd_quotes ^= (std::popcount(masks.quote) & 1) != 0;
    }
    const auto total = static_cast<std::uint64_t>(std::popcount(line_end));
    const auto within = static_cast<std::uint64_t>(std::popcount(line_end & inside));
    counts.line_ends[0] += total - within;
    counts.line_ends[1] += within;
    counts.suspicious |= masks.suspicious != 0;
  }
  return counts;
}

/// The position after the first line end in [begin, end) that is outside quotes; the size of the text if none
/// is.
std::size_t after_first_line_end(std::string_view text, std::size_t begin, std::size_t end, bool inside) {
  for (std::size_t position = begin; position < end; ++position) {
    const char letter = text[position];
    if (letter == '"') inside = !inside;
    if (inside) continue;
    const bool feed_follows = position + 1 < text.size() && text[position + 1] == '\n';
    if (letter == '\n' || (letter == '\r' && !feed_follows)) return position + 1;
  }
  return text.size();
}

/// Length of the UTF-8 character at `bytes`, of which `available` can be read; 0 if it is not one (RFC 3629:
/// no overlong forms, no surrogates, nothing above U+10FFFF).
std::size_t character_length(const unsigned char* bytes, std::size_t available) {
  const unsigned char lead = bytes[0];
  if (lead < 0x80) return 1;
  const std::size_t length = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || available < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((bytes[i] & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && bytes[1] < 0xA0) || (lead == 0xF0 && bytes[1] < 0x90);
  const bool outside = (lead == 0xED && bytes[1] > 0x9F) || (lead == 0xF4 && bytes[1] > 0x8F);
  return overlong || outside ? 0 : length;
}

}  // namespace

std::string_view cell_value(const CsvCell& cell, std::string& buffer) {
  if (!cell.quoted) return trim(cell.text);
  if (!cell.has_doubled_quotes) return cell.text;
  buffer.clear();
  for (std::size_t i = 0; i < cell.text.size(); ++i) {
    buffer += cell.text[i];
    i += cell.text[i] == '"';
  }
  return buffer;
}

CsvTokenizer::CsvTokenizer(std::string_view text, char delimiter) : text_(text), delimiter_(delimiter) {
  for (const char letter : {delimiter, '\n', '\r'}) ends_cell_[static_cast<unsigned char>(letter)] = cell_end;
  ends_cell_[static_cast<unsigned char>('"')] = quote;
}

std::size_t CsvTokenizer::read_cell(std::size_t position, CsvCell& cell, CsvFault& fault) const {
  const char* const data = text_.data();
  const std::size_t size = text_.size();
  if (position < size && data[position] == '"') {
    const std::size_t begin = position + 1;
    cell.quoted = true;
    cell.has_doubled_quotes = false;
    position = begin;
    for (;;) {
      const void* found = position < size ? std::memchr(data + position, '"', size - position) : nullptr;
      if (found == nullptr) {
        fault = CsvFault::unterminated;
        cell.text = text_.substr(begin);
        return size;
      }
      position = static_cast<std::size_t>(static_cast<const char*>(found) - data);
      if (position + 1 >= size || data[position + 1] != '"') break;
      cell.has_doubled_quotes = true;
      position += 2;
    }
    cell.text = text_.substr(begin, position - begin);
    ++position;
    if (position < size && !ends_cell(data[position])) {
      fault = CsvFault::text_after_quote;
      while (position < size && !ends_cell(data[position])) ++position;
    }
    return position;
  }
  const std::size_t begin = position;
  for (; position < size; ++position) {
    const std::uint8_t kind = ends_cell_[static_cast<unsigned char>(data[position])];
    if (kind == ordinary) continue;
    if (kind == cell_end) break;
    fault = CsvFault::stray_quote;
  }
  cell.quoted = false;
  cell.has_doubled_quotes = false;
  cell.text = text_.substr(begin, position - begin);
  return position;
}

std::size_t CsvTokenizer::skip_record(std::size_t position) const {
  CsvCell cell;
  CsvFault ignored = CsvFault::none;
  while (position < text_.size()) {
    position = read_cell(position, cell, ignored);
    if (position < text_.size() && at_line_end(position)) return skip_line_end(position);
    ++position;
  }
  return text_.size();
}

CsvPlan parity_chunks(const CsvTokenizer& tokenizer, std::size_t begin, std::size_t chunk_bytes) {
  const std::string_view text = tokenizer.text();
  const std::size_t count = std::max<std::size_t>(1, (text.size() - begin + chunk_bytes - 1) / chunk_bytes);
  const auto chunk_begin = [&](std::size_t index) {
    return std::min(begin + index * chunk_bytes, text.size());
  };
  std::vector<ChunkCounts> counts(count);
  parallel_for(count, [&](std::size_t index) {
    counts[index] = count_chunk(text.data(), text.size(), chunk_begin(index), chunk_begin(index + 1));
  });
  std::vector<std::optional<EncodingFault>> faults(count);
  parallel_for(count, [&](std::size_t index) {
    if (!counts[index].suspicious) return;
    faults[index] = find_encoding_fault(text, chunk_begin(index), chunk_begin(index + 1));
  });
  const auto fault = std::ranges::find_if(faults, [](const auto& found) { return found.has_value(); });
  if (fault != faults.end()) return {{}, *fault};

  std::vector<CsvChunk> chunks(count);
  std::vector<std::uint8_t> inside(count, 0);
  for (std::size_t index = 1; index < count; ++index)
    inside[index] = inside[index - 1] ^ counts[index - 1].odd_quotes;
  parallel_for(count, [&](std::size_t index) {
    CsvChunk& chunk = chunks[index];
    chunk.end = chunk_begin(index + 1);
    chunk.record_limit = counts[index].line_ends[inside[index]] + (index == 0 ? 1 : 0);
    chunk.first_record =
        index == 0 ? begin : after_first_line_end(text, chunk_begin(index), chunk.end, inside[index] != 0);
  });
  return {std::move(chunks), std::nullopt};
}

std::vector<CsvChunk> exact_chunks(const CsvTokenizer& tokenizer, std::size_t begin,
                                   std::size_t chunk_bytes) {
  const std::size_t size = tokenizer.text().size();
  const std::size_t count = std::max<std::size_t>(1, (size - begin + chunk_bytes - 1) / chunk_bytes);
  std::vector<CsvChunk> chunks(count);
  for (std::size_t index = 0; index < count; ++index) {
    chunks[index] = {size, std::min(begin + (index + 1) * chunk_bytes, size), 0};
  }
  std::size_t records = 0;
  for (std::size_t start = begin; start < size; start = tokenizer.skip_record(start)) {
    if (++records % 65536 == 0) throw_if_interrupted();
    CsvChunk& chunk = chunks[start == begin ? 0 : (start - begin - 1) / chunk_bytes];
    if (chunk.record_limit++ == 0) chunk.first_record = start;
  }
  return chunks;
}

char sniff_delimiter(std::string_view header_onwards) {
  constexpr std::array<char, 4> candidates = {',', ';', '\t', '|'};
  std::array<std::size_t, 4> counts{};
  bool inside = false;
  for (const char letter : header_onwards) {
    if (letter == '"') inside = !inside;
    if (inside) continue;
    if (letter == '\n' || letter == '\r') break;
    const auto found = std::ranges::find(candidates, letter);
    if (found != candidates.end()) ++counts[static_cast<std::size_t>(found - candidates.begin())];
  }
  return candidates[static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin())];
}

std::optional<EncodingFault> find_encoding_fault(std::string_view text, std::size_t begin, std::size_t end) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t position = begin;
  // A character that began in the range before was judged there.
  if (begin > 0) {
    for (std::size_t back = 1; back <= 3 && back <= begin; ++back) {
      if (bytes[begin - back] >= 0xC0) {
        const std::size_t length = character_length(bytes + begin - back, text.size() - (begin - back));
        if (length > back) position = begin - back + length;
        break;
      }
      if (bytes[begin - back] < 0x80) break;
    }
  }
  while (position < end) {
    if (position + 8 <= end) {
      std::uint64_t word;
      std::memcpy(&word, bytes + position, 8);
      const bool has_zero = ((word - 0x0101010101010101ULL) & ~word & 0x8080808080808080ULL) != 0;
      if ((word & 0x8080808080808080ULL) == 0 && !has_zero) {
        position += 8;
        continue;
      }
    }
    if (bytes[position] == 0) return EncodingFault{position, true};
    const std::size_t length = character_length(bytes + position, text.size() - position);
    if (length == 0) return EncodingFault{position, false};
    position += length;
  }
  return std::nullopt;
}

std::size_t line_number(std::string_view text, std::size_t position) {
  std::size_t line = 1;
  for (std::size_t i = 0; i < position; ++i) {
    line += text[i] == '\n' || (text[i] == '\r' && (i + 1 >= text.size() || text[i + 1] != '\n'));
  }
  return line;
}

}  // namespace jsdiv
