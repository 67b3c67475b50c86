#include <convene/protocol/json/json_text.hpp>
#include <convene/session/spec/refusal.hpp>

#include <utility>

namespace convene::session {

tl::unexpected<protocol::error>
refuse_start(std::string rule, std::string pointer, std::string message,
             std::string_view value) {
  return protocol::fail({.code = protocol::errc::activation_refused,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = std::move(rule),
                         .value = protocol::shorten(value)});
}

} // namespace convene::session
