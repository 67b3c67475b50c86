// Going on with the sessions that a log holds already.

#include <convene/protocol/base/catch_error.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/log/event_log/segments.hpp>
#include <convene/runtime/log/event_log/shared_log.hpp>
#include <convene/runtime/log/recovery/ledger_replay.hpp>
#include <convene/runtime/more_functions.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace convene {
namespace {

using protocol::errc;
using protocol::fail;

error to_error(const host::log_divergence& found) {
  if (!found.rule.empty())
    return {.code = errc::unsupported,
            .message = found.message,
            .file = found.file,
            .rule = found.rule,
            .line = found.line};
  return {.code = errc::not_allowed,
          .message = "the session cannot continue: " + found.message,
          .file = found.file,
          .rule = "replay_diverged",
          .value = protocol::shorten(found.actual),
          .line = found.line};
}

/// Who is shown what the log has of the sessions that are gone on with.
class audience {
public:
  /// Asks who observes each of them.
  result<void> invite(const recovery_options& with,
                      const std::vector<const host::logged_session*>& to) {
    if (!with.observe)
      return {};
    const auto thrown = actors::catch_error([&] {
      for (const auto* session : to)
        seats_.push_back({session->id, with.observe(session->id), {}});
    });
    if (thrown)
      return fail(errc::internal,
                  "asking who observes a session threw: " + *thrown);
    return {};
  }

  [[nodiscard]] bool is_empty() const noexcept {
    return seats_.empty();
  }

  void show(std::size_t index, std::string_view line) {
    auto& who = seats_[index];
    if (!who.watch)
      return;
    who.line.assign(line);
    who.line += '\n';
    who.watch(who.id, who.line);
  }

  [[nodiscard]] observer take(std::size_t index) {
    return seats_.empty() ? observer{} : std::move(seats_[index].watch);
  }

private:
  struct seat {
    std::string id;
    observer watch;
    std::string line;
  };

  std::vector<seat> seats_;
};

/// The sessions to go on with. Those whose beginning was removed are only told
/// of.
result<std::vector<const host::logged_session*>>
wanted_sessions(const std::filesystem::path& log,
                const host::log_ledger& found) {
  std::vector<const host::logged_session*> wanted;
  for (const auto& session : found.sessions())
    if (session.is_wanted)
      wanted.push_back(&session);
  if (wanted.empty())
    return wanted;
  const auto segments = host::log_segments(log);
  if (!segments)
    return tl::unexpected(segments.error());
  if (!segments->front().after_removed)
    return wanted;
  std::erase_if(wanted, [](const host::logged_session* session) {
    if (!session->has_beginning)
      spdlog::warn("session {}: its beginning was removed from the log{}",
                   session->id,
                   session->has_ended
                     ? ", and with it what its documents would be made of"
                     : " and its end is not there; nothing continues it");
    return !session->has_beginning;
  });
  return wanted;
}

/// What the observer threw, if it did.
std::optional<error> show_beginning(const std::string& id,
                                    std::string_view lines,
                                    const observer& watch) {
  if (lines.empty() || !watch)
    return std::nullopt;
  const auto threw = actors::catch_error([&] { watch(id, lines); });
  if (!threw)
    return std::nullopt;
  return error{.code = errc::internal,
               .message = "the observer threw: " + *threw};
}

} // namespace

result<void> runtime::implementation::recover(const host::log_ledger& found,
                                              const recovery_options& with) {
  for (const auto& session : found.sessions()) {
    recovered.on_log.push_back(session.id);
    static_cast<void>(logged->add(session.id));
  }
  recovered.events = found.events();
  if (virtual_clock) // draws the same keys again
    used_keys = found.keys();
  if (options.log.empty())
    return {};
  auto wanted = wanted_sessions(options.log, found);
  if (!wanted)
    return tl::unexpected(wanted.error());
  if (auto* const shared = host::shared_of(options.log_companions))
    std::erase_if(*wanted, [&](const host::logged_session* session) {
      if (!session->has_ended)
        shared->found(session->id, session->lines.count());
      return !session->has_ended;
    });
  std::set<std::string, std::less<>> unfinished;
  for (const auto* session : *wanted)
    if (!session->has_ended)
      unfinished.insert(session->id);
  host::sweep_snapshots(options.log, [&](const std::string& id) {
    return unfinished.contains(id);
  });
  audience watching;
  if (auto invited = watching.invite(with, *wanted); !invited)
    return invited;
  host::replay_order how{
    .snapshot = [this](const std::string& id) { return find_snapshot(id); },
    .threads = virtual_clock
                 ? 1
                 : std::max<std::size_t>(std::thread::hardware_concurrency(),
                                         1)};
  if (!watching.is_empty())
    how.show = [&](std::size_t index, std::string_view line) {
      watching.show(index, line);
    };
  auto all = host::replay_sessions(found, *wanted, how);
  if (!all)
    return tl::unexpected(std::move(all).error());
  for (std::size_t i = 0; i < all->size(); ++i) {
    auto& one = (*all)[i];
    if (!one.bad_snapshot.empty())
      spdlog::warn("session {}: its snapshot is not used, all of it is "
                   "replayed: {}",
                   one.id, one.bad_snapshot);
    adopt(std::move(one), with, watching.take(i));
  }
  return {};
}

std::optional<host::session_snapshot>
runtime::implementation::find_snapshot(const std::string& id) const {
  if (!snapshots)
    return std::nullopt;
  auto found = host::read_snapshot(options.log, id);
  if (found)
    return *std::move(found);
  spdlog::warn("session {}: its snapshot is not used: {}", id,
               to_string(found.error()));
  return std::nullopt;
}

void runtime::implementation::adopt(host::replayed_session&& from,
                                    const recovery_options& with,
                                    convene::observer watch) {
  auto state = std::make_shared<session_handle::shared>();
  state->id = from.id;
  state->unsaved = from.events - from.covered;
  if (virtual_clock)
    state->virtual_clock = &*virtual_clock;
  state->system = &system;
  // Others are only to be stored.
  if (!from.ended || (with.wants_ended && with.wants_ended(from.id)))
    recovered.sessions.push_back(session_handle{state});
  auto resumed = resume_from_log(state, std::move(from), with,
                                 std::move(watch));
  if (!resumed)
    state->finish(tl::unexpected(std::move(resumed).error()));
}

result<void> runtime::implementation::resume_from_log(
  const std::shared_ptr<session_handle::shared>& into,
  host::replayed_session&& from, const recovery_options& with,
  convene::observer watch, std::string_view unlogged) {
  if (from.divergence)
    return tl::unexpected(to_error(*from.divergence));
  auto left = from.standing->release();
  from.standing.reset();
  into->about
    = std::make_shared<const session::session_info>(left.machine->info());
  into->board.write(*left.machine);
  if (from.ended) {
    if (auto kept = log_beginning(from.id, unlogged); !kept)
      return kept;
    if (auto threw = show_beginning(from.id, unlogged, watch))
      into->finish(tl::unexpected(*std::move(threw)));
    else
      end_again(*into, session::make_report(std::move(left.machine)));
    return {};
  }
  auto answers = with.functions;
  host::spread_default_function(answers, left.machine->spec(), left.behaviours);
  if (auto made = host::make_application_behaviours(
        answers, left.machine->spec(), left.behaviours, options.behaviours);
      !made)
    return made;
  auto behaviours = host::bind_behaviours(left.machine->spec(), left.behaviours,
                                          answers, false, outside, functions);
  if (!behaviours)
    return tl::unexpected(std::move(behaviours).error());
  auto conditions = host::bind_conditions(*left.machine, with.conditions);
  if (!conditions)
    return tl::unexpected(std::move(conditions).error());
  for (auto& condition : *conditions)
    condition.is_known = false;
  {
    const std::lock_guard held{mutex};
    if (auto admitted = admit(into); !admitted)
      return admitted;
  }
  if (auto kept = log_beginning(from.id, unlogged); !kept) {
    forget(into->id);
    return kept;
  }
  if (auto threw = show_beginning(from.id, unlogged, watch)) {
    forget(into->id);
    into->finish(tl::unexpected(*std::move(threw)));
    return {};
  }
  const bool was_suspended = left.machine->status() == collab_status::suspended;
  left.machine->pass_through(boundary_validator.gate());
  run(into,
      {.machine = std::move(left.machine),
       .behaviours = std::move(*behaviours),
       .conditions = std::move(*conditions),
       .outstanding = std::move(left.outstanding),
       .brings_back = true},
      std::move(watch), actors::control::verb::resume_from_log);
  if (was_suspended && with.resume_suspended)
    into->send(actors::control::verb::resume, {});
  return {};
}

void runtime::implementation::end_again(session_handle::shared& into,
                                        session::report&& from) {
  auto made = make_result(std::move(from));
  if (archive)
    archive->ended(made);
  into.finish(std::move(made));
}

void runtime::implementation::leave_all(actors::control::verb how,
                                        const std::string& reason) {
  std::vector<std::shared_ptr<session_handle::shared>> left;
  {
    const std::lock_guard held{mutex};
    closing = true;
    closing_as = how;
    for (const auto& [id, weak] : running)
      if (auto state = weak.lock())
        left.push_back(std::move(state));
  }
  for (const auto& state : left)
    state->send(how, reason);
}

} // namespace convene
