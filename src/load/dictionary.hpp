#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text_hash.hpp"

namespace jsdiv {

/// Numbers distinct texts in the order they come. The texts stay where they are (in the mapped file) unless
/// they are added by `intern_copy`. Open addressing, because this is the inner loop of reading a column of
/// categories. The fast hash can be made to collide; a table that looks so is filled anew under a secret one.
class Dictionary {
 public:
  std::uint32_t intern(std::string_view text) {
    if (last_ < texts_.size() && texts_[last_] == text) return last_;
    return last_ = find_or_add(text, [](std::string_view found) { return found; });
  }

  std::uint32_t intern_copy(std::string_view text) {
    return last_ = find_or_add(text, [this](std::string_view found) -> std::string_view {
             return owned_.emplace_back(found);
           });
  }

  const std::vector<std::string_view>& texts() const { return texts_; }

 private:
  static constexpr std::uint32_t empty = ~std::uint32_t{0};
  /// At most half of the places are taken: the longest search of a million texts takes some 60 steps.
  static constexpr std::size_t suspicious_steps = 256;

  template <typename Keep>
  std::uint32_t find_or_add(std::string_view text, const Keep& keep) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    std::size_t slot = first_slot(text);
    std::size_t steps = 0;
    while (slots_[slot] != empty) {
      if (texts_[slots_[slot]] == text) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
      if (++steps == suspicious_steps && !secret_) {
        secret_ = true;
        fill();
        slot = first_slot(text);
      }
    }
    slots_[slot] = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(keep(text));
    return slots_[slot];
  }

  void grow() {
    slots_.resize(slots_.empty() ? 16 : 2 * slots_.size());
    fill();
  }

  std::size_t first_slot(std::string_view text) const {
    const std::size_t hash = secret_ ? TextHash{}(text) : std::hash<std::string_view>{}(text);
    return hash & (slots_.size() - 1);
  }

  void fill() {
    std::ranges::fill(slots_, empty);
    for (std::uint32_t id = 0; id < texts_.size(); ++id) {
      std::size_t slot = first_slot(texts_[id]);
      while (slots_[slot] != empty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = id;
    }
  }

  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> slots_;
  std::deque<std::string> owned_;
  std::uint32_t last_ = 0;
  bool secret_ = false;
};

}  // namespace jsdiv
