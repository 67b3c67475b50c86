#include <convene/runtime/outside/participants/a2a_attempt.hpp>
#include <convene/runtime/outside/participants/a2a_wire.hpp>
#include <convene/runtime/outside/participants/trace_headers.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

/// Between two looks at a task: the delay doubles.
constexpr std::int64_t first_delay_ms = 100;
constexpr std::int64_t longest_delay_ms = 10'000;
/// Of one look.
constexpr std::int64_t look_ms = 30'000;

} // namespace

a2a_attempt::a2a_attempt(std::shared_ptr<a2a_remote> by,
                         const actors::attempt& which, actors::when_acted then)
  : by_(std::move(by)), which_(which),
    end_(clock::now() + std::chrono::milliseconds{which.timeout_ms}),
    then_(std::move(then)) {
  // nop
}

std::int64_t a2a_attempt::left_ms() const {
  return std::chrono::duration_cast<std::chrono::milliseconds>(end_
                                                               - clock::now())
    .count();
}

bool a2a_attempt::is_over() {
  const std::lock_guard held{mutex_};
  return !then_;
}

std::size_t a2a_attempt::begin_step() {
  const std::lock_guard held{mutex_};
  cancel_ = {};
  return ++step_;
}

/// The step may be over already, and the next one begun.
void a2a_attempt::keep(std::size_t step, http_client::cancel_function how) {
  {
    const std::lock_guard held{mutex_};
    if (then_) {
      if (step == step_)
        cancel_ = std::move(how);
      return;
    }
  }
  if (how)
    how();
}

void a2a_attempt::cancel() {
  http_client::cancel_function how;
  {
    const std::lock_guard held{mutex_};
    then_ = {};
    how.swap(cancel_);
  }
  if (how)
    how();
}

void a2a_attempt::end(protocol::action_result result) {
  actors::when_acted then;
  {
    const std::lock_guard held{mutex_};
    then.swap(then_);
    cancel_ = {};
  }
  if (then)
    then(std::move(result));
}

void a2a_attempt::fail(protocol::action_error why) {
  const auto how = why.code == "timed_out" ? protocol::action_status::timed_out
                                           : protocol::action_status::failed;
  end({.status = how, .error = std::move(why)});
}

http_request a2a_attempt::prepared(http_request what) const {
  what.timeout_ms = std::max<std::int64_t>(left_ms(), 1);
  add_trace_headers(what, which_.trace);
  return what;
}

void a2a_attempt::find(void (a2a_attempt::*next)()) {
  const auto step = begin_step();
  keep(step, by_->find(std::max<std::int64_t>(left_ms(), 1),
                       [self = shared_from_this(), next](auto found) {
                         if (!found)
                           return self->fail(std::move(found.error()));
                         self->agent_ = *std::move(found);
                         if (!self->is_over())
                           ((*self).*next)();
                       }));
}

void a2a_attempt::send(const protocol::json::object& message,
                       when_begun begun) {
  begun_ = std::move(begun);
  message_ = with_message_id(message, which_.idempotency_key);
  find(&a2a_attempt::post);
}

/// Not to be cancelled: who goes away now would leave a task behind.
void a2a_attempt::post() {
  begin_step();
  auto what = prepared(send_message_call(*agent_, std::move(message_)));
  what.headers.push_back({"Idempotency-Key", which_.idempotency_key});
  what.repeatable = by_->settings().repeatable;
  by_->call(agent_, std::move(what), [self = shared_from_this()](auto got) {
    self->heard(std::move(got));
  });
}

void a2a_attempt::heard(a2a_remote::outcome got) {
  if (!got)
    return fail(std::move(got.error()));
  const auto answer = read_a2a_answer(*got);
  if (!answer)
    return fail(answer.error());
  if (answer->state == a2a_state::open)
    begun_(std::string{answer->task_id});
  finish(*answer, *std::move(got));
}

void a2a_attempt::finish(const a2a_answer& what,
                         protocol::json::object output) {
  if (what.state == a2a_state::cancelled && which_.number > 1)
    return fail({.code = "agent_let_go",
                 .message = "the agent's task was cancelled when the session "
                            "was suspended"});
  end({.output = std::move(output)});
}

void a2a_attempt::wait(std::string task_id) {
  task_id_ = std::move(task_id);
  find(&a2a_attempt::poll);
}

void a2a_attempt::poll() {
  const auto left = left_ms();
  if (left <= 0)
    return fail(
      {.code = "timed_out",
       .message = agent_->origin + ": the agent's task was not done in time",
       .transient = true});
  const auto step = begin_step();
  auto what = prepared(get_task_call(*agent_, task_id_));
  what.timeout_ms = std::min(left, look_ms);
  keep(step, by_->call(agent_, std::move(what),
                       [self = shared_from_this()](auto got) {
                         self->polled(std::move(got));
                       }));
}

void a2a_attempt::polled(a2a_remote::outcome got) {
  if (is_over())
    return;
  if (!got) {
    const auto why = std::move(got.error());
    if (!why.transient || ++failures_ > by_->settings().retries)
      return fail(why);
    return poll_later(why.retry_after_ms);
  }
  failures_ = 0;
  auto output = task_outcome(*agent_, *std::move(got));
  const auto answer = read_a2a_answer(output);
  if (!answer)
    return fail(answer.error());
  if (answer->task_id != task_id_)
    return fail({.code = "agent_answer_invalid",
                 .message = agent_->origin
                            + ": the agent's answer is another task than "
                              "asked for"});
  if (answer->state == a2a_state::open)
    return poll_later(0);
  finish(*answer, std::move(output));
}

void a2a_attempt::poll_later(std::int64_t delay_ms) {
  delay_ms_ = delay_ms_ == 0 ? first_delay_ms
                             : std::min(delay_ms_ * 2, longest_delay_ms);
  const auto delay = std::min(std::max(delay_ms_, delay_ms),
                              std::max<std::int64_t>(left_ms(), 0));
  begin_step();
  // Weak: an attempt that nobody waits for does not keep its client.
  by_->after(std::chrono::milliseconds{delay}, [weak = weak_from_this()] {
    if (const auto self = weak.lock(); self && !self->is_over())
      self->poll();
  });
}

} // namespace convene::host
