#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/dialog/dialog_change.hpp>
#include <convene/protocol/dialog/messages.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/protocol/lifecycle/document_change.hpp>
#include <convene/protocol/lifecycle/status.hpp>
#include <convene/protocol/lifecycle/transition.hpp>

#include <iterator>
#include <utility>

namespace convene::protocol {
namespace {

/// The sequence of a dialog's ids from which intents have theirs.
constexpr std::uint64_t intent_space = 0x696e74656e74;

std::string intent_id(const dialog& of, std::size_t message) {
  return to_string(derive_uuid(parse_uuid(of.dialog_id).value_or(uuid{}),
                               intent_space, message));
}

/// Whether a change may take place at that time: not before what the dialog
/// has. Times that we cannot read bind nobody.
result<void> check_time(const dialog& of, timestamp_ms at) {
  const auto refuse = [&](std::string_view what, const std::string& when) {
    return fail({.code = errc::not_allowed,
                 .message = "it is " + format_timestamp(at) + " now, before "
                            + std::string{what} + " (" + when
                            + "); set the clock, or wait",
                 .rule = "message_order",
                 .value = format_timestamp(at)});
  };
  if (of.started_at)
    if (const auto start = parse_timestamp(*of.started_at); start > at)
      return refuse("the dialog began", *of.started_at);
  if (!of.messages.empty())
    if (const auto& last = of.messages.back().timestamp;
        parse_timestamp(last) > at)
      return refuse("its last message", last);
  return {};
}

result<void> check_changed(const dialog& before, const new_message& message) {
  if (!message.changes)
    return {};
  const auto refuse = [&](std::string why) {
    return fail({.code = errc::not_allowed,
                 .message = std::move(why),
                 .pointer = "/messages/" + std::to_string(*message.changes),
                 .rule = "changes_user_message"});
  };
  if (message.role != message_role::user)
    return refuse("only a user changes what a user asked for; leave out which "
                  "message it changes");
  if (*message.changes >= before.messages.size())
    return refuse("the dialog has " + std::to_string(before.messages.size())
                  + " messages; name one of them");
  if (before.messages[*message.changes].role != message_role::user)
    return refuse("that message is not the user's; name the one that asked "
                  "for what is changed");
  return {};
}

/// What a user's message means to those who follow the project.
void record_intent(const dialog& of, const new_message& message,
                   lifecycle_events& out) {
  const auto place = of.messages.size();
  const auto id = intent_id(of, place);
  out.push_back({.type = "user_message_received",
                 .family = "intent",
                 .payload = {{"intent_id", id},
                             {"dialog_id", of.dialog_id},
                             {"message", place},
                             {"source", message.source},
                             {"raw_text", message.content}}});
  if (message.changes)
    out.push_back(
      {.type = "modification_requested",
       .family = "delta_intent",
       .payload = {{"original_intent_id", intent_id(of, *message.changes)},
                   {"intent_id", id},
                   {"dialog_id", of.dialog_id},
                   {"delta_type", "modify"},
                   {"changes", message.content}}});
}

/// Judges what has become of the dialog, and adds the events of that.
result<changed_dialog> accept(const dialog& before, dialog after,
                              timestamp_ms at, lifecycle_events events,
                              const object_lookup& known) {
  after.meta.updated_at = format_timestamp(at);
  const auto was = encode(before);
  const auto now = encode(after);
  auto own = check_change(module::dialog, &was.get_object(), now.get_object(),
                          known);
  if (!own)
    return fail(std::move(own.error()));
  events.insert(events.end(), std::make_move_iterator(own->begin()),
                std::make_move_iterator(own->end()));
  return changed_dialog{std::move(after), std::move(events)};
}

} // namespace

result<changed_dialog> append_message(const dialog& before,
                                      const new_message& message,
                                      const object_lookup& known) {
  if (message.content.empty())
    return fail({.code = errc::invalid_document,
                 .message = "the message is empty; say something",
                 .rule = "message_empty"});
  if (auto ok = check_changed(before, message); !ok)
    return fail(std::move(ok.error()));
  auto after = before;
  if (auto ok = add_message(after, {.role = message.role,
                                    .content = message.content,
                                    .timestamp = format_timestamp(message.at)});
      !ok)
    return fail(std::move(ok.error()));
  if (auto ok = check_time(before, message.at); !ok)
    return fail(std::move(ok.error()));
  lifecycle_events events;
  if (message.role == message_role::user)
    record_intent(before, message, events);
  return accept(before, std::move(after), message.at, std::move(events), known);
}

result<changed_dialog> move_dialog(const dialog& before, dialog_status to,
                                   timestamp_ms at,
                                   const object_lookup& known) {
  if (before.status == to) // without an event, check_change sees no change
    if (auto made = transition(find_lifecycle(module::dialog),
                               {.id = before.dialog_id,
                                .from = to_word(before.status),
                                .to = to_word(to)});
        !made)
      return fail(std::move(made.error()));
  auto after = before;
  after.status = to;
  if (is_final(to)) {
    if (auto ok = check_time(before, at); !ok)
      return fail(std::move(ok.error()));
    after.ended_at = format_timestamp(at);
  }
  return accept(before, std::move(after), at, {}, known);
}

} // namespace convene::protocol
