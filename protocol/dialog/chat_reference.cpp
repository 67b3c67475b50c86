#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/base/sha256.hpp>
#include <convene/protocol/dialog/chat_reference.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <array>

namespace convene::protocol {
namespace {

constexpr std::size_t shown_bytes_max = 2'048;

/// Members that say which image or file it is, or of which form; then those
/// that hold it.
constexpr std::array reference_members
  = {"url",      "image_url", "video_url",  "file_url",  "file_id", "id",
     "filename", "title",     "media_type", "mime_type", "format",  "detail"};
constexpr std::array data_members = {"data", "file_data"};

std::string of_length(std::string_view text) {
  return std::to_string(text.size()) + " bytes, sha256 " + hex_of(sha256(text));
}

/// "data:image/png;base64", or nothing if the text is no such URL.
std::string_view data_head(std::string_view text) {
  constexpr std::string_view scheme = "data:";
  const auto is_same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
  if (!std::ranges::equal(text.substr(0, scheme.size()), scheme, is_same))
    return {};
  return text.substr(0, text.find(','));
}

/// Adds what the object's own members say.
void describe(const json::object& of, named_part& to) {
  for (const auto* name : reference_members) {
    const auto value = text_of(of, name);
    if (value.empty())
      continue;
    if (const auto head = data_head(value); !head.empty()) {
      to.has_data = true;
      to.text += ' ' + one_word(shorten(head)) + ", " + of_length(value);
    } else if (value.size() > shown_bytes_max) {
      to.has_data = true;
      to.text += ' ' + one_word(value) + ", " + of_length(value);
    } else {
      to.text += ' ' + one_word(value);
    }
  }
  for (const auto* name : data_members)
    if (const auto value = text_of(of, name); !value.empty()) {
      to.has_data = true;
      const auto head = data_head(value);
      to.text += ' ' + (head.empty() ? "" : one_word(shorten(head)) + ", ")
                 + of_length(value);
    }
}

/// "image" of "input_image", "image_url" and "image_file".
std::string_view kind_of(std::string_view type) {
  for (const std::string_view before : {"input_", "output_"})
    if (type.starts_with(before))
      type.remove_prefix(before.size());
  for (const std::string_view behind : {"_url", "_file"})
    if (type.ends_with(behind))
      type.remove_suffix(behind.size());
  return type;
}

} // namespace

std::string one_word(std::string_view text) {
  const bool is_word = !text.empty() && text.size() <= shown_bytes_max
                       && std::ranges::all_of(text, [](char c) {
                            return c > ' ' && c <= '~' && c != '[' && c != ']';
                          });
  return is_word ? std::string{text}
                 : json::serialize(json::string{shorten(text)});
}

named_part chat_reference(std::string_view type, const json::object& part) {
  named_part made{.kind = one_word(kind_of(type))};
  made.text = '[' + made.kind;
  describe(part, made);
  for (const auto name : {type, std::string_view{"source"}})
    if (const auto& inner = object_of(part, name); !inner.empty())
      describe(inner, made);
  made.text += ']';
  return made;
}

} // namespace convene::protocol
