#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace jsdiv {

/// Numbers distinct texts in the order they come. The texts stay where they are (in the mapped file) unless
/// they are added by `intern_copy`. Open addressing, because this is the inner loop of reading a column of
/// categories.
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

  template <typename Keep>
  std::uint32_t find_or_add(std::string_view text, const Keep& keep) {
    if (2 * (texts_.size() + 1) > slots_.size()) grow();
    std::size_t slot = std::hash<std::string_view>{}(text) & (slots_.size() - 1);
    while (slots_[slot] != empty) {
      if (texts_[slots_[slot]] == text) return slots_[slot];
      slot = (slot + 1) & (slots_.size() - 1);
    }
    slots_[slot] = static_cast<std::uint32_t>(texts_.size());
    texts_.push_back(keep(text));
    return slots_[slot];
  }

  void grow() {
    slots_.assign(slots_.empty() ? 16 : 2 * slots_.size(), empty);
    for (std::uint32_t id = 0; id < texts_.size(); ++id) {
      std::size_t slot = std::hash<std::string_view>{}(texts_[id]) & (slots_.size() - 1);
      while (slots_[slot] != empty) slot = (slot + 1) & (slots_.size() - 1);
      slots_[slot] = id;
    }
  }

  std::vector<std::string_view> texts_;
  std::vector<std::uint32_t> slots_;
  std::deque<std::string> owned_;
  std::uint32_t last_ = 0;
};

}  // namespace jsdiv
