#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace convene::protocol {
namespace {

std::string in_quotes(std::string_view text) {
  return '"' + shorten(text) + '"';
}

std::string missing_message(std::string_view name) {
  return "the member " + in_quotes(name) + " is missing: add it";
}

bool refuse_type(reading& r, const json::value& from, const place& at,
                 std::string_view wanted) {
  return r.refuse(at, "type", "write " + std::string{wanted} + " here",
                  shorten_value(from));
}

/// What stands for an absent list.
bool is_empty(const json::value& value) {
  const auto* items = value.if_array();
  return value.is_null() || (items && items->empty());
}

/// The integer that a number is, whichever way JSON spelled it.
std::optional<std::int64_t> to_integer(const json::value& from) {
  if (const auto* integer = from.if_int64())
    return *integer;
  // What is read from text is one only if it is beyond an int64; what a program
  // builds can be any.
  if (const auto* large = from.if_uint64();
      large != nullptr && std::in_range<std::int64_t>(*large))
    return static_cast<std::int64_t>(*large);
  // JSON Schema takes 1.0 for an integer as well.
  const auto* number = from.if_double();
  if (number && std::abs(*number) <= 9007199254740992.0
      && std::trunc(*number) == *number)
    return static_cast<std::int64_t>(*number);
  return std::nullopt;
}

bool refuse_bound(reading& r, const json::value& from, const place& at,
                  std::string_view rule, std::string_view wanted,
                  std::int64_t bound) {
  return r.refuse(at, rule,
                  "the number must be " + std::string{wanted} + ' '
                    + std::to_string(bound),
                  shorten_value(from));
}

/// Doubles reach beyond the bounds that stand for none.
bool check_bounds(reading& r, const json::value& from, const place& at,
                  const constraint& rule, auto number) {
  using number_type = decltype(number);
  using limits = std::numeric_limits<std::int64_t>;
  const auto minimum = static_cast<number_type>(rule.minimum);
  if (rule.above_minimum && number <= minimum)
    return refuse_bound(r, from, at, "exclusiveMinimum", "above", rule.minimum);
  if (number < minimum && rule.minimum != limits::min())
    return refuse_bound(r, from, at, "minimum", "at least", rule.minimum);
  if (number > static_cast<number_type>(rule.maximum)
      && rule.maximum != limits::max())
    return refuse_bound(r, from, at, "maximum", "at most", rule.maximum);
  return true;
}

} // namespace

std::string to_pointer(const place& at) { // NOLINT(misc-no-recursion)
  if (!at.parent)
    return std::string{at.name};
  auto path = to_pointer(*at.parent);
  append_to_pointer(path, at.index ? std::to_string(*at.index)
                                   : std::string{at.name});
  return path;
}

bool reading::refuse(const place& at, std::string_view rule,
                     std::string message, std::string value, errc code) {
  fault = error{.code = code,
                .message = std::move(message),
                .pointer = to_pointer(at),
                .rule = std::string{rule},
                .value = std::move(value)};
  return false;
}

bool read_text(reading& r, const json::value& from, const place& at,
               const constraint& rule, std::string& to) {
  const auto* text = from.if_string();
  if (!text)
    return refuse_type(r, from, at, "a string");
  to.assign(text->data(), text->size());
  if (!rule.holds || rule.holds(to))
    return true;
  return r.refuse(at, rule.keyword, "write " + std::string{rule.wanted},
                  shorten_value(from));
}

bool read_flag(reading& r, const json::value& from, const place& at, bool& to) {
  const auto* flag = from.if_bool();
  if (!flag)
    return refuse_type(r, from, at, "true or false");
  to = *flag;
  return true;
}

bool read_integer(reading& r, const json::value& from, const place& at,
                  const constraint& rule, std::int64_t& to) {
  const auto integer = to_integer(from);
  if (!integer && from.is_uint64()) // beyond every maximum of an int64
    return refuse_bound(r, from, at, "maximum", "at most", rule.maximum);
  if (!integer)
    return refuse_type(r, from, at, "a whole number");
  to = *integer;
  return check_bounds(r, from, at, rule, *integer);
}

bool read_unsigned(reading& r, const json::value& from, const place& at,
                   std::uint64_t& to) {
  if (const auto* large = from.if_uint64()) {
    to = *large;
    return true;
  }
  std::int64_t integer = 0;
  if (!read_integer(r, from, at, from_zero, integer))
    return false;
  to = static_cast<std::uint64_t>(integer);
  return true;
}

bool read_number(reading& r, const json::value& from, const place& at,
                 const constraint& rule, double& to) {
  if (!from.is_number())
    return refuse_type(r, from, at, "a number");
  to = from.to_number<double>();
  return check_bounds(r, from, at, rule, to);
}

bool read_number(reading& r, const json::value& from, const place& at,
                 const constraint& rule, json_number& to) {
  double value = 0;
  if (!read_number(r, from, at, rule, value))
    return false;
  to.held = from;
  return true;
}

bool read_object(reading& r, const json::value& from, const place& at,
                 json::object& to) {
  const auto* object = from.if_object();
  if (!object)
    return refuse_type(r, from, at, "an object");
  to = *object;
  return true;
}

bool read_object_or_null(reading& r, const json::value& from, const place& at,
                         json::value& to) {
  if (!from.is_object() && !from.is_null())
    return r.refuse(at, "anyOf", "write an object or null here",
                    shorten_value(from));
  to = from;
  return true;
}

bool read_word(reading& r, const json::value& from, const place& at,
               std::span<const std::string_view> words, std::size_t& to,
               std::span<const other_word> others) {
  const auto* text = from.if_string();
  if (!text)
    return refuse_type(r, from, at, "a string");
  const auto other = std::ranges::find(others, std::string_view{*text},
                                       &other_word::seen);
  const auto found = std::ranges::find(words, other == others.end()
                                                ? std::string_view{*text}
                                                : other->word);
  to = static_cast<std::size_t>(found - words.begin());
  if (found != words.end())
    return true;
  std::string listed;
  for (auto word : words)
    listed += (listed.empty() ? "" : ", ") + std::string{word};
  return r.refuse(at, "enum", "write one of " + listed + suggest(*text, words),
                  shorten_value(from));
}

const json::array* read_items(reading& r, const json::value& from,
                              const place& at, const constraint& rule) {
  const auto* items = from.if_array();
  if (!items) {
    refuse_type(r, from, at, "an array");
  } else if (items->size() < rule.items_min) {
    r.refuse(at, "minItems",
             "the array needs at least " + std::to_string(rule.items_min)
               + " item",
             shorten_value(from));
  } else if (items->size() > rule.items_max) {
    r.refuse(at, "maxItems",
             "the array may have at most " + std::to_string(rule.items_max)
               + " items",
             shorten_value(from), errc::limit_reached);
  } else {
    return items;
  }
  return nullptr;
}

bool check_unique(reading& r, const std::vector<std::string>& items,
                  const place& at) {
  std::vector<std::string_view> sorted(items.begin(), items.end());
  std::ranges::sort(sorted);
  const auto twice = std::ranges::adjacent_find(sorted);
  if (twice == sorted.end())
    return true;
  return r.refuse(at, "uniqueItems",
                  "the array has an item twice: remove one of them",
                  in_quotes(*twice));
}

object_reader::object_reader(reading& r, const json::value& from,
                             const place& at)
  : reading_{r}, at_{at}, object_{from.if_object()} {
  if (!object_)
    refuse_type(r, from, at, "an object");
}

const json::value* object_reader::find(std::string_view name) {
  const auto* found = object_ ? object_->if_contains(name) : nullptr;
  seen_ += found ? 1 : 0;
  return found;
}

void object_reader::open(std::string_view name, json::object& to,
                         std::initializer_list<std::string_view> required,
                         std::initializer_list<std::string_view> optional) {
  const auto was_missing = missing_;
  member(name, to);
  if (reading_.fault || missing_ != was_missing)
    return;
  const place at{&at_, name, {}};
  auto check = [&](std::string_view text, bool is_required) {
    const auto* found = to.if_contains(text);
    if (reading_.fault || (!found && !is_required))
      return;
    if (!found)
      reading_.refuse(at, "required", missing_message(text));
    else if (!found->is_string())
      refuse_type(reading_, *found, place{&at, text, {}}, "a string");
  };
  for (auto text : required)
    check(text, true);
  for (auto text : optional)
    check(text, false);
}

void object_reader::constant(std::string_view name, std::string_view value) {
  std::string written;
  member(name, written);
  if (!reading_.fault && written != value && missing_ != name)
    reading_.refuse(place{&at_, name, {}}, "const", "write " + in_quotes(value),
                    in_quotes(written));
}

void object_reader::unsupported(std::string_view name) {
  const auto* found = find(name);
  if (reading_.fault || !found || is_empty(*found)
      || (found->is_object() && found->as_object().empty()))
    return;
  reading_.refuse(place{&at_, name, {}}, name,
                  "this version does not support " + in_quotes(name)
                    + ": remove it",
                  shorten_value(*found), errc::unsupported);
}

bool object_reader::finish(std::span<const std::string_view> known) {
  for (const auto& [key, value] : *object_) {
    if (std::ranges::find(known, std::string_view{key}) != known.end())
      continue;
    if (!others_)
      return reading_.refuse(place{&at_, key, {}}, "additionalProperties",
                             unknown_member(key, known));
    others_->emplace(key, value);
  }
  return missing_.empty()
         || reading_.refuse(at_, "required", missing_message(missing_));
}

} // namespace convene::protocol
