#include <convene/protocol/json/json_text.hpp>
#include <convene/server/sessions/story_view.hpp>

namespace convene::server {

void story_view::feed(std::string_view line) {
  ++events_;
  if (const auto event = protocol::parse_json(line);
      event && event->is_object())
    story_.add(event->get_object());
}

} // namespace convene::server
