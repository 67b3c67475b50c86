#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/processes/child.hpp>
#include <convene/runtime/outside/processes/descendants.hpp>
#include <convene/runtime/outside/processes/supervisor_report.hpp>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <limits>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using protocol::action_status;

constexpr std::size_t error_line_bytes_max = 4096;
constexpr std::uint32_t error_lines_each_second = 200;
/// Kept of standard error for messages.
constexpr std::size_t last_errors_bytes = 2048;
/// Read at a time, so that no program keeps the loop from the others.
constexpr std::size_t read_bytes = std::size_t{64} << 10;
/// Read at most after the end: more than any pipe holds.
constexpr std::size_t drained_bytes_max = std::size_t{2} << 20;

/// After the grace time, a supervisor that does its work needs moments.
constexpr std::chrono::seconds force_delay{1};
constexpr std::chrono::milliseconds force_pause{10};

std::string system_says(int number) {
  return std::generic_category().message(number);
}

/// What the program has written, or nothing: then there is nothing now, or
/// `at_end`.
std::string_view read_some(int file, std::array<char, read_bytes>& into,
                           bool& at_end) {
  ssize_t got = 0;
  do
    got = read(file, into.data(), into.size());
  while (got < 0 && errno == EINTR);
  at_end = got == 0 || (got < 0 && errno != EAGAIN);
  return {into.data(), got > 0 ? static_cast<std::size_t>(got) : 0};
}

/// For one thread: that of the loop.
std::array<char, read_bytes>& read_buffer() {
  thread_local std::array<char, read_bytes> buffer;
  return buffer;
}

std::string not_started(const program& what, const supervisor_report& report) {
  using kind = supervisor_report::kind;
  const auto says = system_says(report.value);
  switch (report.what) {
    case kind::no_network:
      return name_of(what) + " cannot have a network of its own: " + says;
    case kind::no_folder:
      return "the working folder " + what.working_folder
             + " cannot be entered: " + says;
    case kind::no_limits:
      return "the limits of " + name_of(what) + " cannot be set: " + says;
    case kind::no_execution:
      return name_of(what) + " cannot be executed: " + says;
    default:
      return name_of(what) + " was not started: " + says;
  }
}

} // namespace

child::child(event_loop& loop, program what, std::shared_ptr<child_input> input,
             child_events events)
  : loop_{loop}, what_{std::move(what)}, input_{std::move(input)},
    events_{std::move(events)}, error_lines_{error_line_bytes_max},
    error_rate_{error_lines_each_second} {
  // nop
}

void child::start() {
  self_ = shared_from_this();
  auto made = spawn(what_);
  if (!made) {
    stop(action_status::failed, made.error().rule, made.error().message);
    return finish();
  }
  files_ = *std::move(made);
  input_->open(std::move(files_.input));
  control_watch_ = loop_.watch(files_.control.get(), EPOLLIN,
                               [this](std::uint32_t) { read_reports(); });
  output_watch_ = loop_.watch(files_.output.get(), EPOLLIN,
                              [this](std::uint32_t) { read_output(); });
  errors_watch_ = loop_.watch(files_.errors.get(), EPOLLIN,
                              [this](std::uint32_t) { read_errors(); });
  if (control_watch_ == 0 || output_watch_ == 0 || errors_watch_ == 0) {
    stop(action_status::failed, "system_limit",
         "the system has no room to watch " + name_of(what_));
    return finish(); // closes the connection: the supervisor ends it
  }
  if (what_.limits.time_ms > 0)
    deadline_
      = loop_.after(std::chrono::milliseconds{what_.limits.time_ms}, [this] {
          deadline_.reset();
          stop(action_status::timed_out, "time_out",
               name_of(what_) + " had not ended after "
                 + std::to_string(what_.limits.time_ms) + " ms");
        });
  flush_input();
}

void child::close_input() {
  input_->finish();
  flush_input();
}

void child::flush_input() {
  using state = child_input::state;
  const auto how = input_->flush();
  if (how == state::blocked) {
    if (input_watch_ == 0)
      input_watch_ = loop_.watch(input_->file(), EPOLLOUT,
                                 [this](std::uint32_t) { flush_input(); });
    return;
  }
  loop_.forget(std::exchange(input_watch_, 0));
  if (how == state::complete)
    input_->close();
}

void child::stop(action_status why, std::string code, std::string message) {
  if (is_over_)
    return;
  if (!reason_) {
    reason_.emplace();
    reason_->status = why;
    reason_->code = std::move(code);
    reason_->message = std::move(message);
  }
  if (!files_.control)
    return;
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  const supervisor_order order{static_cast<std::int32_t>(
    std::clamp(what_.limits.grace_ms, std::int64_t{0}, most))};
  send(files_.control.get(), &order, sizeof order, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (!force_)
    force_
      = loop_.after(std::chrono::milliseconds{order.grace_ms} + force_delay,
                    [this] { end_by_force(); });
}

/// Does what the supervisor should have done by now, and wakes it, so that it
/// ends when its children are gone. As long as it is there, its number is its
/// own: only we wait for it.
void child::end_by_force() {
  constexpr int passes = 64;
  for (int i = 0; i < passes; ++i)
    kill_children_of(files_.supervisor);
  kill(files_.supervisor, SIGCONT);
  force_ = loop_.after(force_pause, [this] { end_by_force(); });
}

void child::read_output() {
  bool at_end = false;
  const auto bytes = read_some(files_.output.get(), read_buffer(), at_end);
  if (at_end)
    loop_.forget(std::exchange(output_watch_, 0));
  if (!bytes.empty())
    events_.output(bytes);
}

void child::read_errors() {
  bool at_end = false;
  const auto bytes = read_some(files_.errors.get(), read_buffer(), at_end);
  if (at_end)
    loop_.forget(std::exchange(errors_watch_, 0));
  take_errors(bytes);
}

void child::take_errors(std::string_view bytes) {
  const auto kept
    = bytes.substr(bytes.size() - std::min(bytes.size(), last_errors_bytes));
  last_errors_ += kept;
  if (last_errors_.size() > last_errors_bytes)
    last_errors_.erase(0, last_errors_.size() - last_errors_bytes);
  error_lines_.feed(bytes, [this](std::string line, bool is_cut) {
    tell_error_line(std::move(line), is_cut);
  });
}

void child::tell_error_line(std::string line, bool is_cut) {
  if (!events_.error_line || !error_rate_.allows(event_loop::clock::now()))
    return;
  tell_dropped_lines();
  if (is_cut)
    line += " ... (cut)";
  // Nothing that a terminal would take for a command.
  std::ranges::replace_if(
    line, [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, ' ');
  events_.error_line(protocol::sanitize_utf8(std::move(line)));
}

void child::tell_dropped_lines() {
  if (const auto dropped = error_rate_.take_dropped(); dropped > 0)
    events_.error_line("(" + std::to_string(dropped)
                       + " lines of standard error were too many)");
}

void child::read_reports() {
  for (;;) {
    supervisor_report report;
    descriptor file;
    const auto got = receive_report(files_.control.get(), report, file);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
      return;
    if (got != sizeof report) {
      int ignored = 0;
      while (waitpid(files_.supervisor, &ignored, 0) < 0 && errno == EINTR) {
        // once more
      }
      return finish();
    }
    if (report.what == supervisor_report::kind::ended)
      status_ = report.value;
    else if (report.what == supervisor_report::kind::listens)
      open_door(std::move(file));
    else if (!reason_) {
      stop(action_status::failed, "not_started", not_started(what_, report));
    }
  }
}

void child::open_door(descriptor listener) {
  if (!listener || !what_.network)
    return;
  door_ = what_.network(std::move(listener));
  if (!door_)
    stop(action_status::failed, "system_limit",
         "the system has no room for the network of " + name_of(what_));
}

void child::drain() {
  bool at_end = false;
  std::size_t total = 0;
  while (output_watch_ != 0 && total < drained_bytes_max) {
    const auto bytes = read_some(files_.output.get(), read_buffer(), at_end);
    if (bytes.empty())
      break;
    total += bytes.size();
    events_.output(bytes);
  }
  total = 0;
  while (errors_watch_ != 0 && total < drained_bytes_max) {
    const auto bytes = read_some(files_.errors.get(), read_buffer(), at_end);
    if (bytes.empty())
      break;
    total += bytes.size();
    take_errors(bytes);
  }
  error_lines_.finish([this](std::string line, bool is_cut) {
    tell_error_line(std::move(line), is_cut);
  });
  if (events_.error_line)
    tell_dropped_lines();
}

void child::give_up() {
  finish();
}

void child::finish() {
  if (is_over_)
    return;
  drain();
  is_over_ = true;
  for (const auto which :
       {control_watch_, input_watch_, output_watch_, errors_watch_})
    loop_.forget(which);
  for (const auto& each : {deadline_, force_})
    if (each)
      loop_.cancel(*each);
  input_->close();
  files_ = {};
  door_.reset();
  const auto self = std::move(self_);
  auto events = std::exchange(events_, {});
  events.ended(make_end());
}

program_end child::make_end() {
  program_end made;
  if (reason_)
    made = *reason_;
  made.last_errors = protocol::sanitize_utf8(last_errors_);
  if (status_) {
    if (WIFEXITED(*status_))
      made.exit_code = WEXITSTATUS(*status_);
    else if (WIFSIGNALED(*status_))
      made.signal = WTERMSIG(*status_);
  }
  if (!reason_)
    describe_status(made);
  return made;
}

void child::describe_status(program_end& into) const {
  if (into.exit_code == 0)
    return;
  into.status = action_status::failed;
  if (into.exit_code > 0) {
    into.code = "exit_code";
    into.message = name_of(what_) + " exited with code "
                   + std::to_string(into.exit_code);
  } else if (into.signal == SIGXCPU) {
    into.code = "cpu_seconds";
    into.message = name_of(what_) + " used more than "
                   + std::to_string(what_.limits.cpu_seconds)
                   + " seconds of CPU time";
  } else if (into.signal != 0) {
    into.code = "signal";
    into.message = name_of(what_) + " was ended by signal "
                   + std::to_string(into.signal);
    if (const char* name = sigabbrev_np(into.signal))
      into.message += std::string{" (SIG"} + name + ')';
  } else {
    into.code = "supervisor_lost";
    into.message = "the supervisor of " + name_of(what_)
                   + " was killed; what came of the program is not known";
  }
  auto last = into.last_errors;
  while (!last.empty() && (last.back() == '\n' || last.back() == '\r'))
    last.pop_back();
  if (!last.empty())
    into.message += "; the end of its standard error: " + last;
}

} // namespace convene::host
