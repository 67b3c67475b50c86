#include <convene/bindings/c/session_watch.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <array>

namespace convene::c_api {
namespace {

/// Most events have nothing of what is kept; reading them would take longer
/// than all else.
bool may_matter(std::string_view line) {
  constexpr std::array<std::string_view, 5> words{
    R"("failed")", R"("timed_out")", "MAPConflict", "write_refused",
    "session_input"};
  return std::ranges::any_of(words, [line](std::string_view word) {
    return line.find(word) != std::string_view::npos;
  });
}

} // namespace

void session_watch::note(std::string_view lines) {
  const std::lock_guard held{mutex_};
  while (!lines.empty()) {
    const auto end = std::min(lines.find('\n'), lines.size() - 1);
    note_line(lines.substr(0, end));
    lines.remove_prefix(end + 1);
  }
}

void session_watch::note_line(std::string_view line) {
  ++events_;
  if (!may_matter(line))
    return;
  const auto event = protocol::parse_json(line);
  if (!event || !event->is_object())
    return;
  failures_.add(event->get_object());
  if (protocol::text_of(event->get_object(), "event_type") == "session_input") {
    const auto input = protocol::text_of(
      protocol::object_of(event->get_object(), "payload"), "input");
    if (input == "suspend" || input == "resume")
      is_suspended_ = input == "suspend";
  }
}

std::uint64_t session_watch::events() const {
  const std::lock_guard held{mutex_};
  return events_;
}

bool session_watch::is_suspended() const {
  const std::lock_guard held{mutex_};
  return is_suspended_;
}

host::turn_failures session_watch::failures() const {
  const std::lock_guard held{mutex_};
  return failures_;
}

} // namespace convene::c_api
