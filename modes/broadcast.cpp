// Broadcast: the initiator asks all others at once and collects the answers;
// the next round's message carries them. With a plan, each round takes along
// the steps that are ready; the initiator's own are done by sending and
// collecting. Without its quorum in the last round the session has not
// succeeded.

#include <convene/session/routing/policy.hpp>

#include <string>
#include <utility>

namespace convene::modes {
namespace {

using namespace convene::session;

/// Ready steps of the initiator's: asking and gathering is all they are.
decisions close_own(const view& now) {
  decisions closed;
  for (auto i : now.plan->ready())
    if (now.plan->state(i).assigned == now.initiator
        && now.initiator != no_participant)
      closed.push_back(close_step{.step = i,
                                  .status = protocol::step_status::completed,
                                  .reason = "done by the broadcast"});
  return closed;
}

/// The end after the last round, which needs its quorum.
complete last_round(const view& now, complete end) {
  if (!end.success || now.missed.needed == 0)
    return end;
  return {.success = false,
          .condition = "quorum_missed",
          .observed = std::to_string(now.missed.answered),
          .limit = now.missed.needed};
}

ruling by_step(const view& now, memory&& kept) {
  auto closed = close_exhausted(now);
  if (closed.empty())
    closed = close_own(now);
  if (!closed.empty())
    return {std::move(closed), std::move(kept)};
  if (!now.plan->ready().empty() || now.broadcasts == 0)
    return only(session::broadcast{.round = now.broadcasts + 1},
                std::move(kept));
  return only(last_round(now, plan_end(now)), std::move(kept));
}

ruling decide(const view& now, memory kept) {
  if (now.busy > 0)
    return {{}, std::move(kept)};
  if (now.plan != nullptr)
    return by_step(now, std::move(kept));
  auto sent = kept.is_int64() ? kept.get_int64() : 0;
  if (now.occasion == occasion::resumed && sent > 0)
    --sent;
  if (sent >= now.rounds)
    return only(last_round(now, {.condition = "rounds",
                                 .observed = std::to_string(sent)}),
                sent);
  ++sent;
  return only(session::broadcast{.round = static_cast<std::uint32_t>(sent)},
              sent);
}

} // namespace

extern const routing_policy broadcast{.name = "broadcast",
                                      .summary
                                      = "the initiator asks all others at once",
                                      .takes_turns = false,
                                      .counts_rounds = true,
                                      .decide = decide};

} // namespace convene::modes
