#include <convene/protocol/base/utf8.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/protocol/otlp/session_spans.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace convene::protocol {
namespace {

/// An event of the log that becomes one of a span, and what it keeps.
struct noted_event {
  std::string_view type;
  std::vector<std::string_view> members;
};

const std::array noted_events{
  noted_event{"MAPBroadcastSent",
              {"broadcast_id", "broadcaster_participant", "target_count"}},
  noted_event{"MAPConflictDetected",
              {"conflict_id", "conflict_type", "resource_type", "resource_id",
               "conflicting_participants"}},
  noted_event{"MAPConflictResolved",
              {"conflict_id", "resolution_strategy", "winning_participant",
               "losing_participants", "reason"}},
  noted_event{"MAPHandoffInitiated",
              {"handoff_id", "from_participant", "to_participant", "reason"}},
  noted_event{"plan_status_changed",
              {"resource_id", "from_status", "to_status", "reason"}},
  noted_event{"step_status_changed",
              {"resource_id", "from_status", "to_status", "reason"}},
  noted_event{"confirm_created", {"resource_id", "to_status", "target_id"}},
  noted_event{"confirm_resolved",
              {"resource_id", "from_status", "to_status", "target_id"}},
  noted_event{"resource_written",
              {"resource_type", "resource_id", "version", "op", "conflict_id"}},
  noted_event{"write_refused", {"resource_type", "resource_id", "op"}},
  noted_event{"claim_taken", {"resource_type", "resource_id"}},
  noted_event{"claim_handed_over",
              {"resource_type", "resource_id", "to_participant"}},
  noted_event{"claim_released", {"resource_type", "resource_id", "reason"}},
  noted_event{"claim_refused", {"resource_type", "resource_id"}},
  noted_event{"budget_exceeded", {"budget", "used", "limit"}},
  noted_event{"session_input",
              {"participant_id", "reason", "condition", "holds", "error"}}};

} // namespace

/// The span that an event belongs to: the request or step that it names or,
/// if that is over, the session.
std::size_t session_spans::span_for(const json::object& payload) const {
  const auto& details = object_of(payload, "details");
  auto token = text_of(payload, "token_id");
  auto who = text_of(payload, "participant_id");
  if (who.empty())
    who = text_of(payload, "from_participant");
  if (token.empty()) {
    token = text_of(details, "presented_token");
    who = text_of(details, "participant_id");
  }
  if (const auto request = find(token, who); request && is_at_hand(*request))
    return *request;
  if (const auto step = steps_.find(text_of(payload, "resource_id"));
      step != steps_.end() && is_at_hand(step->second))
    return step->second;
  if (const auto about = conflicts_.find(text_of(payload, "conflict_id"));
      about != conflicts_.end() && is_at_hand(about->second.on))
    return about->second.on;
  return 0;
}

bool session_spans::is_at_hand(std::size_t at) const {
  return spans_[at].is_open || spans_[at].end == now_;
}

void session_spans::note(std::string_view type, const json::object& payload) {
  const auto row = std::ranges::find(noted_events, type, &noted_event::type);
  if (row == noted_events.end())
    return;
  const auto at = span_for(payload);
  if (events_ == otlp_span_events_max) {
    ++spans_[at].events_dropped;
    return;
  }
  ++events_;
  const auto input = text_of(payload, "input");
  // What participants do in the middle of a request is called by its type.
  const auto name = type == "session_input" && !input.empty() ? input : type;
  span_event made{.at = now_,
                  .name = std::string{cut_utf8(name, span_name_bytes_max)}};
  copy_members(made.attributes, payload, row->members);
  set_text(made.attributes, "error.type",
           text_of(object_of(payload, "error"), "code"));
  spans_[at].events.push_back(std::move(made));
  if (type == "MAPConflictDetected")
    conflicts_.insert_or_assign(std::string{text_of(payload, "conflict_id")},
                                conflict{.on = at, .at = now_});
  else if (type == "MAPHandoffInitiated")
    handoffs_.insert_or_assign(std::string{text_of(payload, "handoff_id")}, at);
}

} // namespace convene::protocol
