// Starting a session that has a past: the fork of another one.

#include <convene/runtime/engine.hpp>
#include <convene/runtime/log/recovery/session_replay.hpp>
#include <convene/runtime/started_sessions.hpp>

#include <algorithm>
#include <utility>

namespace convene {
namespace {

host::replayed_session replayed(const std::string& id, std::string_view lines) {
  host::session_replay replay{id};
  const std::string nowhere;
  for (std::size_t number = 1; !lines.empty(); ++number) {
    const auto end = std::min(lines.find('\n'), lines.size());
    replay.feed({nowhere, 0, 1, number, 0}, lines.substr(0, end));
    lines.remove_prefix(std::min(end + 1, lines.size()));
  }
  return replay.finish();
}

} // namespace

result<void> runtime::implementation::log_beginning(const std::string& id,
                                                    std::string_view lines) {
  if (lines.empty())
    return {};
  const auto count = static_cast<std::size_t>(std::ranges::count(lines, '\n'));
  return sink.append(id, lines, count);
}

result<session_handle> runtime::implementation::start_recorded(
  const std::string& id, std::string_view lines, const recovery_options& with) {
  auto from = replayed(id, lines);
  if (from.standing)
    if (auto valid = boundary_validator.check(from.standing->session()->spec());
        !valid)
      return tl::unexpected(std::move(valid).error());
  auto state = std::make_shared<session_handle::shared>();
  state->id = id;
  state->unsaved = from.events;
  if (virtual_clock)
    state->virtual_clock = &*virtual_clock;
  state->system = &system;
  auto watch = starts.observe ? starts.observe() : observer{};
  {
    const std::lock_guard held{mutex};
    if (!logged->add(id))
      return protocol::fail(protocol::errc::not_allowed,
                            "a session with this id is on the log already",
                            "session_id");
  }
  auto resumed = resume_from_log(state, std::move(from), with, std::move(watch),
                                 lines);
  if (!resumed) {
    logged->take_back(id);
    return tl::unexpected(std::move(resumed).error());
  }
  session_handle made{std::move(state)};
  if (starts.started)
    starts.started(made);
  return made;
}

result<session_handle>
host::runtime_access::start_recorded(runtime& which, const std::string& id,
                                     std::string_view lines,
                                     const recovery_options& with) {
  return which.implementation_->start_recorded(id, lines, with);
}

result<session_handle>
host::start_recorded(runtime& in, const std::string& session_id,
                     std::string_view lines, const recovery_options& with) {
  return runtime_access::start_recorded(in, session_id, lines, with);
}

} // namespace convene
