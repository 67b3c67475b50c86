#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/otlp/span.hpp>

#include <algorithm>
#include <utility>

namespace convene::protocol {
namespace {

/// Texts that an array attribute keeps.
constexpr std::size_t array_texts_max = 64;

} // namespace

std::string span_name(std::string_view operation, std::string_view of) {
  auto name = std::string{operation};
  if (!of.empty())
    (name += ' ') += cut_utf8(of, span_name_bytes_max);
  return name;
}

usage usage_in(const json::object& from) noexcept {
  const auto& what = object_of(from, "usage");
  const auto count = [&what](std::string_view name) {
    return std::max<std::int64_t>(integer_of(what, name).value_or(0), 0);
  };
  return {.prompt_tokens = count("prompt_tokens"),
          .completion_tokens = count("completion_tokens"),
          .cost_microusd = count("cost_microusd")};
}

void set_text(json::object& attributes, std::string_view name,
              std::string_view text) {
  if (!text.empty())
    attributes.insert_or_assign(name, cut_utf8(text, span_text_bytes_max));
}

void set_value(json::object& attributes, std::string_view name,
               const json::value& value) {
  if (value.is_string())
    return set_text(attributes, name, std::string_view{value.get_string()});
  if (value.is_bool() || value.is_int64() || value.is_double())
    attributes.insert_or_assign(name, value);
  if (!value.is_array())
    return;
  json::array texts;
  for (const auto& each : value.get_array())
    if (each.is_string() && texts.size() < array_texts_max)
      texts.emplace_back(cut_utf8(each.get_string(), span_text_bytes_max));
  attributes.insert_or_assign(name, std::move(texts));
}

void copy_members(json::object& attributes, const json::object& from,
                  const std::vector<std::string_view>& members) {
  for (const auto member : members)
    if (const auto* value = from.if_contains(member))
      set_value(attributes, "mplp." + std::string{member}, *value);
}

} // namespace convene::protocol
