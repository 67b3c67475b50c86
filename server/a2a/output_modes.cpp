#include <boost/json/array.hpp>
#include <convene/protocol/base/ascii.hpp>
#include <convene/server/a2a/output_modes.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace convene::server {
namespace {

constexpr std::array text_modes{"text/plain", "text/*", "*/*", "*",
                                "text"}; // the last one from before A2A 0.3
constexpr std::array data_modes{"application/json", "application/*", "*/*",
                                "*"};

/// A media type without its parameters, in lower case.
std::string type_alone(std::string_view mode) {
  mode = mode.substr(0, mode.find(';'));
  std::string made;
  for (const char c : mode)
    if (!protocol::is_json_space(c))
      made += protocol::is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
  return made;
}

tl::unexpected<protocol::error>
refuse_modes(std::string pointer, std::string message, std::string code) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = std::move(code)});
}

} // namespace

protocol::result<std::optional<output_modes>>
read_output_modes(const boost::json::value& from, std::string_view pointer) {
  if (from.is_null())
    return std::nullopt;
  const auto* list = from.if_array();
  if (list == nullptr)
    return refuse_modes(std::string{pointer}, "must be a list of media types",
                        "invalid_params");
  if (list->empty())
    return std::nullopt;
  output_modes made{.text = false, .data = false};
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* mode = (*list)[i].if_string();
    if (mode == nullptr)
      return refuse_modes(std::string{pointer} + '/' + std::to_string(i),
                          "must be a text", "invalid_params");
    const auto type = type_alone(*mode);
    made.text = made.text
                || std::ranges::find(text_modes, type) != text_modes.end();
    made.data = made.data
                || std::ranges::find(data_modes, type) != data_modes.end();
  }
  if (!made.text && !made.data)
    return refuse_modes(std::string{pointer},
                        "this agent answers with text/plain and "
                        "application/json: accept one of them",
                        "content_type_not_supported");
  return made;
}

std::string_view word_of(output_modes modes) noexcept {
  if (modes.text && modes.data)
    return {};
  return modes.text ? "text" : "data";
}

output_modes output_modes_of(std::string_view word) noexcept {
  return {.text = word != "data", .data = word != "text"};
}

} // namespace convene::server
