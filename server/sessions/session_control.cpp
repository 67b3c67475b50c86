// What the sessions of a host are told while they run.

#include <convene/server/sessions/session_host.hpp>

#include <chrono>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

protocol::error moved() {
  return {.code = errc::not_allowed,
          .message = "another node of the cluster has the session",
          .rule = std::string{session_elsewhere}};
}

/// Who is told what became of a message: also if its session's actor goes
/// before it has read it.
class message_sender {
public:
  message_sender(std::shared_ptr<event_feed> feed, std::string session_id,
                 std::function<void(result<void>)> then)
    : feed_{std::move(feed)},
      session_id_{std::move(session_id)}, then_{std::move(then)} {}

  message_sender(const message_sender&) = delete;
  message_sender& operator=(const message_sender&) = delete;

  ~message_sender() {
    if (then_ && feed_->sessions().is_closed())
      then_(
        fail(errc::not_allowed, "the server is stopping", "runtime_closing"));
    else if (then_ && feed_->sessions().is_elsewhere(session_id_))
      then_(fail(moved()));
    else if (then_)
      then_(fail(errc::not_allowed, "the session has ended", "session_ended"));
  }

  /// Whoever takes it calls it.
  [[nodiscard]] std::function<void(result<void>)> take() {
    return std::exchange(then_, nullptr);
  }

private:
  const std::shared_ptr<event_feed> feed_;
  const std::string session_id_;
  std::function<void(result<void>)> then_;
};

} // namespace

std::optional<session_handle>
session_host::handle_of(const std::string& session_id) const {
  const std::lock_guard held{mutex_};
  const auto found = handles_.find(session_id);
  if (found == handles_.end())
    return std::nullopt;
  return found->second;
}

std::optional<protocol::error>
session_host::fault_of(const std::string& session_id) const {
  const auto handle = handle_of(session_id);
  if (!handle)
    return std::nullopt;
  const auto outcome = handle->await_for(std::chrono::milliseconds{0});
  if (!outcome || *outcome)
    return std::nullopt;
  return outcome->error();
}

result<session_handle>
session_host::running(const std::string& session_id) const {
  auto handle = handle_of(session_id);
  const auto row = feed_->sessions().find(session_id);
  if (!row)
    return fail(errc::unreadable, "there is no such session",
                "session_unknown");
  if (row->status == session_row::draft && !handle)
    return fail(errc::not_allowed, "the session has not been started",
                "session_not_started");
  if (!row->ended && feed_->sessions().is_elsewhere(session_id))
    return fail(moved());
  if (row->ended || !handle)
    return fail(errc::not_allowed, "the session has ended", "session_ended");
  if (auto why = fault_of(session_id))
    return fail(*std::move(why));
  return *std::move(handle);
}

result<void> session_host::tell(const std::string& session_id, control what,
                                std::string reason) {
  const auto handle = running(session_id);
  if (!handle && handle.error().rule == "session_not_started"
      && what == control::cancel)
    return drop_draft(session_id);
  if (!handle)
    return fail(handle.error());
  switch (what) {
    case control::suspend:
      handle->suspend(std::move(reason));
      break;
    case control::resume:
      handle->resume();
      break;
    case control::cancel:
      handle->cancel(std::move(reason));
      break;
    case control::stop:
      handle->stop(std::move(reason));
      break;
  }
  return {};
}

void session_host::say(const std::string& session_id, std::string participant,
                       std::string content,
                       std::function<void(result<void>)> then) {
  const auto handle = running(session_id);
  if (!handle)
    return then(fail(handle.error()));
  auto sender = std::make_shared<message_sender>(feed_, session_id,
                                                 std::move(then));
  handle->message(std::move(content), std::move(participant),
                  [feed = feed_, counts = counts_, session_id,
                   sender = std::move(sender)](result<void> taken) {
                    auto told = sender->take();
                    if (!taken)
                      return told(std::move(taken));
                    // Its event is the last one so far, or one before it.
                    const auto until = counts->of(session_id);
                    const auto tell = [feed, session_id, until, told] {
                      const auto row = feed->sessions().find(session_id);
                      if (row && (row->ended || row->events >= until))
                        return told({});
                      if (feed->sessions().is_elsewhere(session_id))
                        return told(fail(moved()));
                      told(fail(errc::not_allowed, "the server is stopping",
                                "runtime_closing"));
                    };
                    if (until == 0
                        || feed->sessions().when_more(
                             session_id, until - 1, tell,
                             session_catalog::clock::time_point::max())
                             == 0)
                      tell();
                  });
}

} // namespace convene::server
