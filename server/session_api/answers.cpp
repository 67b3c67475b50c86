#include <convene/protocol/json/json_text.hpp>
#include <convene/server/session_api/answers.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace convene::server {
namespace {

using protocol::errc;
using protocol::fail;
using protocol::result;

/// Rules that a caller can do something about.
struct known_rule {
  std::string_view rule;
  unsigned status;
  std::string_view code;
};

constexpr std::array known_rules{
  known_rule{"session_unknown", 404, "session_unknown"},
  known_rule{"session_ended", 409, "session_ended"},
  known_rule{"session_id", 409, "session_exists"},
  known_rule{"session_not_started", 409, "session_not_started"},
  known_rule{"dialog_full", 409, "dialog_full"},
  known_rule{"participant_unknown", 422, "participant_unknown"},
  known_rule{"message_sender", 422, "message_sender"},
  known_rule{"message_empty", 422, "message_empty"},
  known_rule{"message_bytes_max", 413, "message_bytes_max"},
  known_rule{"event_bytes_max", 413, "event_bytes_max"},
  known_rule{"session_starting", 409, "session_starting"},
  known_rule{"drafts_max", 503, "drafts_max"},
  known_rule{"sessions_max", 503, "sessions_max"},
  known_rule{"sessions_bytes_max", 503, "sessions_bytes_max"},
  known_rule{"key_sessions_max", 429, "key_sessions_max"},
  known_rule{"key_sessions_bytes_max", 429, "key_sessions_bytes_max"},
  known_rule{"runtime_closing", 503, "server_stopping"},
  known_rule{"session_suspended", 503, "server_stopping"},
  known_rule{"session_elsewhere", 503, "session_elsewhere"},
  known_rule{"session_moving", 503, "session_moving"},
  known_rule{"replay_diverged", 409, "replay_diverged"},
  known_rule{"rules_unsupported", 409, "rules_unsupported"},
  known_rule{"participant_unbound", 409, "participant_unbound"},
  known_rule{"permission_needed", 409, "permission_needed"},
  known_rule{"fork_point", 422, "fork_point"},
  known_rule{"fork_answer", 422, "fork_answer"},
  known_rule{"fork_bytes_max", 413, "fork_bytes_max"},
  known_rule{"scenario_bytes_max", 413, "scenario_bytes_max"},
  known_rule{"size", 413, "body_bytes_max"},
  known_rule{"string_size", 413, "body_bytes_max"}};

boost::json::object place_of(const protocol::error& why) {
  boost::json::object made;
  if (!why.pointer.empty())
    made["instance"] = why.pointer;
  if (!why.rule.empty())
    made["keyword"] = why.rule;
  if (why.line != 0) {
    made["line"] = why.line;
    made["column"] = why.column;
  }
  return made;
}

} // namespace

response refusal(unsigned status, std::string_view code,
                 std::string_view message, boost::json::object details) {
  return error_response(error_form::native, status, code, message,
                        std::move(details));
}

response refusal(const protocol::error& why, const request& to) {
  const auto* known = std::ranges::find(known_rules, why.rule,
                                        &known_rule::rule);
  if (known != known_rules.end())
    return refusal(known->status, known->code, why.message);
  if (why.code == errc::usage || why.code == errc::invalid_json)
    return refusal(400, to_word(why.code), why.message, place_of(why));
  if (why.code == errc::invalid_document || why.code == errc::limit_reached)
    return refusal(422, to_word(why.code), why.message, place_of(why));
  spdlog::error("request {}: {}", to.id, to_string(why));
  return refusal(500, "internal_error",
                 "the server failed; its diagnostic log says why, under this "
                 "request's id");
}

boost::json::object validation_error(const protocol::error& what,
                                     std::string_view schema_path) {
  boost::json::object made{{"instance", what.pointer},
                           {"schema_path", schema_path},
                           {"keyword", what.rule},
                           {"message", what.message}};
  if (what.line != 0) {
    made["line"] = what.line;
    made["column"] = what.column;
  }
  return made;
}

protocol::error session_unknown() {
  return {.code = errc::unreadable,
          .message = "there is no such session; ended ones are removed after a "
                     "while if the server runs with --keep-days or "
                     "--keep-bytes",
          .rule = "session_unknown"};
}

result<session_row> session_of(const request& from, session_host& host) {
  const auto id = from.parameters.find("id");
  auto row = id == from.parameters.end()
                 || (!from.by.session_id.empty()
                     && from.by.session_id != id->second)
               ? std::nullopt
               : host.events()->sessions().find(id->second);
  if (!row)
    return fail(session_unknown());
  return *std::move(row);
}

result<std::uint64_t> number_of(const request& from, std::string_view name,
                                std::uint64_t otherwise, std::uint64_t least,
                                std::uint64_t most) {
  const auto text = from.parameter_of_query(name);
  if (!text)
    return otherwise;
  std::uint64_t number = 0;
  const auto* const end = text->data() + text->size();
  const auto [at, bad] = std::from_chars(text->data(), end, number);
  if (bad != std::errc{} || at != end || number < least || number > most)
    return fail({.code = errc::usage,
                 .message = "`" + std::string{name}
                            + "` in the query must be a number from "
                            + std::to_string(least) + " to "
                            + std::to_string(most),
                 .rule = std::string{name},
                 .value = protocol::shorten(*text)});
  return number;
}

result<protocol::json::object> object_of_body(const request& from,
                                              std::size_t bytes_max) {
  if (from.body.empty())
    return protocol::json::object{};
  auto value = protocol::parse_json(from.body,
                                    {.depth = 100, .bytes = bytes_max});
  if (!value) {
    auto why = std::move(value).error();
    if (why.rule != "size" && why.rule != "string_size")
      why.code = errc::invalid_json;
    return fail(std::move(why));
  }
  if (!value->is_object())
    return fail(errc::invalid_json, "the body must be a JSON object", "type");
  return std::move(value->get_object());
}

response start_not_durable() {
  return refusal(503, "not_durable_yet",
                 "the session's start is not on disk yet; it may still begin: "
                 "look for it in the list");
}

response overloaded() {
  return refusal(503, "overloaded",
                 "too many requests are waiting; try again later");
}

} // namespace convene::server
