#include "jsdiv/error.hpp"

namespace jsdiv {
namespace {

std::string field_spelling(const OptionMention& mention) {
  if (mention.value.empty()) return mention.name;
  return mention.name + " = " + (mention.is_number ? mention.value : "\"" + mention.value + "\"");
}

}  // namespace

std::string Message::worded(const std::function<std::string(const OptionMention&)>& spell) const {
  std::string text;
  for (const Part& part : parts_) {
    const auto* mention = std::get_if<OptionMention>(&part);
    text += mention != nullptr ? spell(*mention) : std::get<std::string>(part);
  }
  return text;
}

std::string Message::text() const {
  return worded(field_spelling);
}

InvalidInput::InvalidInput(Message message, Subject subject)
    : Error(message.text()),
      details_(std::make_shared<const Details>(Details{std::move(message), std::move(subject)})) {
}

}  // namespace jsdiv
