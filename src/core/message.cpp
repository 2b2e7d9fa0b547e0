#include "core/message.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "core/format.hpp"
#include "core/safe_text.hpp"

namespace jsdiv {
namespace {

constexpr std::size_t longest_quote = 60;
constexpr std::size_t longest_list = 40;

/// Levenshtein distance without regard to the case of ASCII letters.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = diagonal + (lower(a[i - 1]) != lower(b[j - 1]));
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return row.back();
}

}  // namespace

std::string quoted(std::string_view text) {
  std::size_t length = std::min(text.size(), longest_quote);
  while (length > 0 && length < text.size() && (static_cast<unsigned char>(text[length]) & 0xC0) == 0x80)
    --length;
  return "'" + safe_text(text.substr(0, length), Medium::line) + (length < text.size() ? "…'" : "'");
}

std::string quoted_list(std::span<const std::string> names) {
  std::string result;
  const std::size_t shown = std::min(names.size(), longest_list);
  for (std::size_t i = 0; i < shown; ++i) result += (i == 0 ? "" : ", ") + quoted(names[i]);
  if (shown < names.size()) result += " and " + std::to_string(names.size() - shown) + " more";
  return result;
}

std::string did_you_mean(std::string_view name, std::span<const std::string> candidates) {
  constexpr std::size_t longest_compared = 200;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  const std::string* best = nullptr;
  if (name.size() > longest_compared) return "";
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_compared) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance < best_distance) best_distance = distance, best = &candidate;
  }
  return best == nullptr ? "" : "; did you mean " + quoted(*best) + "?";
}

std::string unknown_name(std::string_view kind, std::string_view name, std::span<const std::string> known) {
  const std::string suggestion = did_you_mean(name, known);
  return "unknown " + std::string(kind) + " " + quoted(name) +
         (suggestion.empty() ? "; choose from: " + joined(known) : suggestion);
}

}  // namespace jsdiv
