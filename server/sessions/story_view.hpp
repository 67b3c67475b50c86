#pragma once

#include <convene/session/story/session_story.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace convene::server {

/// What happened in a session so far. Costs as much as the events that are new.
class story_view {
public:
  explicit story_view(const std::string& id) : story_{id} {}

  /// The session's next event.
  void feed(std::string_view line);

  [[nodiscard]] std::uint64_t events() const noexcept {
    return events_;
  }
  [[nodiscard]] const session::session_story& story() const noexcept {
    return story_;
  }

private:
  session::session_story story_;
  std::uint64_t events_ = 0;
};

} // namespace convene::server
