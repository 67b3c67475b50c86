// What the sessions of a host show of themselves.

#include <convene/server/sessions/session_host.hpp>

#include <utility>

namespace convene::server {

using protocol::result;

namespace {

template <class View>
std::function<void()>
looking(std::shared_ptr<session_views<View>> views, std::string session_id,
        std::function<void(result<void>, const View*)> to) {
  return [views = std::move(views), session_id = std::move(session_id),
          to = std::move(to)] {
    auto done = views->look(session_id,
                            [&](const View& view) { to({}, &view); });
    if (!done)
      to(std::move(done), nullptr);
  };
}

} // namespace

bool session_host::look(
  const std::string& session_id,
  std::function<void(result<void>, const session_view*)> to) {
  return feed_->run(looking(views_, session_id, std::move(to)));
}

void session_host::look_in_turn(
  const std::string& session_id,
  std::function<void(result<void>, const session_view*)> to) {
  feed_->run_in_turn(looking(views_, session_id, std::move(to)));
}

bool session_host::look_at_story(
  const std::string& session_id,
  std::function<void(result<void>, const story_view*)> to) {
  return feed_->run(looking(stories_, session_id, std::move(to)));
}

} // namespace convene::server
