#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/data/stored_sessions/stored_sessions.hpp>
#include <convene/runtime/session_archive.hpp>
#include <convene/runtime/session_documents.hpp>

#include <utility>

namespace convene::host {

using protocol::errc;
using protocol::fail;
using protocol::result;
using protocol::role;

namespace {

/// Ended sessions that wait for the store; then the next one to end waits.
constexpr std::size_t waiting_max = 1'000;

/// The Roles of the scenario in a MAPSessionStarted.
std::vector<role> roles_in(std::string_view line) {
  std::vector<role> all;
  const auto event = protocol::parse_json(line);
  if (!event || !event->is_object())
    return all;
  const auto& payload = protocol::object_of(event->get_object(), "payload");
  const auto* roles = protocol::object_of(payload, "spec").if_contains("roles");
  if (roles != nullptr && roles->is_array())
    for (const auto& each : roles->get_array())
      if (auto made = protocol::decode<role>(each))
        all.push_back(*std::move(made));
  return all;
}

} // namespace

session_archive::session_archive(std::shared_ptr<state_store> into)
  : into_{std::move(into)}, thread_{[this] { work(); }} {
  // nop
}

session_archive::~session_archive() {
  {
    const std::lock_guard held{mutex_};
    is_closing_ = true;
  }
  news_.notify_all();
  thread_.join();
}

void session_archive::see(std::string_view session_id, std::string_view lines) {
  std::shared_ptr<seen> of;
  {
    const std::lock_guard held{mutex_};
    const auto found = running_.find(session_id);
    of = found != running_.end()
           ? found->second
           : running_.emplace(session_id, std::make_shared<seen>())
               .first->second;
  }
  const std::lock_guard held{of->mutex};
  if (!of->roles) {
    auto rest = lines;
    of->roles = roles_in(protocol::cut_line(rest));
  }
  of->trace.add(lines);
}

void session_archive::ended(const session_result& how) {
  std::unique_lock held{mutex_};
  auto found = running_.extract(how.collab.collab_id);
  if (!found || failure_)
    return;
  news_.wait(held, [this] { return waiting_.size() < waiting_max; });
  waiting_.push_back({how, std::move(found.mapped())});
  ++given_;
  news_.notify_all();
}

void session_archive::forget(const std::string& session_id) {
  const std::lock_guard held{mutex_};
  running_.erase(session_id);
}

result<void> session_archive::flush() {
  std::unique_lock held{mutex_};
  news_.wait(held, [this, upto = given_] { return stored_ >= upto; });
  return failure_ ? fail(*failure_) : result<void>{};
}

result<void> session_archive::close(const std::filesystem::path& log) {
  auto done = flush();
  {
    const std::lock_guard held{mutex_};
    if (!done || log.empty() || std::exchange(has_events_, true))
      return done;
  }
  note(store_events(*into_, log));
  return flush();
}

void session_archive::work() {
  std::unique_lock held{mutex_};
  for (;;) {
    news_.wait(held, [this] { return !waiting_.empty() || is_closing_; });
    if (waiting_.empty())
      return;
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    const bool goes_on = !failure_;
    held.unlock();
    if (goes_on) {
      result<void> done;
      if (const auto threw = actors::catch_error([&] { done = store(next); }))
        done = fail(errc::internal, "the store threw: " + *threw);
      note(std::move(done));
    }
    next = {};
    held.lock();
    ++stored_;
    news_.notify_all();
  }
}

result<void> session_archive::store(job& next) {
  const std::lock_guard held{next.events->mutex};
  return store_documents(*into_, make_documents(next.how, next.events->trace),
                         next.events->roles.value_or(std::vector<role>{}));
}

void session_archive::note(result<void> done) {
  if (done)
    return;
  const std::lock_guard held{mutex_};
  if (failure_)
    return;
  failure_ = std::move(done).error();
  failure_->message = "the state store: " + failure_->message;
}

} // namespace convene::host
