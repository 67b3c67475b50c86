#include <convene/protocol/codec/text_writer.hpp>
#include <convene/protocol/conversation/describe_conversation.hpp>
#include <convene/protocol/conversation/sound_turn.hpp>
#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/same_value.hpp>

namespace convene::protocol {

CONVENE_CODEC(conversation_turn);
CONVENE_CODEC(conversation_opened);
CONVENE_CODEC(conversation_exchanged);
CONVENE_CODEC(conversation_closed);
CONVENE_CODEC(suspend_request);
CONVENE_CODEC(start_data);
CONVENE_CODEC(exchange_data);
CONVENE_CODEC(close_data);
CONVENE_CODEC(conversation_data);
CONVENE_CODEC(resume_body);
CONVENE_CODEC(approval_resume);
CONVENE_CODEC(exchange_resume);
CONVENE_CODEC(close_resume);
CONVENE_CODEC(run_event);
CONVENE_CODEC(node_suspended);
CONVENE_CODEC(interrupt_requested);
CONVENE_CODEC(interrupt_resolved);
CONVENE_CODEC(node_resumed);

bool is_sound(const conversation_turn& turn, std::size_t bytes_max) {
  byte_buffer text;
  bool sound = true;
  {
    json_writer out{text};
    sound = write_text_of(out, turn);
  }
  return sound && text.size() <= bytes_max && valid_utf8(text.view());
}

bool same_turn(const conversation_turn& a, const conversation_turn& b) {
  return same_value(write(a), write(b));
}

} // namespace convene::protocol
