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
  auto& [spec, spec_text, policy, log, members, shared, plan, requests,
         handoffs, round, actions, arbiter, briefing, decided, kept, turn,
         ending, progress, talk, graph, stopped, outcome, status, started,
         started_at, ends_by, suspended_at, people_since, words]
    = x;
  if constexpr (F::loads)
    f.begin(members.size(), words);
  f("talk", talk);
  // Parts list their members beside the machine's.
  plan_runner::fields(plan, f);
  f("status", status);
  membership::fields(members, f);
  request_table::fields(requests, f);
  handoff_queue::fields(handoffs, f);
  broadcast_round::fields(round, f);
  f("memory", kept);
  f("turn", turn);
  journal::fields(log, f);
  f("ending", ending);
  f("progress", progress);
  f("graph", graph);
  f("stopped", stopped);
  action_book::fields(actions, f);
  f("shared", arbiter);
  briefing::fields(briefing, f);
  f.time("started_at", started_at);
  f.time("ends_by", ends_by);
  f.time("suspended_at", suspended_at);
  f("people_since", people_since);
  if constexpr (F::loads) {
    spec_text.reset();
    started = true;
  }
}

std::string_view machine::why_unsound() const {
  using protocol::collab_status;
  if (status_ != collab_status::active && status_ != collab_status::suspended)
    return "the session does not run";
  const auto is_held = [this](const held_request& what) {
    return is_open(what);
  };
  for (const auto why :
       {members_.why_unsound(policy_->needs_orchestrator),
        requests_.why_unsound(), plan_.why_unsound(), arbiter_.why_unsound(),
        actions_.why_unsound(is_held), log_.why_unsound(members_.size())})
    if (!why.empty())
      return why;
  if (std::ranges::adjacent_find(graph_.handoffs, std::ranges::greater_equal{})
      != graph_.handoffs.end())
    return "handoffs out of their order";
  const auto& plan = plan_.book();
  std::vector<char> is_live(plan.size());
  const auto takes = [&](step_index step) {
    return step == no_step
           || (plan.state(step).live && std::exchange(is_live[step], 1) == 0);
  };
  for (const auto who : requests_.open()) {
    const auto& request = *requests_.find(who);
    if (request.kind == request_kind::broadcast && !round_.is_open())
      return "a request of this kind cannot be open";
    if (!takes(request.step))
      return "a step has no turn, or two";
  }
  for (const auto& next : handoffs_.all())
    if (!takes(next.step))
      return "a step has no turn, or two";
  for (step_index i = 0; i < plan.size(); ++i)
    if (plan.state(i).live && !is_live[i])
      return "a step has a turn that is not open";
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
      "this is not a snapshot of the session: " + std::move(why), "snapshot");
  };
  const auto* whole = from.if_object();
  if (whole == nullptr)
    return refuse("it is not an object");
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
