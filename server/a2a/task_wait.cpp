#include <convene/server/a2a/task_wait.hpp>

#include <utility>

namespace convene::server {

bool can_be_shown(session_catalog& sessions, const task_view& one) {
  if (!is_over(one.status.state))
    return true;
  const auto row = sessions.find(one.id);
  return row && row->ended;
}

void task_wait::run() {
  auto& sessions = feed_->sessions();
  for (;;) {
    // Asked first: what is not there then will be told of.
    const bool closed = sessions.is_closed_for(id_);
    const auto row = sessions.find(id_);
    const auto events = row ? row->events : 0;
    const auto now = tasks_->find(id_);
    if (now
        && ((is_met_(*now) && can_be_shown(sessions, *now)) || closed
            || clock::now() > expires_))
      return then_(*now);
    if (!now && (closed || events > 0))
      return then_({.id = id_});
    const auto number = sessions.when_more(
      id_, events,
      [self = shared_from_this()] {
        // Not on the thread of who tells.
        if (!self->feed_->run([self] { self->run(); }))
          self->run();
      },
      expires_);
    if (number != 0)
      return;
  }
}

} // namespace convene::server
