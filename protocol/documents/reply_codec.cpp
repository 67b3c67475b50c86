#include <convene/protocol/base/nearest.hpp>
#include <convene/protocol/documents/describe_reply.hpp>
#include <convene/protocol/documents/described_codec.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>

namespace convene::protocol {
namespace {

constexpr std::string_view decision_names[]{
  "dispatch", "broadcast", "close_step", "complete", "wait", "handoff", "ask"};

template <class T>
bool read_decision(reading& r, const json::value& from, const place& at,
                   decision& to) {
  return read(r, from, at, anything, to.emplace<T>());
}

/// Whom a dispatch is for must be said, and said once.
bool check_dispatch(reading& r, const place& at, const decision& what) {
  const auto& dispatch = std::get<dispatch_decision>(what);
  if (!dispatch.participant.empty() && !dispatch.role.empty())
    return r.refuse(at, "oneOf",
                    "name either a participant or a role, not both");
  if (dispatch.participant.empty() && dispatch.role.empty()
      && dispatch.step_id.empty())
    return r.refuse(at, "required", "name a participant, a role or a step_id");
  return true;
}

} // namespace

bool read_variant(reading& r, const json::value& from, const place& at,
                  decision& to) {
  const auto* object = from.if_object();
  if (!object || object->size() != 1)
    return r.refuse(at, object ? "oneOf" : "type",
                    "write an object with exactly one decision here",
                    shorten_value(from));
  const std::string_view name = object->begin()->key();
  const auto& inside = object->begin()->value();
  const place within{&at, name, {}};
  if (name == "dispatch")
    return read_decision<dispatch_decision>(r, inside, within, to)
           && check_dispatch(r, within, to);
  if (name == "broadcast")
    return read_decision<broadcast_decision>(r, inside, within, to);
  if (name == "close_step")
    return read_decision<close_step_decision>(r, inside, within, to);
  if (name == "complete")
    return read_decision<complete_decision>(r, inside, within, to);
  if (name == "wait")
    return read_decision<wait_decision>(r, inside, within, to);
  if (name == "handoff")
    return read_decision<handoff>(r, inside, within, to);
  if (name == "ask")
    return read_decision<ask_decision>(r, inside, within, to);
  return r.refuse(within, "additionalProperties",
                  "no decision has this name" + suggest(name, decision_names),
                  shorten_value(inside));
}

std::string_view decision_name(std::size_t index) noexcept {
  return decision_names[index];
}

json::value write_variant(const decision& from) {
  json::object object;
  visit_variant(from, [&](std::string_view name, const auto& value) {
    object.emplace(name, write(value));
  });
  return object;
}

result<reply> decode_reply(const json::value& from, std::string_view pointer) {
  return decode<reply>(from, pointer);
}

json::object encode(const reply& from) {
  return std::move(write(from).as_object());
}

} // namespace convene::protocol
