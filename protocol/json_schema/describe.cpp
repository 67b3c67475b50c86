#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/json_schema/describe.hpp>
#include <convene/protocol/json_schema/run.hpp>

#include <algorithm>
#include <array>

namespace convene::protocol::validation {
namespace {

constexpr std::size_t listed_max = 12;

constexpr std::array<std::string_view, 28> keywords{"enum",
                                                    "enum",
                                                    "const",
                                                    "allOf",
                                                    "anyOf",
                                                    "oneOf",
                                                    "not",
                                                    "if",
                                                    "$ref",
                                                    "minimum",
                                                    "maximum",
                                                    "exclusiveMinimum",
                                                    "exclusiveMaximum",
                                                    "multipleOf",
                                                    "minLength",
                                                    "maxLength",
                                                    "pattern",
                                                    "format",
                                                    "minItems",
                                                    "maxItems",
                                                    "uniqueItems",
                                                    "contains",
                                                    "items",
                                                    "items",
                                                    "minProperties",
                                                    "maxProperties",
                                                    "properties",
                                                    "dependencies"};
static_assert(keywords.size()
              == static_cast<std::size_t>(op::dependencies) + 1);

/// `one of "a", "b" or 3 more`, from the `count` texts that `text_of` gives.
template <class TextOf>
std::string one_of(std::size_t count, TextOf text_of) {
  std::string out = "one of ";
  for (std::size_t i = 0; i < std::min(count, listed_max); ++i)
    out.append(i == 0 ? "" : ", ").append(text_of(i));
  if (count > listed_max)
    out += " or " + std::to_string(count - listed_max) + " more";
  return out;
}

std::string pointer_of(const std::vector<path_step>& steps) {
  std::string out;
  for (const auto& step : steps)
    append_to_pointer(out, step.is_index ? std::to_string(step.index)
                                         : std::string{step.name});
  return out;
}

std::string at_least(std::uint32_t count, std::string_view noun) {
  return "at least " + counted(count, noun);
}

std::string at_most(std::uint32_t count, std::string_view noun) {
  return "at most " + counted(count, noun);
}

} // namespace

std::string_view keyword_of(op code) noexcept {
  return keywords[static_cast<std::size_t>(code)];
}

std::string type_names(std::uint8_t mask) {
  static constexpr std::array<std::string_view, 7> words{
    "null", "boolean", "integer", "number", "string", "array", "object"};
  if ((mask & types::number) != 0)
    mask = static_cast<std::uint8_t>(mask & ~types::integer);
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i)
    if ((mask >> i & 1) != 0)
      out.append(out.empty() ? "" : " or ").append(words[i]);
  return out;
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count).append(" ").append(noun).append(
    count == 1 ? "" : "s");
}

std::string expectation(const program& code, const instruction& what) {
  switch (what.code) {
    case op::enum_strings: {
      const auto all = code.table_names.entries(code.tables[what.a]);
      return one_of(all.size(), [&](std::size_t i) {
        return quoted(code.table_names.text(all[i]));
      });
    }
    case op::enum_values:
      return one_of(what.b - what.a, [&](std::size_t i) {
        return summary(boost_cursor{code.constants[what.a + i]});
      });
    case op::constant:
      return summary(boost_cursor{code.constants[what.a]});
    case op::any_of:
      return "a match of one of " + counted(what.b - what.a, "schema");
    case op::one_of:
      return "a match of exactly one of " + counted(what.b - what.a, "schema");
    case op::negation:
      return "no match of the schema";
    case op::minimum:
      return "at least " + to_string(code.numbers[what.a]);
    case op::maximum:
      return "at most " + to_string(code.numbers[what.a]);
    case op::exclusive_minimum:
      return "more than " + to_string(code.numbers[what.a]);
    case op::exclusive_maximum:
      return "less than " + to_string(code.numbers[what.a]);
    case op::multiple_of:
      return "a multiple of " + to_string(code.numbers[what.a]);
    case op::min_length:
      return at_least(what.a, "character");
    case op::max_length:
      return at_most(what.a, "character");
    case op::pattern:
      return "a match of " + shorten(code.patterns[what.a].source);
    case op::format:
      return "the format " + shorten(code.formats[what.a].name);
    case op::min_items:
      return at_least(what.a, "item");
    case op::max_items:
      return at_most(what.a, "item");
    case op::unique_items:
      return "items that differ";
    case op::contains:
      return "an item that matches the schema";
    case op::min_properties:
      return at_least(what.a, "member");
    case op::max_properties:
      return at_most(what.a, "member");
    default:
      return "a match of the schema";
  }
}

std::string suggestion(const program& code, const instruction& what,
                       std::string_view written) {
  if (what.code != op::enum_strings)
    return {};
  std::vector<std::string_view> words;
  for (const auto& entry : code.table_names.entries(code.tables[what.a]))
    words.push_back(code.table_names.text(entry));
  return suggest(written, words);
}

std::string list_advice(const program& code, const node& of,
                        std::string_view written) {
  constexpr std::size_t written_max = 200;
  const auto* const first = code.code.data() + of.first[arrays];
  const auto* const last = code.code.data() + of.first[arrays + 1];
  const bool takes_texts = std::any_of(first, last, [&](const auto& each) {
    return each.code == op::items && code.nodes[each.a].types == types::string;
  });
  if ((of.types & types::array) == 0 || !takes_texts
      || written.size() > written_max)
    return {};
  std::string words;
  while (!written.empty()) {
    const auto end = std::min(written.find(' '), written.size());
    if (end > 0)
      words += (words.empty() ? "" : ", ") + quoted(written.substr(0, end));
    written.remove_prefix(std::min(end + 1, written.size()));
  }
  return words.empty() ? words : ", such as [" + words + ']';
}

void trail::add(std::string_view keyword, std::string expected,
                std::string actual) {
  if (is_full())
    return;
  violation out{.instance_pointer = pointer_of(instance),
                .schema_pointer = pointer_of(schema),
                .keyword = std::string{keyword},
                .expected = std::move(expected),
                .actual = std::move(actual),
                .text = {}};
  if (keyword != "false")
    append_to_pointer(out.schema_pointer, keyword);
  out.text = out.instance_pointer.empty() ? "the document"
                                          : out.instance_pointer;
  out.text += ": expected " + out.expected + ", found " + out.actual + " ("
              + out.keyword + ')';
  found.push_back(std::move(out));
}

void trail::add_unknown(std::string_view name, std::uint8_t type,
                        std::span<const std::string_view> known) {
  if (is_full())
    return;
  instance.emplace_back(name);
  add("additionalProperties", "no member " + quoted(name), type_names(type));
  instance.pop_back();
  found.back().text = found.back().instance_pointer + ": "
                      + unknown_member(name, known);
}

} // namespace convene::protocol::validation
