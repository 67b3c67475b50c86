#include <convene/runtime/outside/processes/child.hpp>
#include <convene/runtime/outside/processes/event_loop.hpp>
#include <convene/runtime/outside/processes/processes.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <map>
#include <optional>
#include <system_error>
#include <tuple>
#include <utility>

namespace convene::host {

using protocol::action_status;

/// Used on the loop's thread, but for `loop.post` and `last_id`.
struct processes_state {
  struct entry {
    std::shared_ptr<child> program;
    std::int64_t close_ms = 0; ///< above 0: it is ending by itself
  };

  event_loop loop;
  std::size_t programs_max = 0;
  std::atomic<std::uint64_t> last_id = 0;
  std::map<std::uint64_t, entry> running;
  std::map<std::uint64_t, event_loop::timer_id> timers;
  bool closed = false;

  void forget(std::uint64_t id) {
    running.erase(id);
    if (closed && running.empty())
      loop.quit();
  }

  void stop(std::uint64_t id, action_status why, std::string code,
            const std::string& message) {
    if (const auto found = running.find(id); found != running.end()) {
      auto& program = *found->second.program;
      program.stop(why, std::move(code),
                   name_of(program.what()) + ' ' + message);
    }
  }

  void cancel(std::uint64_t id) {
    stop(id, action_status::cancelled, "cancelled", "was cancelled");
  }

  void close();
  void close_soon(); ///< on any thread
};

namespace {

/// For what SIGKILL does not end at once: processes that wait for a disk.
constexpr std::chrono::seconds patience{30};

program_end refusal(const program& what, std::string code, std::string why) {
  program_end made;
  made.status = action_status::failed;
  made.code = std::move(code);
  made.message = name_of(what) + " was not started: " + std::move(why);
  return made;
}

/// Starts a child, unless there is no room: then `ended` is called.
void run_child(const std::shared_ptr<processes_state>& state, std::uint64_t id,
               program what, std::shared_ptr<child_input> input,
               child_events events) {
  if (state->closed || state->running.size() >= state->programs_max) {
    auto end = state->closed
                 ? refusal(what, "cancelled", "convene is about to end")
                 : refusal(what, "programs_max",
                           std::to_string(state->programs_max)
                             + " programs are running already");
    if (state->closed)
      end.status = action_status::cancelled;
    input->close();
    events.ended(std::move(end));
    return;
  }
  auto ended = [state = state.get(), id,
                then = std::move(events.ended)](program_end how) {
    then(std::move(how));
    state->forget(id);
  };
  events.ended = std::move(ended);
  const auto made = std::make_shared<child>(state->loop, std::move(what),
                                            std::move(input),
                                            std::move(events));
  state->running.emplace(id, processes_state::entry{made});
  made->start();
}

/// Standard output as a whole.
struct collected {
  std::string text;
  bool full = false;
};

} // namespace

void processes_state::close() {
  closed = true;
  std::int64_t longest = 0;
  auto all = running; // `stop` may change it
  for (const auto& [id, each] : all) {
    longest = std::max(longest,
                       each.close_ms + each.program->what().limits.grace_ms);
    if (each.close_ms <= 0)
      cancel(id);
  }
  if (running.empty())
    return loop.quit();
  loop.after(std::chrono::milliseconds{longest} + patience, [this] {
    const auto left = running;
    for (const auto& [id, each] : left)
      each.program->give_up();
  });
}

processes::processes(std::size_t programs_max)
  : state_{std::make_shared<processes_state>()} {
  state_->programs_max = programs_max;
  // Signals are for the other threads; SIGPIPE, which writing to a program that
  // reads no more brings, is for nobody.
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::optional<std::system_error> failed;
  try {
    thread_ = std::thread{[state = state_] { state->loop.run(); }};
  } catch (const std::system_error& thrown) {
    failed = thrown;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (failed)
    throw std::system_error{*failed};
}

/// Not before the jobs that are there by now are done: what a callback that is
/// under way lets go of when it returns is stopped in its own way.
void processes_state::close_soon() {
  loop.post([this] { loop.post([this] { close(); }); });
}

processes::~processes() {
  if (thread_.get_id() == std::this_thread::get_id()) {
    state_->close_soon();
    thread_.detach();
  } else {
    end();
  }
}

void processes::end() {
  if (!thread_.joinable())
    return;
  state_->close_soon();
  thread_.join();
}

std::function<void()>
processes::run_once(program what, std::string input, when_error_line error_line,
                    std::function<void(program_result)> then) {
  // The program may end, and its end destroy this, before `post` returns.
  const auto kept = state_;
  const auto id = ++kept->last_id;
  const auto output_max = what.limits.output_bytes_max;
  auto begin = [state = kept, id, output_max, what = std::move(what),
                input = std::move(input), error_line = std::move(error_line),
                then = std::move(then)]() mutable {
    const auto text = std::make_shared<collected>();
    child_events events;
    events.error_line = std::move(error_line);
    events.output = [text, id, output_max,
                     state = state.get()](std::string_view bytes) {
      if (text->full)
        return;
      const auto room = output_max - text->text.size();
      text->text += bytes.substr(0, room);
      if (bytes.size() <= room)
        return;
      text->full = true;
      state->stop(id, action_status::failed, "output_bytes_max",
                  "wrote more than " + std::to_string(output_max) + " bytes");
    };
    events.ended = [text, then = std::move(then)](program_end how) {
      then({std::move(how), std::move(text->text)});
    };
    const auto whole = std::make_shared<child_input>();
    std::ignore = whole->write(input); // `run_child` flushes it
    whole->finish();
    run_child(state, id, std::move(what), whole, std::move(events));
  };
  kept->loop.post(std::move(begin));
  return [state = kept, id] {
    state->loop.post([state, id] { state->cancel(id); });
  };
}

std::shared_ptr<line_program> processes::start(program what,
                                               line_events events) {
  const auto kept = state_; // as in `run_once`
  const auto id = ++kept->last_id;
  const auto input = std::make_shared<child_input>();
  auto begin = [state = kept, id, input, what = std::move(what),
                events = std::move(events)]() mutable {
    const auto line_max = what.limits.output_bytes_max;
    const auto lines = std::make_shared<line_splitter>(line_max);
    child_events inner;
    inner.error_line = std::move(events.error_line);
    inner.ended = std::move(events.ended);
    inner.output = [lines, id, line_max, state = state.get(),
                    take = std::move(events.line)](std::string_view bytes) {
      lines->feed(bytes, [&](std::string line, bool is_cut) {
        if (!is_cut)
          return take(std::move(line));
        state->stop(id, action_status::failed, "output_bytes_max",
                    "wrote a line of more than " + std::to_string(line_max)
                      + " bytes");
      });
    };
    run_child(state, id, std::move(what), input, std::move(inner));
  };
  kept->loop.post(std::move(begin));
  return std::make_shared<line_program>(kept, id, input);
}

void processes::post(std::function<void()> job) {
  const auto kept = state_; // as in `run_once`
  kept->loop.post(std::move(job));
}

std::function<void()> processes::after(std::int64_t time_ms,
                                       std::function<void()> then) {
  const auto kept = state_; // as in `run_once`
  const auto id = ++kept->last_id;
  kept->loop.post([state = kept, id, time_ms, then = std::move(then)] {
    auto run = [state = state.get(), id, then] {
      state->timers.erase(id);
      then();
    };
    state->timers.emplace(
      id, state->loop.after(std::chrono::milliseconds{time_ms}, run));
  });
  return [state = kept, id] {
    state->loop.post([state, id] {
      if (const auto found = state->timers.extract(id))
        state->loop.cancel(found.mapped());
    });
  };
}

line_program::line_program(std::shared_ptr<processes_state> state,
                           std::uint64_t id, std::shared_ptr<child_input> input)
  : state_{std::move(state)}, id_{id}, input_{std::move(input)} {
  // nop
}

line_program::~line_program() {
  if (!is_stopped_)
    stop();
}

bool line_program::send(std::string_view line) {
  if (line.find('\n') != line.npos || line.size() >= waiting_bytes_max)
    return false;
  if (input_->unwritten() + line.size() >= waiting_bytes_max) {
    state_->loop.post([state = state_, id = id_] {
      state->stop(id, action_status::failed, "input_bytes_max",
                  "does not read its input");
    });
    return false;
  }
  std::string with_end;
  with_end.reserve(line.size() + 1);
  with_end += line;
  with_end += '\n';
  if (input_->write(with_end))
    state_->loop.post([state = state_, id = id_] {
      const auto found = state->running.find(id);
      if (found != state->running.end())
        found->second.program->flush_input();
    });
  return true;
}

void line_program::stop(std::int64_t close_ms) {
  is_stopped_ = true;
  state_->loop.post([state = state_, id = id_, close_ms] {
    const auto found = state->running.find(id);
    if (found == state->running.end())
      return;
    if (close_ms <= 0)
      return state->cancel(id);
    found->second.close_ms = close_ms;
    found->second.program->close_input();
    state->loop.after(std::chrono::milliseconds{close_ms},
                      [state = state.get(), id] { state->cancel(id); });
  });
}

} // namespace convene::host
