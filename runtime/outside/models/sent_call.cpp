#include <convene/protocol/base/ascii.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/models/sent_call.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {

bool is_sendable(std::string_view arguments) {
  const auto read = protocol::parse_json(arguments);
  return read && read->is_object();
}

protocol::json::object sendable_arguments(std::string_view arguments) {
  auto read = protocol::parse_json(arguments);
  if (read && read->is_object())
    return std::move(read->get_object());
  return {};
}

std::string sendable_name(std::string_view name) {
  constexpr std::size_t name_bytes_max = 64;
  std::string to{name.substr(0, name_bytes_max)};
  std::ranges::replace_if(
    to, [](char c) { return !protocol::is_alnum(c) && c != '_' && c != '-'; },
    '_');
  return to.empty() ? "unknown" : to;
}

} // namespace convene::host
