#include <convene/protocol/dialog/messages.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <utility>

namespace convene::protocol {
namespace {

std::string place(const dialog& of) {
  return "/messages/" + std::to_string(of.messages.size());
}

result<void> check(const dialog& to, const dialog_message& message) {
  if (to.status != dialog_status::active)
    return fail({.code = errc::not_allowed,
                 .message = "a dialog takes messages only while it is active; "
                            "resume it or start another of its thread",
                 .pointer = "/status",
                 .rule = "dialog_active",
                 .value = std::string{to_word(to.status)}});
  if (to.messages.size() >= dialog_messages_max)
    return fail({.code = errc::limit_reached,
                 .message = "the dialog is full; continue in another of its "
                            "thread",
                 .pointer = "/messages",
                 .rule = "dialog_messages_max",
                 .value = std::to_string(dialog_messages_max)});
  if (message.content.size() > message_bytes_max)
    return fail({.code = errc::limit_reached,
                 .message = "the message is too long",
                 .pointer = place(to) + "/content",
                 .rule = "message_bytes_max",
                 .value = std::to_string(message.content.size())});
  if (!valid_utf8(message.content))
    return fail({.code = errc::invalid_document,
                 .message = "the message is not UTF-8",
                 .pointer = place(to) + "/content",
                 .rule = "utf8"});
  const auto at = parse_timestamp(message.timestamp);
  if (!at)
    return fail({.code = errc::invalid_document,
                 .message = "the time must be a date-time such as "
                            "2026-01-31T12:00:00.000Z",
                 .pointer = place(to) + "/timestamp",
                 .rule = "format",
                 .value = shorten(message.timestamp)});
  // Documents from elsewhere may hold times that we cannot read; they bind
  // nobody.
  const auto last = to.messages.empty()
                      ? std::nullopt
                      : parse_timestamp(to.messages.back().timestamp);
  if (last && *at < *last)
    return fail({.code = errc::not_allowed,
                 .message = "a message cannot be older than the one before it "
                            "("
                            + to.messages.back().timestamp + ')',
                 .pointer = place(to) + "/timestamp",
                 .rule = "message_order",
                 .value = message.timestamp});
  return {};
}

} // namespace

dialog start_dialog(const dialog_start& with) {
  const auto at = format_timestamp(with.at);
  dialog made{.meta = {.created_at = at},
              .dialog_id = with.dialog_id,
              .context_id = with.context_id,
              .thread_id = with.thread_id,
              .started_at = at};
  if (!with.system_prompt.empty())
    made.messages.push_back({.role = message_role::system,
                             .content = with.system_prompt,
                             .timestamp = at});
  return made;
}

result<void> add_message(dialog& to, dialog_message message) {
  if (auto fine = check(to, message); !fine)
    return fine;
  to.messages.push_back(std::move(message));
  return {};
}

} // namespace convene::protocol
