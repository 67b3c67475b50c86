#include <boost/json/serialize.hpp>
#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/codec/text_writer.hpp>

#include <cmath>

namespace convene::protocol {
namespace {

constexpr int depth_max = 32;

bool write_value(json_writer& out, // NOLINT(misc-no-recursion)
                 const json::value& from, int depth_left);

bool write_object(json_writer& out, // NOLINT(misc-no-recursion)
                  const json::object& from, int depth_left) {
  bool sound = true;
  bool first = true;
  out.raw("{");
  for (const auto& [key, value] : from) {
    out.raw(first ? "" : ",").string(key).raw(":");
    first = false;
    sound = write_value(out, value, depth_left) && sound;
  }
  out.raw("}");
  return sound;
}

bool write_array(json_writer& out, // NOLINT(misc-no-recursion)
                 const json::array& from, int depth_left) {
  bool sound = true;
  bool first = true;
  out.raw("[");
  for (const auto& value : from) {
    out.raw(first ? "" : ",");
    first = false;
    sound = write_value(out, value, depth_left) && sound;
  }
  out.raw("]");
  return sound;
}

bool write_value(json_writer& out, // NOLINT(misc-no-recursion)
                 const json::value& from, int depth_left) {
  if (depth_left == 0) {
    out.raw("null");
    return false;
  }
  if (const auto* object = from.if_object())
    return write_object(out, *object, depth_left - 1);
  if (const auto* array = from.if_array())
    return write_array(out, *array, depth_left - 1);
  if (const auto* text = from.if_string()) {
    out.string(*text);
    return true;
  }
  if (const auto* number = from.if_int64()) {
    out.number(*number);
    return true;
  }
  if (from.is_null() || from.is_bool()) {
    out.raw(std::string_view{from.is_null()    ? "null"
                             : from.get_bool() ? "true"
                                               : "false"});
    return true;
  }
  out.raw(std::string_view{json::serialize(from)});
  const auto* number = from.if_double();
  return number == nullptr || std::isfinite(*number);
}

template <class Number>
bool in_bounds(Number number, const constraint& rule) {
  const auto minimum = static_cast<Number>(rule.minimum);
  return number >= minimum && !(rule.above_minimum && number == minimum)
         && number <= static_cast<Number>(rule.maximum);
}

} // namespace

bool write_sound_value(json_writer& out, const json::value& from) {
  return write_value(out, from, depth_max);
}

bool write_text(json_writer& out, std::string_view from,
                const constraint& rule) {
  out.string(from);
  return rule.holds == nullptr || rule.holds(from);
}

bool write_integer(json_writer& out, std::int64_t from,
                   const constraint& rule) {
  out.number(from);
  return in_bounds(from, rule);
}

bool write_number(json_writer& out, double from, const constraint& rule) {
  return write_sound_value(out, json::value(from)) && in_bounds(from, rule);
}

bool all_differ(const std::vector<std::string>& items) {
  reading r;
  return check_unique(r, items, place{});
}

bool has_texts(const json::object& from,
               std::initializer_list<std::string_view> required,
               std::initializer_list<std::string_view> optional) {
  const auto is_text = [&](std::string_view name, bool absent) {
    const auto* found = from.if_contains(name);
    return found != nullptr ? found->is_string() : absent;
  };
  bool all = true;
  for (auto name : required)
    all = is_text(name, false) && all;
  for (auto name : optional)
    all = is_text(name, true) && all;
  return all;
}

} // namespace convene::protocol
