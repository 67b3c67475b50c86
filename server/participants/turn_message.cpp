#include <boost/json/serialize.hpp>
#include <convene/protocol/base/hex.hpp>
#include <convene/protocol/documents/action_codec.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/log/digest/digest.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <convene/runtime/outside/participants/request_reading.hpp>
#include <convene/server/participants/turn_message.hpp>
#include <openssl/crypto.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace convene::server {
namespace {

namespace json = protocol::json;

using protocol::fail;
using protocol::result;
using session::participant_index;

constexpr std::size_t participants_max = 100'000;

tl::unexpected<protocol::error> no_valid(std::string_view member) {
  return fail(protocol::errc::invalid_document,
              "a message of another node has no valid \"" + std::string{member}
                + '"',
              "node_message");
}

/// A whole number that is not negative, within `Number`; `into` is unchanged
/// if there is none.
template <class Number>
bool read_number(const json::object& from, std::string_view name,
                 Number& into) {
  const auto found = protocol::integer_of(from, name);
  if (!found || *found < 0
      || static_cast<std::uint64_t>(*found)
           > static_cast<std::uint64_t>(std::numeric_limits<Number>::max()))
    return false;
  into = static_cast<Number>(*found);
  return true;
}

json::object encode_actions(const session::recorded_actions& from) {
  json::array all;
  for (const auto& one : from.all) {
    json::object made{{"action", protocol::encode(one.what)},
                      {"attempt", one.attempt}};
    if (one.ended)
      made.emplace("result", protocol::encode(one.result));
    all.push_back(std::move(made));
  }
  return {{"first_token", to_string(from.first_token)},
          {"all", std::move(all)}};
}

result<session::recorded_actions> decode_actions(const json::object& from) {
  session::recorded_actions made;
  const auto* const all = from.if_contains("all");
  const auto first
    = protocol::parse_uuid(protocol::text_of(from, "first_token"));
  if (!first || all == nullptr || !all->is_array()
      || all->get_array().size() > session::actions_max)
    return no_valid("actions");
  made.first_token = *first;
  for (const auto& each : all->get_array()) {
    session::recorded_action one;
    const auto* const object = each.if_object();
    if (object == nullptr || !read_number(*object, "attempt", one.attempt))
      return no_valid("actions");
    auto what = protocol::decode_action(protocol::object_of(*object, "action"));
    if (!what)
      return fail(std::move(what).error());
    one.what = *std::move(what);
    if (const auto* const ended = object->if_contains("result")) {
      auto result = protocol::decode_action_result(*ended);
      if (!result)
        return fail(std::move(result).error());
      one.ended = true;
      one.result = *std::move(result);
    }
    made.all.push_back(std::move(one));
  }
  return made;
}

participant_index position_of(const session::session_info& about,
                              std::string_view id) {
  const auto found = std::ranges::find(about.participants, id,
                                       &protocol::participant::participant_id);
  return found == about.participants.end()
           ? session::no_participant
           : static_cast<participant_index>(found - about.participants.begin());
}

std::string proof_of(std::string_view key, std::string_view token,
                     std::uint64_t n, std::string_view text) {
  std::string covered{token};
  covered += ' ';
  covered += std::to_string(n);
  covered += ' ';
  covered += text;
  return protocol::hex_of(host::hmac_sha256(key, covered));
}

} // namespace

json::object encode_turn(const actors::turn_request& asked,
                         std::int64_t left_ms) {
  auto request = host::to_json(asked, host::workspace_part::changes);
  request.erase("workspace"); // which comes whole, with its revisions
  json::object made{{"request", std::move(request)},
                    {"kind_sequence", asked.kind_sequence},
                    {"workspace", asked.workspace.to_json()},
                    {"workspace_since", asked.workspace_since},
                    {"left_ms", std::max<std::int64_t>(left_ms, 0)}};
  if (const auto& before = asked.live->actions().before(); !before->all.empty())
    made.emplace("actions", encode_actions(*before));
  return made;
}

result<turn_order> decode_turn(const json::object& from,
                               const session::session_info& about) {
  const auto* const request = from.if_contains("request");
  const auto* const workspace = from.if_contains("workspace");
  if (request == nullptr)
    return no_valid("request");
  if (workspace == nullptr)
    return no_valid("workspace");
  auto asked = host::read_request(*request, about);
  if (!asked)
    return fail(std::move(asked).error());
  auto view = session::workspace_view::from_json(*workspace);
  if (!view)
    return fail(std::move(view).error());
  turn_order made{.asked = *std::move(asked)};
  made.asked.workspace = *std::move(view);
  if (!read_number(from, "kind_sequence", made.asked.kind_sequence))
    return no_valid("kind_sequence");
  if (!read_number(from, "workspace_since", made.asked.workspace_since))
    return no_valid("workspace_since");
  if (!read_number(from, "left_ms", made.left_ms))
    return no_valid("left_ms");
  made.self = position_of(about, made.asked.participant);
  if (made.self == session::no_participant
      || !protocol::parse_uuid(made.asked.token))
    return no_valid("request");
  if (from.contains("actions")) {
    auto before = decode_actions(protocol::object_of(from, "actions"));
    if (!before)
      return fail(std::move(before).error());
    made.before = *std::move(before);
  }
  return made;
}

json::object encode_session(const session::session_info& about) {
  json::array all;
  for (std::size_t i = 0; i < about.participants.size(); ++i) {
    const auto& one = about.participants[i];
    json::object made{{"participant_id", one.participant_id},
                      {"kind", protocol::to_word(one.kind)}};
    if (one.role_id)
      made.emplace("role_id", *one.role_id);
    if (one.display_name)
      made.emplace("display_name", *one.display_name);
    if (i < about.role_names.size() && !about.role_names[i].empty())
      made.emplace("role_name", about.role_names[i]);
    all.push_back(std::move(made));
  }
  json::object made{{"session_id", about.session_id},
                    {"title", about.title},
                    {"purpose", about.purpose},
                    {"mode", protocol::to_word(about.mode)},
                    {"participants", std::move(all)}};
  if (about.trace_context)
    made.emplace("trace",
                 json::object{{"traceparent", about.trace_context->traceparent},
                              {"tracestate", about.trace_context->tracestate}});
  return made;
}

result<session::session_info> decode_session(const json::object& from) {
  session::session_info made{
    .session_id = std::string{protocol::text_of(from, "session_id")},
    .title = std::string{protocol::text_of(from, "title")},
    .purpose = std::string{protocol::text_of(from, "purpose")}};
  const auto mode
    = protocol::from_word<protocol::mode>(protocol::text_of(from, "mode"));
  const auto* const all = from.if_contains("participants");
  if (!protocol::parse_uuid(made.session_id))
    return no_valid("session_id");
  if (!mode)
    return no_valid("mode");
  if (all == nullptr || !all->is_array()
      || all->get_array().size() > participants_max)
    return no_valid("participants");
  made.mode = *mode;
  for (const auto& each : all->get_array()) {
    const auto* const object = each.if_object();
    const auto kind = object == nullptr
                        ? std::nullopt
                        : protocol::from_word<protocol::participant_kind>(
                          protocol::text_of(*object, "kind"));
    if (!kind)
      return no_valid("participants");
    protocol::participant one;
    one.participant_id = protocol::text_of(*object, "participant_id");
    if (object->contains("role_id"))
      one.role_id = protocol::text_of(*object, "role_id");
    if (object->contains("display_name"))
      one.display_name = protocol::text_of(*object, "display_name");
    one.kind = *kind;
    made.participants.push_back(std::move(one));
    made.role_names.emplace_back(protocol::text_of(*object, "role_name"));
  }
  if (from.contains("trace")) {
    const auto& trace = protocol::object_of(from, "trace");
    made.trace_context = protocol::trace_context{
      .traceparent = std::string{protocol::text_of(trace, "traceparent")},
      .tracestate = std::string{protocol::text_of(trace, "tracestate")}};
    if (auto valid = protocol::check_trace_context(*made.trace_context, "");
        !valid)
      return fail(std::move(valid).error());
  }
  return made;
}

std::string notice_label(std::string_view token) {
  return "notice " + std::string{token};
}

std::string sign_line(std::string_view key, std::string_view token,
                      std::uint64_t n, std::string_view text) {
  auto made = proof_of(key, token, n, text);
  made += ' ';
  made += text;
  return made;
}

result<std::string_view> open_line(std::string_view line, std::string_view key,
                                   std::string_view token, std::uint64_t n) {
  if (line.size() > key_digits && line[key_digits] == ' ') {
    const auto text = line.substr(key_digits + 1);
    const auto proof = proof_of(key, token, n, text);
    if (CRYPTO_memcmp(proof.data(), line.data(), key_digits) == 0)
      return text;
  }
  return fail(protocol::errc::invalid_document,
              "a message does not prove that it belongs to this turn",
              "turn_unproven");
}

} // namespace convene::server
