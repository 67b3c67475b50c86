#include <convene/runtime/outside/processes/child.hpp>
#include <convene/runtime/outside/processes/descendants.hpp>
#include <convene/runtime/outside/processes/supervisor_report.hpp>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <limits>
#include <system_error>
#include <utility>

namespace convene::host {
namespace {

using protocol::action_status;

constexpr std::uint32_t error_lines_each_second = 200;

/// After the grace time, a supervisor that does its work needs moments.
constexpr std::chrono::seconds force_delay{1};
constexpr std::chrono::milliseconds force_pause{10};

std::string system_says(int number) {
  return std::generic_category().message(number);
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
    case kind::replaced:
      return name_of(what) + " was not started: "
             + what.places.at(static_cast<std::size_t>(report.value)).path
             + " was replaced or removed after it was checked";
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
    events_{std::move(events)}, error_lines_{error_line_bytes_max
                                             + beyond_bytes},
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

} // namespace convene::host
