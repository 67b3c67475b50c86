#include <convene/protocol/codec/object_writer.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/describe_reply.hpp>

namespace convene::protocol {

void describe(auto& v, of<action> auto& x) {
  v.member("position", x.position, not_empty);
  v.member("kind", x.kind);
  v.member("name", x.name, not_empty);
  v.sparse("arguments", x.arguments, any_json);
  v.sparse("repeatable", x.repeatable);
}

void describe(auto& v, of<action_error> auto& x) {
  v.sparse("code", x.code);
  v.sparse("message", x.message);
  v.sparse("transient", x.transient);
}

void describe(auto& v, of<action_result> auto& x) {
  v.member("status", x.status);
  v.sparse("output", x.output, any_json);
  v.sparse("error", x.error);
  v.sparse("usage", x.usage);
}

namespace {

template <class T>
result<T>
decode_action_part(const json::value& from, std::string_view pointer) {
  reading r;
  T to;
  if (!read(r, from, place{.name = pointer}, anything, to))
    return fail(*std::move(r.fault));
  return to;
}

} // namespace

result<action> decode_action(const json::value& from,
                             std::string_view pointer) {
  return decode_action_part<action>(from, pointer);
}

json::object encode(const action& from) {
  return std::move(write(from).as_object());
}

result<action_result> decode_action_result(const json::value& from,
                                           std::string_view pointer) {
  return decode_action_part<action_result>(from, pointer);
}

json::object encode(const action_result& from) {
  return std::move(write(from).as_object());
}

} // namespace convene::protocol
