#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/overrides.hpp>

#include <charconv>
#include <optional>
#include <utility>

namespace convene::host {
namespace {

using namespace convene::protocol;

/// Far more than a scenario is deep.
constexpr std::size_t path_max = 32;

tl::unexpected<error> refuse(std::string_view text, std::string_view why) {
  return fail(errc::usage, "--set " + shorten(text) + ": " + std::string{why},
              "set");
}

json::value parse_value(std::string_view text) {
  auto parsed = parse_json(text);
  if (!parsed)
    return json::string(text.data(), text.size());
  return std::move(*parsed);
}

std::optional<std::size_t> position(std::string_view text) {
  std::size_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(),
                                             text.data() + text.size(), number);
  if (failed != std::errc{} || end != text.data() + text.size())
    return std::nullopt;
  return number;
}

} // namespace

result<scenario_override> parse_override(std::string_view text) {
  scenario_override parsed{.text = std::string{text}, .path = {}, .value = {}};
  std::string part;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size()
        && std::string_view{".=?\\"}.find(text[at + 1]) != text.npos) {
      part += text[++at];
      continue;
    }
    if (c != '.' && c != '=') {
      part += c;
      continue;
    }
    if (c == '=' && part.size() > 1 && text[at - 1] == '?'
        && text[at - 2] != '\\') {
      part.pop_back();
      parsed.only_if_there = true;
    }
    if (part.empty())
      return refuse(text, "the key has an empty part");
    if (parsed.path.size() == path_max)
      return refuse(text, "the key has more than 32 parts");
    parsed.path.push_back(std::exchange(part, {}));
    if (c == '=') {
      parsed.value = parse_value(text.substr(at + 1));
      return parsed;
    }
  }
  return refuse(text, "give it as key=value");
}

bool is_there(const scenario_override& what, const json::object& scenario) {
  const auto* object = &scenario;
  for (std::size_t i = 0; i < what.path.size(); ++i) {
    const auto* found = object == nullptr ? nullptr
                                          : object->if_contains(what.path[i]);
    if (found == nullptr)
      return false;
    object = found->if_object();
  }
  return true;
}

result<std::string> apply(const scenario_override& what,
                          json::object& scenario) {
  std::string pointer;
  append_to_pointer(pointer, what.path.front());
  bool fresh = !scenario.contains(what.path.front());
  json::value* at = &scenario[what.path.front()];
  for (std::size_t i = 1; i < what.path.size(); ++i) {
    const auto& part = what.path[i];
    if (at->is_null())
      at->emplace_object();
    if (auto* object = at->if_object()) {
      if (!fresh)
        append_to_pointer(pointer, part);
      fresh = fresh || !object->contains(part);
      at = &(*object)[part];
      continue;
    }
    auto* array = at->if_array();
    if (array == nullptr)
      return refuse(what.text, '"' + what.path[i - 1]
                                 + "\" is neither an object nor an array");
    const auto index = position(part);
    if (!index || *index >= array->size())
      return refuse(what.text, '"' + what.path[i - 1] + "\" has no item " + part
                                 + "; it has " + std::to_string(array->size()));
    append_to_pointer(pointer, part);
    at = &(*array)[*index];
  }
  *at = what.value;
  return pointer;
}

} // namespace convene::host
