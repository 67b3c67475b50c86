// What rules demand of one value.

#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/invariants/document_check.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/text/text_rules.hpp>

#include <algorithm>

namespace convene::protocol {
namespace {

/// White space beyond ASCII, as the official harness trims it.
constexpr std::string_view wide_spaces[]{"\u00a0", "\u1680", "\u2000", "\u2001",
                                         "\u2002", "\u2003", "\u2004", "\u2005",
                                         "\u2006", "\u2007", "\u2008", "\u2009",
                                         "\u200a", "\u2028", "\u2029", "\u202f",
                                         "\u205f", "\u3000", "\ufeff"};

bool is_blank(std::string_view text) {
  while (!text.empty()) {
    if (std::string_view{" \t\n\v\f\r"}.find(text.front())
        != std::string_view::npos) {
      text.remove_prefix(1);
      continue;
    }
    const auto* found = std::ranges::find_if(wide_spaces, [&](auto space) {
      return text.starts_with(space);
    });
    if (found == std::end(wide_spaces))
      return false;
    text.remove_prefix(found->size());
  }
  return true;
}

std::string wrong_length(const length_rule& rule, const json::value& value) {
  const bool list = value.is_array();
  if (!list && !value.is_string())
    return "must be an array or a text";
  const auto size = list ? value.get_array().size()
                         : count_characters(value.get_string());
  if (size >= rule.least && size <= rule.most.value_or(size))
    return {};
  return std::string{"must have "} + (rule.most ? "" : "at least ")
         + std::to_string(rule.least) + (list ? " element" : " character")
         + (rule.least == 1 ? "" : "s") + ", has " + std::to_string(size);
}

/// Each rule's answer to a text, and its sentence.
struct text_judge {
  std::string_view text;

  std::string operator()(const uuid_v4_rule&) const {
    return is_uuid_v4(text) ? "" : "must be a lower-case v4 UUID";
  }
  std::string operator()(const non_empty_rule&) const {
    return is_blank(text) ? "must not be blank" : "";
  }
  std::string operator()(const date_time_rule&) const {
    return is_date_time(text) ? "" : "must be a date and time as in ISO 8601";
  }
  std::string operator()(const same_text_rule& rule) const {
    return text == rule.text ? "" : "must be " + quote(rule.text);
  }
  std::string operator()(const word_rule& rule) const {
    if (std::ranges::find(rule.words, text) != rule.words.end())
      return {};
    std::string all;
    for (const auto& word : rule.words)
      all += (all.empty() ? "" : ", ") + word;
    return (rule.words.size() == 1 ? "must be " : "must be one of ") + all;
  }
  std::string operator()(const auto&) const {
    return {};
  }
};

} // namespace

std::string what_is_wrong(const invariant_rule& rule,
                          const json::value& value) {
  if (const auto* length = std::get_if<length_rule>(&rule))
    return wrong_length(*length, value);
  if (std::holds_alternative<exists_rule>(rule))
    return value.is_null() ? "must not be null" : "";
  if (std::holds_alternative<positive_integer_rule>(rule)) {
    const bool positive = value.is_uint64()
                          || (value.is_int64() && value.get_int64() > 0);
    return positive ? "" : "must be an integer above 0";
  }
  const auto* text = value.if_string();
  return text == nullptr
           ? "must be a text"
           : std::visit(text_judge{{text->data(), text->size()}}, rule);
}

} // namespace convene::protocol
