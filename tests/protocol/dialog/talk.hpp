#pragma once

#include <convene/protocol/dialog/messages.hpp>

#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

namespace convene::protocol {

inline constexpr auto noon = "2026-01-31T12:00:00.000Z";

inline dialog active_dialog() {
  return start_dialog({.dialog_id = "11111111-1111-4111-8111-111111111111",
                       .context_id = "22222222-2222-4222-8222-222222222222",
                       .thread_id = "33333333-3333-4333-8333-333333333333",
                       .system_prompt = "Be brief.",
                       .at = parse_timestamp(noon).value()});
}

/// Messages of these roles and texts.
inline std::vector<dialog_message>
talk(std::initializer_list<std::pair<message_role, std::string>> said) {
  std::vector<dialog_message> all;
  for (const auto& [role, content] : said)
    all.push_back({.role = role, .content = content, .timestamp = noon});
  return all;
}

} // namespace convene::protocol
