#include <convene/server/run_sessions/node_sessions.hpp>

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

namespace convene::server {
namespace {

using protocol::result;
using session::session_ended;
using session::session_outcome;

/// The sessions that nodes wait for; true: no more, while it was beginning.
/// Thread-safe.
class watch_list {
public:
  void add(const std::string& id) {
    const std::lock_guard lock{mutex_};
    all_.emplace(id, false);
  }
  void remove(const std::string& id) {
    const std::lock_guard lock{mutex_};
    all_.erase(id);
  }
  void cancel(const std::string& id) {
    const std::lock_guard lock{mutex_};
    if (const auto found = all_.find(id); found != all_.end())
      found->second = true;
  }
  [[nodiscard]] bool is_cancelled(const std::string& id) const {
    const std::lock_guard lock{mutex_};
    const auto found = all_.find(id);
    return found != all_.end() && found->second;
  }

private:
  mutable std::mutex mutex_;
  std::map<std::string, bool> all_;
};

/// What a session is told when its run does not wait for it any more. One that
/// has ended by now needs no cancelling.
void cancel_in(session_host& in, const std::string& id) {
  static_cast<void>(in.tell(id, session_host::control::cancel,
                            "the run does not wait for it any more"));
}

/// One session that a node waits for.
class watched_session : public std::enable_shared_from_this<watched_session> {
public:
  watched_session(session_host& in, std::shared_ptr<watch_list> all,
                  session::start_session what, std::string key,
                  run_sessions::when_ended then)
    : in_{in}, all_{std::move(all)}, what_{std::move(what)},
      key_{std::move(key)}, then_{std::move(then)} {
    all_->add(what_.session_id);
  }

  /// Begins it, unless it is there.
  void begin() {
    if (in_.events()->sessions().find(what_.session_id))
      return follow();
    const auto taken = in_.create(
      named(),
      [self = shared_from_this()](const result<session_row>& made) {
        // One that is there after all was begun before a restart.
        if (!made && made.error().rule != "session_id")
          return self->fail(made.error().message);
        if (self->all_->is_cancelled(self->what_.session_id))
          cancel_in(self->in_, self->what_.session_id);
        self->follow();
      },
      key_);
    if (!taken)
      fail("the server has too much to do to begin a session");
  }

private:
  /// The scenario, with the session's id.
  [[nodiscard]] boost::json::object named() const {
    auto scenario = what_.scenario;
    auto& collab = scenario["collab"];
    if (!collab.is_object())
      collab.emplace_object();
    collab.get_object()["collab_id"] = what_.session_id;
    return scenario;
  }

  /// Waits for its end, which is as durable as all that a server tells.
  void follow() {
    auto& all = in_.events()->sessions();
    for (;;) {
      const auto row = all.find(what_.session_id);
      if (!row)
        return fail("the session is not on the server's log");
      if (row->ended)
        return finish(row->status);
      const auto waits = all.when_more(
        what_.session_id, row->events,
        [self = shared_from_this()] { self->follow(); },
        session_catalog::clock::time_point::max());
      if (waits != 0 || all.is_closed())
        return;
    }
  }

  /// The result is read when there is room for it: a node that went on without
  /// it could not be told from one whose session left none.
  void finish(const std::string& status) {
    in_.look_in_turn(what_.session_id, [self = shared_from_this(),
                                        status](const result<void>& seen,
                                                const session_view* view) {
      if (!seen)
        return self->fail(seen.error().message);
      const auto* left = view->documents();
      self->end(status == "completed" ? session_outcome::completed
                                      : session_outcome::cancelled,
                left != nullptr ? left->result : boost::json::object{}, "");
    });
  }

  void fail(std::string why) {
    end(session_outcome::failed, {}, std::move(why));
  }

  void end(session_outcome how, boost::json::object result,
           std::string message) {
    all_->remove(what_.session_id);
    then_({.node_id = what_.node_id,
           .session_id = what_.session_id,
           .outcome = how,
           .result = std::move(result),
           .message = std::move(message)});
  }

  session_host& in_;
  const std::shared_ptr<watch_list> all_;
  const session::start_session what_;
  const std::string key_;
  const run_sessions::when_ended then_;
};

} // namespace

run_sessions node_sessions(session_host& in) {
  const auto all = std::make_shared<watch_list>();
  return {.start =
            [&in, all](const session::start_session& what,
                       const std::string& key, run_sessions::when_ended then) {
              std::make_shared<watched_session>(in, all, what, key,
                                                std::move(then))
                ->begin();
            },
          .cancel =
            [&in, all](const std::string& session_id) {
              all->cancel(session_id);
              cancel_in(in, session_id);
            },
          .goes_on =
            [&in](const std::string& session_id) {
              const auto row = in.events()->sessions().find(session_id);
              return row && !row->ended && row->status != session_row::draft;
            }};
}

} // namespace convene::server
