// Going on with the sessions that a log holds already.

#include <convene/protocol/json_text.hpp>
#include <convene/runtime/engine.hpp>
#include <spdlog/spdlog.h>

#include <exception>
#include <utility>

namespace convene {
namespace {

using protocol::errc;
using protocol::fail;

error to_error(const host::log_divergence& found) {
  return {.code = errc::not_allowed,
          .message = "the session cannot go on: " + found.message,
          .file = found.file,
          .rule = "replay_diverged",
          .value = protocol::shorten(found.actual),
          .line = found.line};
}

/// Shows sessions what the log has of them. Who throws sees no more.
class audience {
public:
  explicit audience(const recovery_options& with) : with_(with) {}

  void show(const std::string& id, std::string_view line) {
    if (!with_.observe)
      return;
    auto [found, is_new] = watching_.try_emplace(id);
    if (is_new)
      found->second = with_.observe(id);
    if (!found->second)
      return;
    line_.assign(line);
    line_ += '\n';
    found->second(id, line_);
  }

  [[nodiscard]] observer take(const std::string& id) {
    const auto found = watching_.find(id);
    return found == watching_.end() ? observer{} : std::move(found->second);
  }

private:
  const recovery_options& with_;
  std::unordered_map<std::string, observer> watching_;
  std::string line_;
};

/// Says which sessions have no beginning any more, and would be needed.
void tell_cut(const host::log_ledger& found,
              const std::set<std::string, std::less<>>& wanted,
              const std::vector<host::replayed_session>& all) {
  auto cut = wanted;
  for (const auto& one : all)
    cut.erase(one.id);
  for (const auto& id : cut)
    spdlog::warn("session {}: its beginning was removed from the log{}", id,
                 found.has_ended(id)
                   ? ", and with it what its documents would be made of"
                   : " and its end is not there; nothing goes on with it");
}

} // namespace

result<void> runtime::parts::recover(const host::log_ledger& found,
                                     const recovery_options& with) {
  recovered.on_log = found.sessions();
  logged = {recovered.on_log.begin(), recovered.on_log.end()};
  recovered.events = found.events();
  if (virtual_clock) // draws the same keys again
    used_keys = found.keys();
  std::set<std::string, std::less<>> wanted;
  for (const auto& id : found.sessions())
    if (!found.has_ended(id) || (with.wants_ended && with.wants_ended(id)))
      wanted.insert(id);
  if (!options.log.empty())
    host::sweep_snapshots(options.log, [&](const std::string& id) {
      return wanted.contains(id) && !found.has_ended(id);
    });
  if (wanted.empty())
    return {};
  audience watching{with};
  host::log_replay again{
    {.keep_ended = true, .snapshot = [this](std::string_view id) {
       return find_snapshot(std::string{id});
     }}};
  try {
    const auto read = host::visit_sessions(
      options.log, [&](const host::log_place& place, std::string_view text) {
        const auto id = wanted.find(host::head_of(text).session_id);
        if (id == wanted.end())
          return;
        watching.show(*id, text);
        again.feed(place, text);
      });
    if (!read)
      return tl::unexpected(read.error());
  } catch (const std::exception& thrown) {
    return fail(errc::internal, "an observer threw while the log was read: "
                                  + std::string{thrown.what()});
  }
  auto all = again.finish();
  tell_cut(found, wanted, all);
  for (auto& one : all) {
    if (!one.bad_snapshot.empty()) {
      spdlog::warn("session {}: its snapshot is not used, all of it is "
                   "replayed: {}",
                   one.id, one.bad_snapshot);
      auto whole = host::replay_session(options.log, one.id, std::nullopt);
      if (!whole)
        return tl::unexpected(std::move(whole).error());
      one = std::move(whole->session);
    }
    auto watch = watching.take(one.id);
    adopt(std::move(one), with, std::move(watch));
  }
  return {};
}

std::optional<host::session_snapshot>
runtime::parts::find_snapshot(const std::string& id) const {
  if (!snapshots)
    return std::nullopt;
  auto found = host::read_snapshot(options.log, id);
  if (found)
    return *std::move(found);
  spdlog::warn("session {}: its snapshot is not used: {}", id,
               to_string(found.error()));
  return std::nullopt;
}

void runtime::parts::adopt(host::replayed_session&& from,
                           const recovery_options& with,
                           convene::observer watch) {
  auto state = std::make_shared<session_handle::state>();
  state->id = from.id;
  state->unsaved = from.events - from.covered;
  if (virtual_clock)
    state->virtual_clock = &*virtual_clock;
  recovered.sessions.push_back(session_handle{state});
  auto gone_on = go_on(state, std::move(from), with, std::move(watch));
  if (!gone_on)
    state->finish(tl::unexpected(std::move(gone_on).error()));
}

result<void>
runtime::parts::go_on(const std::shared_ptr<session_handle::state>& into,
                      host::replayed_session&& from,
                      const recovery_options& with, convene::observer watch) {
  if (from.divergence)
    return tl::unexpected(to_error(*from.divergence));
  auto left = from.standing->release();
  from.standing.reset();
  if (from.ended) {
    into->finish(make_result(session::make_report(std::move(left.machine))));
    return {};
  }
  auto behaviours = host::bind_behaviours(left.machine->spec(), left.behaviours,
                                          with.functions, false);
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
  const bool was_suspended = left.machine->status() == collab_status::suspended;
  left.machine->pass_through(customs.gate());
  run(into,
      {.machine = std::move(left.machine),
       .behaviours = std::move(*behaviours),
       .conditions = std::move(*conditions),
       .outstanding = std::move(left.outstanding),
       .brings_back = true},
      std::move(watch), actors::control::verb::go_on);
  if (was_suspended && with.resume_suspended)
    into->send(actors::control::verb::resume, {});
  return {};
}

void runtime::parts::suspend_all(std::string reason) {
  std::vector<std::shared_ptr<session_handle::state>> left;
  {
    const std::lock_guard held{mutex};
    closing = true;
    closing_as = actors::control::verb::leave;
    for (const auto& [id, weak] : running)
      if (auto state = weak.lock())
        left.push_back(std::move(state));
  }
  for (const auto& state : left)
    state->send(actors::control::verb::leave, reason);
}

} // namespace convene
