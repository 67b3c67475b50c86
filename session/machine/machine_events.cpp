// How the session machine names things on the log.

#include <convene/protocol/events/event_encoding.hpp>
#include <convene/session/machine/append.hpp>

namespace convene::session {
namespace {

/// Ids of different purposes come from one key without ever meeting.
enum id_space : std::uint64_t { event_ids, token_ids, other_ids };

} // namespace

protocol::event_head machine::next_event() {
  return {.event_id = protocol::derive_uuid(key_, event_ids, event_count_++),
          .session_id = spec_.collab.collab_id,
          .timestamp = now_};
}

protocol::uuid machine::next_id() {
  return protocol::derive_uuid(key_, other_ids, id_count_++);
}

protocol::uuid machine::token_of(std::uint32_t turn_number) const {
  return protocol::derive_uuid(key_, token_ids, turn_number);
}

protocol::actor_name machine::name_of(participant_index who) const {
  return {.participant_id = participants_[who].id,
          .role_id = participants_[who].role};
}

std::string_view machine::initiator_role() const {
  return roster_.initiator == no_participant
           ? std::string_view{}
           : participants_[roster_.initiator].role;
}

void machine::log_input(std::string_view executor_kind, participant_index who,
                        std::string_view payload) {
  append(protocol::session_input{.execution_id = next_id(),
                                 .executor_kind = executor_kind,
                                 .executor_role = who == no_participant
                                                    ? std::string_view{}
                                                    : participants_[who].role,
                                 .payload = payload});
}

void machine::log_answer(std::string_view what, participant_index who,
                         const protocol::uuid& token,
                         const protocol::reply& reply) {
  protocol::byte_buffer payload;
  {
    protocol::json_writer out{payload};
    out.raw(R"({"input":)").string(what);
    out.raw(R"(,"participant_id":)").string(participants_[who].id);
    out.raw(R"(,"request_id":)").id(token);
    write_reply(out.raw(R"(,"reply":)"), reply);
    out.raw("}");
  }
  log_input("agent", who, payload.view());
}

void machine::log_simple_input(std::string_view what, participant_index who,
                               std::string_view reason) {
  protocol::byte_buffer payload;
  {
    protocol::json_writer out{payload};
    out.raw(R"({"input":)").string(what);
    if (who != no_participant)
      out.raw(R"(,"participant_id":)").string(participants_[who].id);
    if (!reason.empty())
      out.raw(R"(,"reason":)").string(reason);
    out.raw("}");
  }
  log_input("worker", who, payload.view());
}

} // namespace convene::session
