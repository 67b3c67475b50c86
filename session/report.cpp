#include <convene/session/report.hpp>

#include <utility>

namespace convene::session {
namespace {

/// Ids of the dialog and its entries; the machine uses spaces 0 to 2.
constexpr std::uint64_t dialog_ids = 3;

} // namespace

protocol::dialog make_dialog(const report& of) {
  std::uint64_t ids = 0;
  auto next_id = [&] {
    return to_string(protocol::derive_uuid(of.key, dialog_ids, ids++));
  };
  protocol::dialog talk;
  talk.dialog_id = next_id();
  talk.context_id = of.collab.context_id;
  talk.started_at = protocol::format_timestamp(of.started_at);
  talk.status = of.outcome.status == protocol::collab_status::completed
                  ? protocol::dialog_status::completed
                  : protocol::dialog_status::cancelled;
  talk.ended_at = protocol::format_timestamp(of.ended_at);
  for (const auto& entry : of.talk.entries()) {
    protocol::dialog_message message{.role = protocol::message_role::user,
                                     .content = std::string{entry.content},
                                     .timestamp
                                     = protocol::format_timestamp(entry.at)};
    if (entry.participant != said::nobody) {
      const auto& who = of.collab.participants[entry.participant];
      message.role = protocol::message_role::agent;
      message.event = protocol::base_event{
        .event_id = next_id(),
        .event_type = "dialog.message",
        .source = "collab",
        .timestamp = message.timestamp,
        .data = protocol::json::object{{"participant_id", who.participant_id},
                                       {"role_id", who.role_id.value_or("")}}};
    }
    talk.messages.push_back(std::move(message));
  }
  return talk;
}

report make_report(const machine& ended) {
  report made{.outcome = ended.result().value_or(outcome{}),
              .counts = ended.counts(),
              .started_at = ended.started_at(),
              .ended_at = ended.last_at(),
              .collab = ended.spec().collab,
              .context = ended.spec().context,
              .confirm = ended.confirm(),
              .talk = ended.talk(),
              .key = ended.key()};
  made.collab.updated_at = protocol::format_timestamp(ended.last_at());
  if (const auto* plan = ended.plan())
    made.plan = *plan;
  return made;
}

} // namespace convene::session
