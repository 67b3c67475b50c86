#include "yaml_writer.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <vector>

namespace convene::tests {
namespace {

namespace json = boost::json;

const std::vector<std::string> parts{"no",
                                     "null",
                                     "True",
                                     "012",
                                     "1e3",
                                     "0x1F",
                                     ".inf",
                                     "~",
                                     "yes",
                                     "a",
                                     ": ",
                                     " #",
                                     "- ",
                                     "? ",
                                     "'",
                                     "\"",
                                     "\\",
                                     "{",
                                     "]",
                                     ",",
                                     "&a ",
                                     "*a",
                                     "!t ",
                                     "|",
                                     "%",
                                     "@",
                                     " ",
                                     "\t",
                                     "\n",
                                     "word",
                                     "--- ",
                                     "...",
                                     "<<",
                                     "=",
                                     "\xc3\xa9",
                                     "\xf0\x9f\x98\x80",
                                     "\r",
                                     "1:30",
                                     std::string(1, '\0'),
                                     "\x7f",
                                     "\x1b",
                                     "\xc2\x85",
                                     "\xe2\x80\xa8",
                                     "\n\n "};

/// Whether YAML has the text without an escape.
bool is_plain_line(std::string_view text) {
  return text.find("\xc2\x85") == text.npos
         && text.find("\xe2\x80\xa8") == text.npos
         && std::ranges::all_of(text, [](char c) {
              return (c >= ' ' && c != '\x7f') || c == '\t' || (c & 0x80) != 0;
            });
}

std::string double_quoted(std::string_view text) {
  std::string made = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (text.substr(i).starts_with("\xc2\x85")
        || text.substr(i).starts_with("\xe2\x80\xa8")) {
      made += c == '\xc2' ? "\\N" : "\\L";
      i += c == '\xc2' ? 1 : 2;
    } else if (c == '"' || c == '\\') {
      made.append(1, '\\').append(1, c);
    } else if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') {
      constexpr std::string_view digits = "0123456789abcdef";
      made.append("\\x").append(1, digits[static_cast<std::size_t>(c >> 4)]);
      made += digits[static_cast<std::size_t>(c & 15)];
    } else {
      made += c;
    }
  }
  return made + '"';
}

std::string single_quoted(std::string_view text) {
  std::string made = "'";
  for (const char c : text)
    made.append(c == '\'' ? 2 : 1, c);
  return made + '\'';
}

/// Whether the text may be in a literal block.
bool is_literal(const std::string& text) {
  auto one_line = text;
  std::ranges::replace(one_line, '\n', ' ');
  return !text.empty() && is_plain_line(one_line)
         && text.find_first_not_of('\n') != text.npos;
}

std::string literal(const std::string& text, std::size_t indent) {
  std::string made = text.ends_with('\n') ? "|2+\n" : "|2-\n";
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    made.append(indent, ' ').append(text, begin, end - begin).append(1, '\n');
    begin = end + 1;
  }
  return made;
}

} // namespace

std::string yaml_writer::random_text() {
  std::string text;
  for (auto left = dice_.below(5); left > 0; --left)
    text += dice_.one_of(parts);
  return text;
}

json::value yaml_writer::random_object(int depth) {
  json::object made;
  for (auto left = dice_.below(5); left > 0; --left)
    made[random_text()] = random_value(depth + 1);
  return made;
}

json::value yaml_writer::random_value(int depth) {
  constexpr int depth_max = 4;
  switch (dice_.below(depth < depth_max ? 9 : 6)) {
    case 0:
      return nullptr;
    case 1:
      return dice_.chance(50);
    case 2:
      return -static_cast<std::int64_t>(dice_.below(1U << 20));
    case 3:
      return std::uint64_t{18'000'000'000'000'000'000U} + dice_.below(9);
    case 4:
      return dice_.below(1U << 20) / 1024.0;
    case 5:
    case 6:
      return json::value(random_text());
    case 7:
      return random_object(depth);
    default: {
      json::array made;
      for (auto left = dice_.below(4); left > 0; --left)
        made.push_back(random_value(depth + 1));
      return made;
    }
  }
}

std::string yaml_writer::text_in_flow(const std::string& text) {
  return is_plain_line(text) && dice_.chance(50) ? single_quoted(text)
                                                 : double_quoted(text);
}

std::string yaml_writer::flow(const json::value& what) {
  const auto space = [this] { return dice_.chance(30) ? "\n " : " "; };
  std::string made;
  if (const auto* object = what.if_object()) {
    for (const auto& [key, value] : *object)
      made.append(made.empty() ? "" : ",")
        .append(space())
        .append(text_in_flow(std::string{key}))
        .append(": ")
        .append(flow(value));
    return '{' + made + space() + '}';
  }
  if (const auto* array = what.if_array()) {
    for (const auto& value : *array)
      made.append(made.empty() ? "" : ",").append(space()).append(flow(value));
    return '[' + made + " ]";
  }
  return what.is_string() ? text_in_flow(std::string{what.get_string()})
                          : json::serialize(what);
}

void yaml_writer::write_block(std::string& to, const json::value& what,
                              std::size_t indent) {
  const auto begin_line = [&] { to.append(1, '\n').append(indent, ' '); };
  const auto* object = what.if_object();
  const auto* array = what.if_array();
  if (object != nullptr && !object->empty()) {
    for (const auto& [key, value] : *object) {
      begin_line();
      to += text_in_flow(std::string{key}) + ": ";
      write_block(to, value, indent + 2);
    }
  } else if (array != nullptr && !array->empty()) {
    for (const auto& value : *array) {
      begin_line();
      to += "- ";
      write_block(to, value, indent + 2);
    }
  } else if (const auto* text = what.if_string();
             text != nullptr && is_literal(std::string{*text})
             && dice_.chance(50)) {
    to += literal(std::string{*text}, indent);
    to.pop_back(); // the next line begins with one
  } else {
    to += flow(what);
  }
}

std::string yaml_writer::block(const json::value& what) {
  std::string made = "# a comment";
  if (what.get_object().empty())
    made += '\n';
  write_block(made, what, 0);
  return made + '\n';
}

} // namespace convene::tests
