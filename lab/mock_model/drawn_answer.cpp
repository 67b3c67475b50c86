#include <boost/json/array.hpp>
#include <convene/actors/behaviours/draw.hpp>
#include <convene/lab/mock_model/drawn_answer.hpp>
#include <convene/lab/mock_model/tokens.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

namespace convene::host::mock {
namespace {

namespace json = boost::json;

constexpr std::size_t argument_depth_max = 8;
constexpr std::uint64_t sentence_words_max = 12;

constexpr std::array<std::string_view, 48> words{
  "the",    "change",  "file",   "test",    "value",  "reads",   "one",
  "more",   "than",    "second", "request", "should", "answer",  "before",
  "after",  "session", "turn",   "each",    "when",   "part",    "result",
  "is",     "not",     "needed", "here",    "plan",   "step",    "fails",
  "passes", "line",    "first",  "last",    "a",      "an",      "of",
  "with",   "without", "and",    "or",      "then",   "because", "agent",
  "model",  "holds",   "checks", "writes",  "open",   "done"};

json::value drawn_value(bit_row& from, const json::object& schema,
                        std::size_t depth);

json::object drawn_object(bit_row& from, // NOLINT(misc-no-recursion)
                          const json::object& schema, std::size_t depth) {
  json::object out;
  const auto* required = schema.if_contains("required");
  const auto* properties = schema.if_contains("properties");
  if (required == nullptr || !required->is_array() || depth == 0)
    return out;
  for (const auto& name : required->get_array()) {
    if (!name.is_string() || out.contains(name.get_string()))
      continue; // once: else each level would multiply the work
    const auto* member
      = properties == nullptr || !properties->is_object()
          ? nullptr
          : properties->get_object().if_contains(name.get_string());
    out[name.get_string()] = member == nullptr || !member->is_object()
                               ? json::value("any")
                               : drawn_value(from, member->get_object(),
                                             depth - 1);
  }
  return out;
}

std::string_view type_of(const json::object& schema) {
  const auto* type = schema.if_contains("type");
  if (type != nullptr && type->is_array() && !type->get_array().empty())
    type = &type->get_array().front();
  if (type != nullptr && type->is_string())
    return type->get_string();
  return schema.contains("properties") ? "object" : "string";
}

json::value drawn_value(bit_row& from, // NOLINT(misc-no-recursion)
                        const json::object& schema, std::size_t depth) {
  if (const auto* only = schema.if_contains("const"))
    return *only;
  if (const auto* list = schema.if_contains("enum");
      list != nullptr && list->is_array() && !list->get_array().empty())
    return list->get_array()[from.below(list->get_array().size())];
  const auto type = type_of(schema);
  if (type == "object")
    return drawn_object(from, schema, depth);
  if (type == "array") {
    json::array out;
    const auto* items = schema.if_contains("items");
    if (items != nullptr && items->is_object() && depth > 0)
      out.push_back(drawn_value(from, items->get_object(), depth - 1));
    return out;
  }
  if (type == "integer" || type == "number") {
    const auto* least = schema.if_contains("minimum");
    const auto base = least != nullptr && least->is_int64() ? least->get_int64()
                                                            : std::int64_t{0};
    const auto* most = schema.if_contains("maximum");
    if (most != nullptr && most->is_int64() && most->get_int64() <= base)
      return base;
    constexpr std::int64_t steps = 99;
    const auto last = base
                      + std::min(steps, std::numeric_limits<std::int64_t>::max()
                                          - std::max<std::int64_t>(base, 0));
    const auto end = most != nullptr && most->is_int64()
                       ? std::min(last, most->get_int64())
                       : last;
    return base
           + static_cast<std::int64_t>(
             from.below(static_cast<std::uint64_t>(end - base) + 1));
  }
  if (type == "boolean")
    return from.below(2) == 1;
  if (type == "null")
    return nullptr;
  const auto first = words[from.below(words.size())];
  return json::value(std::string{first} + '-'
                     + std::string{words[from.below(words.size())]});
}

} // namespace

std::uint64_t bit_row::below(std::uint64_t bound) noexcept {
  return actors::split_mix(start_, drawn_++) % bound;
}

std::string drawn_text(bit_row from, std::int64_t tokens) {
  const auto size = static_cast<std::size_t>(tokens) * token_characters;
  std::string out;
  std::uint64_t left = 0; // words of the sentence
  while (out.size() < size) {
    std::string word{words[from.below(words.size())]};
    if (left == 0) {
      left = 3 + from.below(sentence_words_max - 2);
      word.front() = static_cast<char>(word.front() - 'a' + 'A');
    }
    --left;
    out += out.empty() ? word : ' ' + word;
    if (left == 0)
      out += '.';
  }
  out.resize(size);
  return out;
}

json::object drawn_arguments(bit_row from, const json::object& schema) {
  return drawn_object(from, schema, argument_depth_max);
}

} // namespace convene::host::mock
