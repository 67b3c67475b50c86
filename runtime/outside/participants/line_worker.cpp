#include <convene/runtime/outside/participants/line_worker.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

using protocol::action_status;

/// Far enough for any deadline, near enough for the clock.
constexpr std::chrono::hours longest{24 * 365};

program_result no_answer(action_status status, std::string code,
                         std::string message) {
  program_result made;
  made.end.status = status;
  made.end.code = std::move(code);
  made.end.message = std::move(message);
  return made;
}

} // namespace

line_worker::line_worker(program what, when_error_line error_line,
                         std::shared_ptr<processes> on)
  : what_{std::move(what)}, error_line_{std::move(error_line)}, on_{std::move(
                                                                  on)} {
  // nop
}

line_worker::~line_worker() {
  if (program_)
    program_->stop(close_ms);
}

std::function<void()> line_worker::ask(std::string line,
                                       std::int64_t timeout_ms,
                                       when_answered then) {
  const lock held{mutex_};
  const auto id = ++last_id_;
  question asked{id, std::move(line), timeout_ms, std::move(then)};
  if (waiting_.size() >= waiting_max) {
    refuse(std::move(asked), "queue_full",
           name_of(what_) + " has " + std::to_string(waiting_max)
             + " questions waiting");
    return {};
  }
  waiting_.push_back(std::move(asked));
  ask_next();
  return [weak = weak_from_this(), id] {
    if (const auto self = weak.lock())
      self->cancel(id);
  };
}

/// Asks the first one that waits, if none is open.
void line_worker::ask_next() {
  while (!open_ && !waiting_.empty()) {
    auto next = std::move(waiting_.front());
    waiting_.pop_front();
    if (next.timeout_ms > 0)
      next.deadline = clock::now()
                      + std::min<std::chrono::milliseconds>(
                        std::chrono::milliseconds{next.timeout_ms}, longest);
    if (!program_)
      start_program();
    if (program_->send(next.line)) {
      open_ = std::move(next);
      return set_timer();
    }
    drop_program();
    refuse(std::move(next), "input_bytes_max",
           "the request is too large for " + name_of(what_));
  }
}

/// Answers on the loop's thread, without the lock.
void line_worker::refuse(question which, std::string code,
                         std::string message) {
  on_->post([then = std::move(which.then),
             how = no_answer(action_status::failed, std::move(code),
                             std::move(message))] { then(how); });
}

void line_worker::start_program() {
  const auto run = ++run_;
  const auto weak = weak_from_this();
  line_events events;
  events.line = [weak, run](std::string line) {
    if (const auto self = weak.lock())
      self->take_line(run, std::move(line));
  };
  events.error_line = error_line_;
  events.ended = [weak, run](const program_end& how) {
    if (const auto self = weak.lock())
      self->take_end(run, how);
  };
  program_ = on_->start(what_, std::move(events));
}

/// Answers the open question, after the next one was asked.
void line_worker::close_open(lock held, program_result with) {
  const auto closed = std::move(*open_);
  open_.reset();
  ask_next();
  held.unlock();
  closed.then(std::move(with));
}

void line_worker::drop_program() {
  ++run_; // nothing that it still says counts
  program_.reset();
}

void line_worker::take_line(std::uint64_t run, std::string line) {
  lock held{mutex_};
  if (run != run_)
    return;
  if (!open_) {
    // Else it would be taken for the answer to the next question.
    drop_program();
    held.unlock();
    if (error_line_)
      error_line_("(ended: it wrote a line without a request)");
    return;
  }
  program_result how;
  how.output = std::move(line);
  close_open(std::move(held), std::move(how));
}

void line_worker::take_end(std::uint64_t run, const program_end& how) {
  lock held{mutex_};
  if (run != run_)
    return;
  program_.reset();
  if (!open_)
    return;
  close_open(std::move(held),
             how.code.empty()
               ? no_answer(action_status::failed, "ended_early",
                           name_of(what_) + " ended without an answer")
               : program_result{how, {}});
}

/// For the deadline of the open question, unless a timer is due before it.
void line_worker::set_timer() {
  if (timer_at_ <= open_->deadline)
    return;
  timer_at_ = open_->deadline;
  const auto left
    = std::chrono::ceil<std::chrono::milliseconds>(timer_at_ - clock::now());
  on_->after(left.count(), [weak = weak_from_this(), timer = ++timer_] {
    if (const auto self = weak.lock())
      self->look_at_time(timer);
  });
}

void line_worker::look_at_time(std::uint64_t timer) {
  lock held{mutex_};
  if (timer != timer_)
    return;
  timer_at_ = clock::time_point::max();
  if (!open_)
    return;
  if (open_->deadline > clock::now())
    return set_timer();
  drop_program();
  auto late = no_answer(action_status::timed_out, "time_out",
                        name_of(what_) + " had not answered after "
                          + std::to_string(open_->timeout_ms) + " ms");
  close_open(std::move(held), std::move(late));
}

void line_worker::cancel(std::uint64_t id) {
  std::deque<question> gone; // goes without the lock
  const lock held{mutex_};
  if (open_ && open_->id == id) {
    drop_program();
    gone.push_back(std::move(*open_));
    open_.reset();
    return ask_next();
  }
  const auto found = std::ranges::find(waiting_, id, &question::id);
  if (found != waiting_.end()) {
    gone.push_back(std::move(*found));
    waiting_.erase(found);
  }
}

} // namespace convene::host
