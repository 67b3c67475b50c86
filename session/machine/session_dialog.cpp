#include <convene/protocol/base/timestamp_text.hpp>
#include <convene/protocol/base/uuid_text.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/machine/report.hpp>
#include <convene/session/machine/session_dialog.hpp>

#include <utility>

namespace convene::session {
namespace {

protocol::dialog_status status_of_talk(protocol::collab_status of) {
  using enum protocol::dialog_status;
  switch (of) {
    case protocol::collab_status::completed:
      return completed;
    case protocol::collab_status::cancelled:
      return cancelled;
    case protocol::collab_status::suspended:
      return paused;
    default:
      return active;
  }
}

sized_text<24> text_of(protocol::timestamp_ms time) {
  sized_text<24> made;
  protocol::write_timestamp(made.bytes.data(), time);
  return made;
}

sized_text<36> text_of(const protocol::uuid& id) {
  sized_text<36> made;
  protocol::write_uuid(made.bytes.data(), id);
  return made;
}

protocol::base_event event_of(const message_event& from) {
  return {.event_id = std::string{from.event_id},
          .event_type = std::string{from.event_type},
          .source = std::string{from.source},
          .timestamp = std::string{from.timestamp},
          .data
          = protocol::json::object{{"participant_id", from.data.participant_id},
                                   {"role_id", from.data.role_id}}};
}

} // namespace

session_messages::session_messages(std::shared_ptr<const report> of)
  : of_(std::move(of)), entries_(of_->talk.entries()) {
  // nop
}

session_message session_messages::iterator::operator*() const {
  const auto& entry = of_->entries_[at_];
  session_message made{.content = entry.content,
                       .timestamp = text_of(entry.at)};
  if (entry.participant == said::nobody)
    return made;
  const auto& from = *of_->of_;
  const auto& who = from.collab.participants[entry.participant];
  if (who.kind != protocol::participant_kind::human)
    made.role = protocol::message_role::agent;
  // The dialog itself has the first id.
  made.event = message_event{
    .event_id = text_of(dialog_uuid(from.key, spoken_ + 1)),
    .event_type = "dialog.message",
    .source = "collab",
    .timestamp = made.timestamp,
    .data = {.participant_id = who.participant_id,
             .role_id = who.role_id ? std::string_view{*who.role_id}
                                    : std::string_view{}}};
  return made;
}

session_messages::iterator& session_messages::iterator::operator++() {
  if (of_->entries_[at_++].participant != said::nobody)
    ++spoken_;
  return *this;
}

session_dialog make_session_dialog(std::shared_ptr<const report> of) {
  session_dialog made{.dialog_id = to_string(dialog_uuid(of->key, 0)),
                      .context_id = of->collab.context_id,
                      .status = status_of_talk(of->outcome.status),
                      .started_at = protocol::format_timestamp(of->started_at)};
  if (has_session_ended(of->outcome.status))
    made.ended_at = protocol::format_timestamp(of->ended_at);
  made.messages = session_messages{std::move(of)};
  return made;
}

protocol::dialog make_dialog(const session_dialog& from) {
  protocol::dialog made{.meta = from.meta,
                        .dialog_id = from.dialog_id,
                        .context_id = from.context_id,
                        .status = from.status,
                        .started_at = from.started_at,
                        .ended_at = from.ended_at};
  for (const auto& each : from.messages)
    made.messages.push_back({.role = each.role,
                             .content = std::string{each.content},
                             .timestamp = std::string{each.timestamp},
                             .event = each.event
                                        ? std::optional{event_of(*each.event)}
                                        : std::nullopt});
  return made;
}

protocol::dialog make_dialog(const report& of) {
  // For as long as this takes.
  return make_dialog(make_session_dialog({std::shared_ptr<void>{}, &of}));
}

} // namespace convene::session
