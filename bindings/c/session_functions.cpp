#include <boost/json/serialize.hpp>
#include <convene/bindings/c/handles.hpp>
#include <convene/bindings/c/outcome.hpp>
#include <convene/bindings/c/wait_limit.hpp>
#include <convene/runtime/session_documents.hpp>

#include <chrono>
#include <future>

using namespace convene::c_api;
using convene::result;

namespace {

std::string text_or_nothing(const char* text) {
  return text == nullptr ? std::string{} : std::string{text};
}

/// "active" and so on, as convene_status says.
std::string_view state_of(const watched_session& session) {
  const auto ended = session.handle.await_for(std::chrono::milliseconds{0});
  if (!ended)
    return session.watch->is_suspended() ? "suspended" : "active";
  if (*ended)
    return to_word((*ended)->status);
  return session.handle.left() ? "suspended" : "stopped";
}

/// Tells the session something, if there is one.
template <class Tell>
int tell(convene_session* session, char** error, const Tell& how) {
  return guarded(error, [&]() -> result<void> {
    if (session == nullptr)
      return null_argument("session");
    how(session->session.handle);
    return {};
  });
}

/// Waits until the session took the message, refused it or ended.
result<void> wait_for(std::future<result<void>>& taken,
                      const convene::session_handle& session) {
  constexpr std::chrono::milliseconds between{100};
  while (taken.wait_for(between) != std::future_status::ready)
    if (session.await_for(std::chrono::milliseconds{0})
        && taken.wait_for(between) != std::future_status::ready)
      return convene::protocol::fail(convene::protocol::errc::not_allowed,
                                     "the session has ended", "session_ended");
  return taken.get();
}

} // namespace

int convene_start(convene_runtime* runtime, const char* scenario,
                  const char* participants, convene_session** session,
                  char** error) {
  return guarded(error, [&]() -> result<void> {
    if (runtime == nullptr || session == nullptr)
      return null_argument(runtime == nullptr ? "runtime" : "session");
    *session = nullptr;
    auto from = object_argument(scenario, "scenario");
    if (!from)
      return tl::unexpected(std::move(from).error());
    const auto here = read_participants(participants == nullptr ? "[]"
                                                                : participants);
    if (!here)
      return tl::unexpected(here.error());
    auto begun = runtime->hub->start(*std::move(from), *here);
    if (!begun)
      return tl::unexpected(std::move(begun).error());
    *session = new convene_session{runtime->hub, *std::move(begun)};
    return {};
  });
}

void convene_session_free(convene_session* session) {
  delete session;
}

const char* convene_session_id(const convene_session* session) {
  return session == nullptr ? nullptr : session->session.handle.id().c_str();
}

int convene_status(convene_session* session, char** json, char** error) {
  return guarded(error, [&]() -> result<void> {
    if (session == nullptr || json == nullptr)
      return null_argument(session == nullptr ? "session" : "json");
    const auto& [handle, watch] = session->session;
    *json = text_for_caller(boost::json::serialize(
      boost::json::object{{"session_id", handle.id()},
                          {"status", state_of(session->session)},
                          {"events", watch->events()}}));
    return {};
  });
}

int convene_await(convene_session* session, int64_t timeout_ms, char** into,
                  char** error) {
  return guarded(error, [&]() -> result<int> {
    if (into != nullptr)
      *into = nullptr;
    if (session == nullptr || into == nullptr)
      return null_argument(session == nullptr ? "session" : "result");
    const auto& [handle, watch] = session->session;
    const auto ended = timeout_ms < 0
                         ? std::optional{handle.await()}
                         : handle.await_for(wait_limit(timeout_ms));
    if (!ended)
      return CONVENE_TIMEOUT;
    if (!*ended)
      return tl::unexpected(ended->error());
    *into = text_for_caller(boost::json::serialize(
      convene::host::make_summary(**ended, watch->failures())));
    return CONVENE_OK;
  });
}

int convene_cancel(convene_session* session, const char* reason, char** error) {
  return tell(session, error, [reason](const auto& handle) {
    handle.cancel(text_or_nothing(reason));
  });
}

int convene_suspend(convene_session* session, const char* reason,
                    char** error) {
  return tell(session, error, [reason](const auto& handle) {
    handle.suspend(text_or_nothing(reason));
  });
}

int convene_resume(convene_session* session, char** error) {
  return tell(session, error, [](const auto& handle) { handle.resume(); });
}

int convene_message(convene_session* session, const char* text,
                    const char* participant, char** error) {
  return guarded(error, [&]() -> result<void> {
    if (session == nullptr || text == nullptr)
      return null_argument(session == nullptr ? "session" : "text");
    const auto promise = std::make_shared<std::promise<result<void>>>();
    auto taken = promise->get_future();
    const auto& handle = session->session.handle;
    handle.message(text, text_or_nothing(participant),
                   [promise](result<void> how) {
                     promise->set_value(std::move(how));
                   });
    if (session->hub->is_virtual())
      return {};
    return wait_for(taken, handle);
  });
}
