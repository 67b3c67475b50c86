#pragma once

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace convene::protocol {

namespace json = boost::json;

/// A part of a chat's message that is not text, as a line of text.
struct named_part {
  std::string kind;      ///< such as "image"
  std::string text;      ///< "[image https://...]"
  bool has_data = false; ///< which the text only describes
};

/// Refers to an image, a file or another part of this type by its URLs, ids,
/// names and forms. Data in it, a URL that holds data, and what is longer than
/// 2,048 bytes are described by their beginning, length and SHA-256.
[[nodiscard]] named_part chat_reference(std::string_view type,
                                        const json::object& part);

/// A name, an id or a URL within a line: in quotes, unless it is a word
/// without brackets.
[[nodiscard]] std::string one_word(std::string_view text);

} // namespace convene::protocol
