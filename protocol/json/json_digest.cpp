#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/json/json_digest.hpp>
#include <convene/protocol/json/plain_text.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::protocol {
namespace {

namespace json = boost::json;

template <class Number>
void add_number(std::string& to, Number value) {
  char text[32];
  to.append(text, std::to_chars(text, text + sizeof text, value).ptr);
}

/// A string is what most of it is, mostly without escapes.
void add_text(std::string& to, std::string_view text) {
  bool wide = false;
  const auto* const end = text.data() + text.size();
  if (skip_plain(text.data(), end, wide) != end) {
    to += json::serialize(json::string_view{text.data(), text.size()});
    return;
  }
  to += '"';
  to += text;
  to += '"';
}

/// As an integer, if it is one of those that JSON text is read as.
void add_real(std::string& to, double value) {
  constexpr double end = 18446744073709551616.0;
  constexpr double begin = -9223372036854775808.0;
  if (value != std::trunc(value) || value < begin || value >= end)
    add_number(to, value);
  else if (value < 0)
    add_number(to, static_cast<std::int64_t>(value));
  else
    add_number(to, static_cast<std::uint64_t>(value));
}

// NOLINTNEXTLINE(misc-no-recursion)
void add_canonical(std::string& to, const json::value& what) {
  char before = '[';
  if (const auto* array = what.if_array(); array && !array->empty()) {
    for (const auto& item : *array) {
      to += std::exchange(before, ',');
      add_canonical(to, item);
    }
    to += ']';
  } else if (const auto* object = what.if_object();
             object && !object->empty()) {
    std::vector<const json::key_value_pair*> members;
    members.reserve(object->size());
    for (const auto& each : *object)
      members.push_back(&each);
    std::ranges::sort(members, {}, [](const auto* each) {
      return std::string_view{each->key()};
    });
    before = '{';
    for (const auto* each : members) {
      to += std::exchange(before, ',');
      add_text(to, each->key());
      to += ':';
      add_canonical(to, each->value());
    }
    to += '}';
  } else if (const auto* text = what.if_string()) {
    add_text(to, {text->data(), text->size()});
  } else if (const auto* real = what.if_double()) {
    add_real(to, *real);
  } else if (const auto* number = what.if_int64()) {
    add_number(to, *number);
  } else {
    to += json::serialize(what);
  }
}

} // namespace

std::string json_sha256(const json::value& what) {
  std::string text;
  add_canonical(text, what);
  return hex_of(sha256(text));
}

std::string start_digest(boost::json::value rules,
                         boost::json::value rules_since,
                         boost::json::value spec) {
  return json_sha256(
    boost::json::object{{"rules", std::move(rules)},
                        {"rules_since", std::move(rules_since)},
                        {"spec", std::move(spec)}});
}

} // namespace convene::protocol
