#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/json/json_digest.hpp>

namespace convene::protocol {

CONVENE_DESCRIBE(action, MEMBER(position, not_empty), MEMBER(kind),
                 MEMBER(name, not_empty), SPARSE(arguments, any_json),
                 SPARSE(repeatable));

CONVENE_DESCRIBE(action_error, SPARSE(code), SPARSE(message),
                 SPARSE(transient));

CONVENE_DESCRIBE(action_result, MEMBER(status), SPARSE(output, any_json),
                 SPARSE(error), SPARSE(usage));

result<action> decode_action(const json::value& from,
                             std::string_view pointer) {
  return decode<action>(from, pointer);
}

json::object encode(const action& from) {
  return std::move(write(from).as_object());
}

result<action_result> decode_action_result(const json::value& from,
                                           std::string_view pointer) {
  return decode<action_result>(from, pointer);
}

json::object encode(const action_result& from) {
  return std::move(write(from).as_object());
}

std::string digest_of(const action& what, const action_result& result) {
  return json_sha256(
    json::object{{"action", encode(what)}, {"result", encode(result)}});
}

} // namespace convene::protocol
