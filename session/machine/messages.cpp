// What somebody says who was not asked.

#include <convene/protocol/json/json_text.hpp>
#include <convene/session/machine/machine.hpp>

#include <string>
#include <utility>

namespace convene::session {
namespace {

tl::unexpected<protocol::error> no_message(std::string rule, std::string why) {
  return protocol::fail(protocol::errc::not_allowed, std::move(why),
                        std::move(rule));
}

} // namespace

protocol::result<void> machine::may_take(const message& what) const {
  using protocol::participant_kind;
  if (!started_ || ended())
    return no_message("session_ended", "the session does not run");
  if (what.from != no_participant) {
    if (what.from >= members_.size())
      return no_message("participant_unknown",
                        "no participant of this id takes part in the session");
    const auto kind = spec_.collab.participants[what.from].kind;
    if (kind != participant_kind::human && kind != participant_kind::external)
      return no_message(
        "message_sender",
        "only participants of kind human or external say something "
        "unasked; without a participant it is the user of the "
        "session");
  }
  if (what.content.empty())
    return no_message("message_empty", "the message has no content");
  if (what.content.size() > message_bytes_max)
    return no_message("message_bytes_max", "a message has at most "
                                             + std::to_string(message_bytes_max)
                                             + " bytes");
  if (talk_.size() >= dialog_messages_max
      || talk_.all().bytes() + what.content.size() > dialog_bytes_max)
    return no_message("dialog_full", "the session's dialog has "
                                       + std::to_string(talk_.size())
                                       + " entries and takes no more messages");
  return {};
}

consequence machine::on(message&& m) {
  if (!protocol::valid_utf8(m.content))
    m.content = protocol::sanitize_utf8(std::move(m.content));
  if (!may_take(m)) {
    ++log_.counts().refused;
    return {};
  }
  const auto who = members_.name_of(m.from);
  log_.log_input({.input = "message", .who = who, .content = m.content});
  talk_.add({.participant = m.from, .at = log_.now(), .content = m.content});
  return {};
}

} // namespace convene::session
