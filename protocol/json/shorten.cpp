#include <boost/json/serialize.hpp>
#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/json_text.hpp>

namespace convene::protocol {
namespace {

constexpr std::size_t shortened_max = 60;

std::string shorten_to(std::size_t bytes, std::string_view text) {
  auto shown = sanitize_utf8(std::string{text.substr(0, bytes + 4)});
  for (char& c : shown)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = ' ';
  if (text.size() <= bytes && shown.size() <= bytes)
    return shown;
  return std::string{cut_utf8(shown, bytes - 3)} + "...";
}

std::string counted(std::size_t count, std::string_view noun) {
  return std::to_string(count) + ' ' + std::string{noun}
         + (count == 1 ? "" : "s");
}

} // namespace

std::string shorten(std::string_view text) {
  return shorten_to(shortened_max, text);
}

std::string shorten_value(const json::value& what) {
  if (const auto* array = what.if_array())
    return "an array of " + counted(array->size(), "item");
  if (const auto* object = what.if_object())
    return "an object of " + counted(object->size(), "member");
  if (const auto* text = what.if_string())
    return '"' + shorten_to(shortened_max - 2, *text) + '"';
  auto number_or_word = pretty(what);
  number_or_word.pop_back();
  return number_or_word;
}

} // namespace convene::protocol
