#include <convene/bindings/c/answered_here.hpp>
#include <convene/bindings/c/hub.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <utility>

namespace convene::c_api {
namespace {

observer noting(std::shared_ptr<session_watch> watch) {
  return [watch = std::move(watch)](std::string_view, std::string_view lines) {
    watch->note(lines);
  };
}

} // namespace

result<std::shared_ptr<hub>> hub::open(const open_settings& how) {
  auto requests = request_queue::make();
  if (!requests)
    return protocol::fail(std::move(requests).error());
  std::shared_ptr<hub> made{new hub{*std::move(requests), how.runtime.seed}};
  recovery_options with{.resume_suspended = how.resume_suspended,
                        .accept_loss = how.accept_loss};
  for (const auto& id : how.participants)
    with.functions.emplace(id, pull_agent(id, {}, made->requests_));
  with.observe = [self = made.get()](const std::string& id) {
    // Sessions are shown at the same time, but this is called for one by one.
    const std::lock_guard held{self->mutex_};
    auto& watch = self->watches_[id];
    watch = std::make_shared<session_watch>();
    return noting(watch);
  };
  auto options = how.runtime;
  options.on_text = [texts = made->texts_](auto session, auto who, auto text) {
    texts->say(session, who, text);
  };
  auto opened = runtime::open(options, with);
  if (!opened)
    return protocol::fail(std::move(opened).error());
  made->runtime_ = *std::move(opened);
  return made;
}

hub::~hub() {
  if (runtime_)
    static_cast<void>(close());
}

result<watched_session>
hub::start(protocol::json::object scenario,
           const std::vector<std::string>& participants) {
  auto spec = runtime_->load(std::move(scenario));
  if (!spec)
    return protocol::fail(std::move(spec).error());
  const auto here = answered_here(*spec, participants);
  if (!here)
    return protocol::fail(here.error());
  const auto watch = std::make_shared<session_watch>();
  start_options how{.observer = noting(watch)};
  for (const auto& id : *here)
    how.functions.emplace(id, pull_agent(id, {}, requests_));
  auto session = runtime_->start(*std::move(spec), std::move(how));
  if (auto why = session.refused())
    return protocol::fail(*std::move(why));
  return watched_session{std::move(session), watch};
}

result<watched_session> hub::recovered(const std::string& id) const {
  for (const auto& session : runtime_->recovered().sessions)
    if (session.id() == id) {
      const auto watch = watches_.find(id);
      return watched_session{session, watch == watches_.end()
                                        ? std::make_shared<session_watch>()
                                        : watch->second};
    }
  return protocol::fail({.code = protocol::errc::unreadable,
                         .message = "the log had no running session of this id",
                         .rule = "session_unknown",
                         .value = protocol::shorten(id)});
}

protocol::json::object hub::recovery_summary() const {
  const auto& found = runtime_->recovered();
  protocol::json::array ids;
  for (const auto& session : found.sessions)
    ids.emplace_back(session.id());
  return {{"sessions", std::move(ids)},
          {"events", found.events},
          {"bytes_cut", found.bytes_cut}};
}

result<void> hub::close() {
  {
    const std::lock_guard held{mutex_};
    if (std::exchange(is_closed_, true))
      return {};
  }
  auto closed = runtime_->close();
  requests_->close();
  return closed;
}

} // namespace convene::c_api
