#include <convene/protocol/json/encode_error.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <string>
#include <string_view>
#include <utility>

namespace convene::protocol {

json::object encode_error(const error& what) {
  json::object details;
  const auto add = [&details](std::string_view name, const std::string& text) {
    if (!text.empty())
      details.emplace(name, sanitize_utf8(text));
  };
  add("file", what.file);
  add("pointer", what.pointer);
  add("rule", what.rule);
  add("value", what.value);
  if (what.line != 0) {
    details.emplace("line", what.line);
    details.emplace("column", what.column);
  }
  return {{"code", to_word(what.code)},
          {"message", sanitize_utf8(what.message)},
          {"details", std::move(details)}};
}

} // namespace convene::protocol
