#include <convene/actors/behaviours/executor.hpp>
#include <convene/protocol/base/catch_error.hpp>

#include <mutex>
#include <utility>

namespace convene::actors {

struct action_responder::state {
  attempt which;
  std::mutex mutex;
  bool over = false; ///< guarded by mutex, like the rest
  bool cancelled = false;
  when_acted then;
  std::function<void()> when_cancelled;
};

action_responder::action_responder(attempt which, when_acted then)
  : state_(std::make_shared<state>()) {
  state_->which = std::move(which);
  state_->then = std::move(then);
}

const attempt& action_responder::which() const noexcept {
  return state_->which;
}

bool action_responder::end(protocol::action_result how) const {
  when_acted then;
  std::function<void()> spent; // goes without the lock
  {
    const std::lock_guard held{state_->mutex};
    if (std::exchange(state_->over, true))
      return false;
    then.swap(state_->then);
    spent.swap(state_->when_cancelled);
  }
  then(std::move(how));
  return true;
}

bool action_responder::complete(protocol::json::value output,
                                protocol::usage used) const {
  return end({.output = std::move(output), .usage = used});
}

bool action_responder::fail(std::string code, std::string message,
                            bool transient) const {
  return end({.status = protocol::action_status::failed,
              .error = {.code = std::move(code),
                        .message = std::move(message),
                        .transient = transient}});
}

bool action_responder::is_over() const {
  const std::lock_guard held{state_->mutex};
  return state_->over;
}

void action_responder::when_cancelled(std::function<void()> then) const {
  {
    const std::lock_guard held{state_->mutex};
    if (!state_->over) {
      state_->when_cancelled.swap(then);
      return;
    }
    if (!state_->cancelled)
      return;
  }
  then();
}

void action_responder::cancel() const {
  when_acted spent; // goes without the lock
  std::function<void()> then;
  {
    const std::lock_guard held{state_->mutex};
    if (std::exchange(state_->over, true))
      return;
    state_->cancelled = true;
    spent.swap(state_->then);
    then.swap(state_->when_cancelled);
  }
  if (then)
    then();
}

protocol::action action_of(const executor& by, std::string position,
                           protocol::json::value arguments) {
  return {.position = std::move(position),
          .kind = protocol::action_kind::function,
          .name = by.name,
          .arguments = std::move(arguments),
          .repeatable = by.repeatable,
          .timeout_ms = by.timeout_ms};
}

attempt_function attempts_of(const executor& by, protocol::action what) {
  return [execute = by.execute, what = std::move(what)](const attempt& which,
                                                        when_acted then) {
    const action_responder to{which, std::move(then)};
    if (const auto threw = catch_error([&] { execute(what, to); }))
      to.fail("attempt_threw", *threw);
    return cancel_function{[to] { to.cancel(); }};
  };
}

} // namespace convene::actors
