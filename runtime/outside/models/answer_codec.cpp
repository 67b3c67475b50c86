#include <convene/protocol/codec/object_reader.hpp>
#include <convene/protocol/codec/object_writer.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/runtime/outside/models/answer_codec.hpp>

namespace convene::host {

void describe(auto& v, protocol::of<tool_call> auto& x) {
  v.sparse("id", x.id);
  v.member("name", x.name);
  v.sparse("arguments", x.arguments);
  v.sparse("extra", x.extra);
}

void describe(auto& v, protocol::of<model_answer> auto& x) {
  v.sparse("text", x.text);
  v.sparse("tool_calls", x.calls, protocol::at_most(tool_calls_max));
  v.defaulted("finish", x.finish);
  v.sparse("refusal", x.refusal);
  v.sparse("usage", x.usage);
  v.sparse("original", x.original);
}

protocol::json::object encode(const model_answer& what) {
  return std::move(protocol::write(what).as_object());
}

protocol::result<model_answer>
decode_model_answer(const protocol::json::value& from) {
  protocol::reading r;
  model_answer to;
  if (!protocol::read(r, from, protocol::place{}, protocol::anything, to))
    return protocol::fail(*std::move(r.fault));
  return to;
}

} // namespace convene::host
