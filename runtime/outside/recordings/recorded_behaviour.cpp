#include <convene/runtime/outside/recordings/recorded_behaviour.hpp>

#include <string>
#include <string_view>

namespace convene::host {
namespace {

actors::answer exhausted(std::string_view kind, std::size_t count,
                         std::size_t n) {
  const auto which = std::string{kind} + ' ' + std::to_string(n + 1);
  return {
    .reply
    = {.status = protocol::reply_status::failed,
       .error = {"recording_exhausted",
                 n < count ? "in the recording the participant's " + which
                               + " was closed before it was answered"
                           : "the recording has no answer to the "
                             "participant's "
                               + which + ", it has " + std::to_string(count)}}};
}

} // namespace

actors::answer recorded_behaviour::respond(const actors::turn_request& asked) {
  const bool is_vote = !asked.dispute.conflict_id.empty();
  const bool is_decision = asked.kind == session::request_kind::decision;
  const std::string_view kind = is_vote       ? "vote"
                                : is_decision ? "decision"
                                              : "turn or broadcast";
  const std::size_t n = asked.kind_sequence;
  if (!what_)
    return exhausted(kind, 0, n);
  const auto& list = is_vote       ? what_->votes
                     : is_decision ? what_->decisions
                                   : what_->turns;
  if (n >= list.size() || (!list[n].reply && !list[n].silent))
    return exhausted(kind, list.size(), n);
  const auto& one = list[n];
  if (one.silent)
    return {.silent = true};
  actors::answer given{.reply = *one.reply, .delay_ms = one.delay_ms};
  // The same conflict has another id in another session.
  if (is_vote && given.reply.vote)
    given.reply.vote->conflict_id = asked.dispute.conflict_id;
  return given;
}

} // namespace convene::host
