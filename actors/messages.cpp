#include <boost/json/serialize.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/sec.hpp>
#include <convene/actors/messages.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/events/event_encoding.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <utility>

namespace convene::actors {

namespace {

/// Reads JSON by `decode`.
template <class T, class Decode>
caf::error from_text(const std::string& text, T& into, Decode decode) {
  auto made = protocol::parse_json(text).and_then(
    [&](const auto& parsed) { return decode(parsed); });
  if (!made)
    return caf::make_error(caf::sec::invalid_argument, to_string(made.error()));
  into = *std::move(made);
  return caf::none;
}

} // namespace

std::string action_to_text(const protocol::action& of) {
  return protocol::json::serialize(protocol::encode(of));
}

caf::error action_from_text(const std::string& text, protocol::action& into) {
  return from_text(text, into, [](const auto& parsed) {
    return protocol::decode_action(parsed);
  });
}

std::string result_to_text(const protocol::action_result& of) {
  return protocol::json::serialize(protocol::encode(of));
}

caf::error result_from_text(const std::string& text,
                            protocol::action_result& into) {
  return from_text(text, into, [](const auto& parsed) {
    return protocol::decode_action_result(parsed);
  });
}

std::string reply_to_text(const protocol::reply& reply) {
  protocol::byte_buffer buffer;
  {
    protocol::json_writer out{buffer};
    write_reply(out, reply);
  }
  return std::string{buffer.view()};
}

caf::error reply_from_text(const std::string& text, protocol::reply& into) {
  return from_text(text, into, [](const auto& parsed) {
    return protocol::decode_reply(parsed, "");
  });
}

std::string workspace_to_text(const session::workspace_view& of) {
  return protocol::json::serialize(of.to_json());
}

caf::error workspace_from_text(const std::string& text,
                               session::workspace_view& into) {
  return from_text(text, into, [](const auto& parsed) {
    return session::workspace_view::from_json(parsed);
  });
}

std::string value_to_text(const protocol::json::value& of) {
  return protocol::json::serialize(of);
}

caf::error value_from_text(const std::string& text,
                           protocol::json::value& into) {
  auto made = protocol::parse_json(text);
  if (!made)
    return caf::make_error(caf::sec::invalid_argument, to_string(made.error()));
  into = *std::move(made);
  return caf::none;
}

void add_messages(caf::actor_system_config& config) {
  config.add_message_type<session::request>("convene::request")
    .add_message_type<reply_msg>("convene::reply_msg")
    .add_message_type<write_msg>("convene::write_msg")
    .add_message_type<action_begin_msg>("convene::action_begin_msg")
    .add_message_type<action_end_msg>("convene::action_end_msg")
    .add_message_type<action_due_msg>("convene::action_due_msg")
    .add_message_type<from_turn_msg>("convene::from_turn_msg")
    .add_message_type<notice_msg>("convene::notice_msg")
    .add_message_type<control>("convene::control")
    .add_message_type<comeback>("convene::comeback")
    .add_message_type<time_passed>("convene::time_passed")
    .add_message_type<events_durable>("convene::events_durable");
}

} // namespace convene::actors
