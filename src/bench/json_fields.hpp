#pragma once

#include <set>
#include <string>
#include <vector>

#include "report/json.hpp"

namespace jsdiv::bench {

/// Reads the members of a JSON object and remembers which were asked for, so that a typo does not pass
/// unnoticed. Every function throws InvalidInput that says `where` and the key.
class Fields {
 public:
  Fields(const Json& json, std::string where);

  bool has(const std::string& key) const { return json_.contains(key); }
  std::string text(const std::string& key);
  std::string text_or(const std::string& key, std::string fallback);
  int integer_or(const std::string& key, int fallback);
  std::vector<std::string> texts(const std::string& key);
  Json object(const std::string& key);
  Json object_or_empty(const std::string& key);
  Json array(const std::string& key);

  /// Throws for the first member that nobody asked for.
  void refuse_others() const;

 private:
  const Json& member(const std::string& key);
  [[noreturn]] void fail(const std::string& key, const std::string& expected) const;

  const Json& json_;
  std::string where_;
  std::set<std::string> asked_;
};

}  // namespace jsdiv::bench
