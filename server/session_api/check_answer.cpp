#include <convene/protocol/documents/approval.hpp>
#include <convene/server/session_api/check_answer.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace convene::server {
namespace {

using protocol::result;
using session::request_kind;

result<void> refuse(std::string pointer, std::string_view rule,
                    std::string message) {
  return protocol::fail({.code = protocol::errc::invalid_document,
                         .message = std::move(message),
                         .pointer = std::move(pointer),
                         .rule = std::string{rule}});
}

result<void> check_vote(const actors::turn_request& asked,
                        const protocol::reply& given) {
  if (!given.vote)
    return refuse("", "required",
                  "a vote is wanted: `vote` with `conflict_id` and `for`");
  if (given.vote->conflict_id != asked.dispute.conflict_id)
    return refuse("/vote/conflict_id", "conflict_id",
                  "the request is about conflict " + asked.dispute.conflict_id);
  if (std::ranges::find(asked.dispute.sides, given.vote->in_favour_of,
                        &actors::disputed_write::participant)
      == asked.dispute.sides.end())
    return refuse("/vote/for", "known_participant",
                  "must be one of those whose writes are in the dispute");
  return {};
}

result<void> check_handoff(const actors::turn_request& asked,
                           const protocol::handoff& to) {
  const auto& all = asked.about->participants;
  const auto names = asked.about->role_names;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (all[i].participant_id == to.to || all[i].role_id == to.to
        || (i < names.size() && !names[i].empty() && names[i] == to.to))
      return {};
  return refuse("/handoff/to", "known_participant",
                "is neither a participant of the session nor a role");
}

} // namespace

result<void> check_answer(const actors::turn_request& asked,
                          const protocol::reply& given) {
  const bool decides = asked.kind == request_kind::decision;
  const bool votes = asked.kind == request_kind::vote
                     || asked.kind == request_kind::escalation;
  if (!given.decision.empty() && !decides)
    return refuse("/decision", "wanted", "no decision is wanted");
  if (given.vote && !votes)
    return refuse("/vote", "wanted", "no vote is wanted");
  if (!asked.approval.participant.empty() && !protocol::verdict_of(given))
    return refuse(
      "/content", "approval",
      "a call is approved by the content \"APPROVED\" or refused by "
      "\"REJECTED\", each with \": \" and a reason if you like");
  if (given.status != protocol::reply_status::completed)
    return {};
  if (decides && given.decision.empty())
    return refuse("", "required", "a decision is wanted: `decision`, a list");
  if (votes)
    return check_vote(asked, given);
  if (given.handoff && asked.about)
    return check_handoff(asked, *given.handoff);
  return {};
}

} // namespace convene::server
