#include <boost/json/serialize.hpp>
#include <convene/protocol/json/json_line.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <charconv>
#include <cmath>

namespace convene::protocol {
namespace {

/// Shortest text that reads back as the same double, and as a double.
void append_double(std::string& to, double value) {
  if (!std::isfinite(value)) {
    to += "null";
    return;
  }
  char text[32];
  const auto end = std::to_chars(text, text + sizeof text, value).ptr;
  const std::string_view shown{text, static_cast<std::size_t>(end - text)};
  to += shown;
  if (shown.find_first_of(".e") == std::string_view::npos)
    to += ".0";
}

/// How a value is laid out.
enum class layout : bool { line, page };

void append_break(std::string& to, layout how, std::size_t depth) {
  if (how == layout::line)
    return;
  to += '\n';
  to.append(2 * depth, ' ');
}

void append(std::string& to, const json::value& what, layout how,
            std::size_t depth) {
  std::size_t count = 0;
  if (const auto* array = what.if_array(); array && !array->empty()) {
    for (const auto& item : *array) {
      to += count++ == 0 ? "[" : ",";
      append_break(to, how, depth + 1);
      append(to, item, how, depth + 1);
    }
    append_break(to, how, depth);
    to += ']';
  } else if (const auto* object = what.if_object();
             object && !object->empty()) {
    for (const auto& [name, member] : *object) {
      to += count++ == 0 ? "{" : ",";
      append_break(to, how, depth + 1);
      to += json::serialize(json::string_view{name});
      to += how == layout::line ? ":" : ": ";
      append(to, member, how, depth + 1);
    }
    append_break(to, how, depth);
    to += '}';
  } else if (const auto* number = what.if_double()) {
    append_double(to, *number);
  } else {
    to += json::serialize(what);
  }
}

} // namespace

std::string pretty(const json::value& what) {
  std::string text;
  append(text, what, layout::page, 0);
  text += '\n';
  return text;
}

std::string one_line(const json::value& what) {
  std::string text;
  append(text, what, layout::line, 0);
  return text;
}

} // namespace convene::protocol
