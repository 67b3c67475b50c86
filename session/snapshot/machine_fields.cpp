// What a snapshot has of a session machine, and which machines there are.

#include <convene/session/snapshot/loader.hpp>
#include <convene/session/snapshot/saver.hpp>
#include <convene/session/snapshot/snapshot.hpp>

#include <algorithm>
#include <utility>

namespace convene::session {

template <class Self, class F>
void machine::fields(Self& x, F& f) {
  // Not kept: what activation makes of the scenario, what lives during one
  // input only, and how the session ended, since it has not.
  auto& [spec, spec_text, policy, gate, key, roster, plan, plan_drives,
         participants, seats, open, closed, waiting, broadcast, responses, kept,
         turn, counts, ending, progress, stopped, shared, talk, outcome,
         can_act, decisions_failed, last, last_is_told, told, event_count,
         id_count, started, faulted, now, started_at, ends_by, suspended_at,
         earliest, out, words]
    = x;
  if constexpr (F::loads)
    f.begin(participants.size(), words);
  f("talk", talk);
  f("plan", plan);
  f("plan_drives", plan_drives);
  f("status", spec.collab.status);
  f("confirm", spec.confirm);
  f("roster", roster);
  f.fixed("participants", participants);
  f.fixed("seats", seats);
  f.who("open", open);
  f("waiting", waiting);
  f("broadcast", broadcast);
  f("responses", responses);
  f("memory", kept);
  f("turn", turn);
  f("counts", counts);
  f("ending", ending);
  f("progress", progress);
  f("stopped", stopped);
  f("shared", shared);
  f("can_act", can_act);
  f("decisions_failed", decisions_failed);
  f("last", last);
  f("last_is_told", last_is_told);
  f("told", told);
  f("event_count", event_count);
  f("id_count", id_count);
  f.time("now", now);
  f.time("started_at", started_at);
  f.time("ends_by", ends_by);
  f.time("suspended_at", suspended_at);
  f.time("earliest", earliest);
  if constexpr (F::loads) {
    // Went at the start.
    spec.plan.reset();
    spec.tasks.clear();
    spec.behaviours = json::object{};
    spec_text = {};
    started = true;
  }
}

std::string_view machine::why_unsound() const {
  using protocol::collab_status;
  if (status() != collab_status::active && status() != collab_status::suspended)
    return "the session does not run";
  const auto acting = std::ranges::count_if(participants_, [](const auto& p) {
    return p.can_act();
  });
  if (!std::cmp_equal(acting, can_act_))
    return "not so many participants can act";
  if ((policy_->needs_orchestrator && roster_.orchestrator == no_participant))
    return "nobody leads";
  std::vector<char> has_open(slots_.size());
  std::vector<char> is_live(plan_.size());
  const auto takes = [&](step_index step) {
    return step == no_step
           || (plan_.state(step).live && std::exchange(is_live[step], 1) == 0);
  };
  for (const auto who : open_) {
    if (has_open[who] || !slots_[who].open)
      return "a request is open twice or to nobody";
    has_open[who] = 1;
    const auto& request = *slots_[who].open;
    if (request.kind > request_kind::decision
        || (request.kind == request_kind::broadcast && !broadcast_))
      return "a request of this kind cannot be open";
    if (!takes(request.step))
      return "a step has no turn, or two";
  }
  for (const auto& slot : slots_)
    if (slot.open && !has_open[static_cast<std::size_t>(&slot - &slots_[0])])
      return "a request is open to nobody";
  for (const auto& next : waiting_)
    if (!takes(next.step))
      return "a step has no turn, or two";
  for (step_index i = 0; i < plan_.size(); ++i)
    if (plan_.state(i).live && !is_live[i])
      return "a step has a turn that is not open";
  for (const auto& about : shared_.conflicts)
    if (!about.found.current || !about.found.current->key
        || !shared_.resources.find(
          {about.what.resource_type, about.what.resource_id}))
      return "a conflict is about nothing";
  return {};
}

protocol::result<json::object> save(const machine& of,
                                    std::span<const delivery> outstanding) {
  if (const auto why = of.why_unsound(); !why.empty())
    return protocol::fail(protocol::errc::not_allowed,
                          "of no session that runs: " + std::string{why},
                          "snapshot");
  saver to{of.record(), of.oldest_view()};
  json::object made;
  made["machine"] = to.save(of);
  json::array requests;
  for (const auto& each : outstanding)
    requests.push_back(to.save(each));
  made["outstanding"] = std::move(requests);
  made["views"] = to.take_views();
  made["shared"] = to.take_shared();
  if (to.is_lost())
    return protocol::fail(protocol::errc::internal,
                          "a request shows what was not said", "snapshot");
  return made;
}

protocol::result<standing_session> restore(std::unique_ptr<machine> fresh,
                                           const json::value& from) {
  const auto refuse = [](std::string why) {
    return protocol::fail(
      protocol::errc::invalid_document,
      "this is no snapshot of the session: " + std::move(why), "snapshot");
  };
  const auto* whole = from.if_object();
  if (whole == nullptr)
    return refuse("it is no object");
  standing_session made{.behaviours = fresh->spec().behaviours};
  try {
    loader load{*whole};
    load("machine", *fresh);
    load("outstanding", made.outstanding);
    load.finish();
  } catch (bad_snapshot& bad) {
    return tl::unexpected(std::move(bad.why));
  }
  if (const auto why = fresh->why_unsound(); !why.empty())
    return refuse(std::string{why});
  made.machine = std::move(fresh);
  return made;
}

} // namespace convene::session
