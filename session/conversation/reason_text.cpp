#include <convene/protocol/json/json_text.hpp>
#include <convene/session/conversation/reason_text.hpp>

namespace convene::session {

std::string reason_text(std::string_view given, std::size_t most) {
  // Cleaned, it may be longer; nothing after this part of it is written.
  auto made = protocol::sanitize_utf8(std::string{given.substr(0, most + 4)});
  if (made.size() <= most)
    return made;
  auto end = most;
  while ((static_cast<unsigned char>(made[end]) & 0xc0U) == 0x80)
    --end;
  made.resize(end);
  return made;
}

} // namespace convene::session
