#include <convene/bindings/c/convene.h>
#include <convene/bindings/c/host_action.hpp>
#include <convene/bindings/c/wait_limit.hpp>
#include <convene/protocol/documents/action_codec.hpp>

#include <utility>

namespace convene::c_api {
namespace {

protocol::json::object shown_attempt(const actors::attempt& which) {
  protocol::json::object made{{"number", which.number},
                              {"idempotency_key", which.idempotency_key},
                              {"timeout_ms", which.timeout_ms}};
  if (!which.trace.traceparent.empty())
    made.emplace("traceparent", which.trace.traceparent);
  if (!which.trace.tracestate.empty())
    made.emplace("tracestate", which.trace.tracestate);
  return made;
}

void fail_dropped(const actors::action_responder& to) {
  to.fail("action_dropped", "the action was freed without a result");
}

} // namespace

struct host_action::listener {
  std::shared_ptr<host_action> of;

  explicit listener(std::shared_ptr<host_action> action)
    : of{std::move(action)} {}
  listener(const listener&) = delete;
  listener& operator=(const listener&) = delete;
  ~listener() {
    of->finish(std::nullopt);
  }
};

std::shared_ptr<host_action> host_action::begin(actors::live_turn& in,
                                                protocol::action what) {
  std::shared_ptr<host_action> made{new host_action};
  in.act(
    std::move(what), {},
    [made](const actors::attempt& which, actors::when_acted then) {
      return made->attempt(which, std::move(then));
    },
    [to = std::make_shared<listener>(made)](protocol::action_result result) {
      to->of->finish(std::move(result));
    });
  return made;
}

actors::cancel_function host_action::attempt(const actors::attempt& which,
                                             actors::when_acted then) {
  const actors::action_responder to{which, std::move(then)};
  bool is_dropped = false;
  {
    const std::lock_guard held{mutex_};
    attempt_ = to;
    is_dropped = is_dropped_;
  }
  news_.notify_all();
  if (is_dropped)
    fail_dropped(to);
  return [to] { to.cancel(); };
}

void host_action::finish(std::optional<protocol::action_result> with) {
  {
    const std::lock_guard held{mutex_};
    if (with)
      result_ = std::move(with);
    else
      is_over_ = true;
  }
  news_.notify_all();
}

host_action::step host_action::next(std::int64_t limit_ms) {
  const auto is_ready = [this] {
    return result_ || is_over_ || (attempt_ && !is_shown_);
  };
  std::unique_lock held{mutex_};
  if (limit_ms < 0)
    news_.wait(held, is_ready);
  else if (!news_.wait_for(held, wait_limit(limit_ms), is_ready))
    return {CONVENE_TIMEOUT, {}};
  if (result_)
    return {CONVENE_OK, {{"result", protocol::encode(*result_)}}};
  if (is_over_)
    return {CONVENE_OVER, {}};
  is_shown_ = true;
  return {CONVENE_OK, {{"attempt", shown_attempt(attempt_->which())}}};
}

std::optional<bool> host_action::end(protocol::action_result how) {
  std::optional<actors::action_responder> to;
  {
    const std::lock_guard held{mutex_};
    if (result_ || is_over_)
      return false;
    if (!attempt_)
      return std::nullopt;
    to = attempt_;
  }
  return to->end(std::move(how));
}

void host_action::drop() {
  std::optional<actors::action_responder> to;
  {
    const std::lock_guard held{mutex_};
    is_dropped_ = true;
    to = attempt_;
  }
  if (to)
    fail_dropped(*to);
}

} // namespace convene::c_api
