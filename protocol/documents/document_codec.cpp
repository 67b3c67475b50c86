#include <convene/protocol/documents/describe.hpp>
#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/documents/encode_trace.hpp>

namespace convene::protocol {

CONVENE_CODEC(collab);
CONVENE_CODEC(confirm);
CONVENE_CODEC(confirm_decision);
CONVENE_CODEC(context);
CONVENE_CODEC(core);
CONVENE_CODEC(dialog);
CONVENE_CODEC(extension);
CONVENE_CODEC(network);
CONVENE_CODEC(plan);
CONVENE_CODEC(plan_step);
CONVENE_CODEC(role);
CONVENE_CODEC(trace);

json::value encode_trace(const trace& from, const json::storage_ptr& memory) {
  return write(from, memory);
}

} // namespace convene::protocol
