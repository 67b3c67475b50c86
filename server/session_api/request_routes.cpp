#include <boost/json/serialize.hpp>
#include <convene/protocol/boundary/boundary.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/runtime/data/scenario/locate.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <convene/server/session_api/answers.hpp>
#include <convene/server/session_api/check_answer.hpp>
#include <convene/server/session_api/session_routes.hpp>
#include <convene/session/spec/normalise.hpp>

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

constexpr std::uint64_t requests_default = 100;
constexpr std::uint64_t requests_max = 1'000;
constexpr std::size_t list_bytes = std::size_t{4} << 20;
constexpr std::size_t reply_bytes_max = std::size_t{1} << 20;

/// Whose questions the caller asks for, and may see.
question_filter filter_of(const request& from) {
  const auto text = [&](std::string_view name) {
    return std::string{from.parameter_of_query(name).value_or("")};
  };
  question_filter whose{.session_id = text("session"),
                        .participant = text("participant")};
  if (!from.by.session_id.empty())
    whose.session_id = from.by.session_id;
  if (!from.by.participant_id.empty())
    whose.participant = from.by.participant_id;
  return whose;
}

/// Whether the query asks for what is somebody else's.
bool is_anothers(const request& from) {
  const auto differs = [&](std::string_view name, const std::string& own) {
    const auto wanted = from.parameter_of_query(name);
    return !own.empty() && wanted && *wanted != own;
  };
  return differs("session", from.by.session_id)
         || differs("participant", from.by.participant_id);
}

/// The open questions, as many as fit.
response list_response(const question_board::list& found) {
  std::string body = R"({"requests":[)";
  bool more = found.more;
  bool first = true;
  for (const auto& asked : found.open) {
    const auto text = host::request_json(*asked);
    if (!first && body.size() + text.size() > list_bytes) {
      more = true;
      break;
    }
    if (!first)
      body += ',';
    body += text;
    first = false;
  }
  body += R"(],"more":)";
  body += more ? "true}" : "false}";
  return {.body = std::move(body)};
}

void list_requests(session_host& host, const request& from,
                   const responder& to) {
  const auto limit = number_of(from, "limit", requests_default, 1,
                               requests_max);
  const auto wait = number_of(from, "wait_ms", 0, 0, wait_ms_max);
  for (const auto* each : {&limit, &wait})
    if (!*each)
      return to(refusal(each->error(), from));
  if (is_anothers(from))
    return to(list_response({}));
  const auto whose = filter_of(from);
  const auto board = host.questions();
  const auto answer = [board, whose, limit = *limit] {
    return list_response(board->open(whose, static_cast<std::size_t>(limit)));
  };
  const std::chrono::milliseconds time{*wait};
  if (*wait == 0
      || !board->when_asked(
        whose,
        [to, answer, feed = host.events()] {
          if (to.is_answered())
            return;
          // Not on the thread of who asks.
          if (!feed->run([to, answer] {
                if (!to.is_answered())
                  to(answer());
              }))
            to(overloaded());
        },
        question_board::clock::now() + time + std::chrono::seconds{1}))
    return to(answer());
  to.after(time, answer);
}

response invalid_reply(protocol::error why, const std::string& body) {
  const auto at = host::locate(body, why.pointer);
  why.line = at.line;
  why.column = at.column;
  return refusal(422, "reply_invalid", why.message,
                 {{"errors", json::array{validation_error(why)}}});
}

response outcome_response(const answer_outcome& outcome,
                          const std::string& token, const std::string& body) {
  using kind = answer_outcome::kind;
  json::object made{{"token", token},
                    {"session_id", outcome.session_id},
                    {"participant_id", outcome.participant},
                    {"status", "accepted"}};
  switch (outcome.what) {
    case kind::accepted:
      return json_response(200, made);
    case kind::duplicate:
      made["duplicate"] = true;
      return json_response(200, made);
    case kind::answered_otherwise:
      return refusal(409, "request_already_answered",
                     "the request has been answered, with another answer");
    case kind::over:
      return refusal(410, "request_over",
                     "the request was closed before an answer came",
                     {{"how", outcome.how}});
    case kind::refused:
      return invalid_reply(outcome.why, body);
    case kind::ambiguous:
      return refusal(409, "participant_needed",
                     "several people are asked this: say by ?participant= who "
                     "answers");
    case kind::stopping:
      return refusal(503, "server_stopping",
                     "the server stops; give the same answer again when it is "
                     "back");
    case kind::unknown:
      break;
  }
  return refusal(404, "request_unknown", "there is no such request");
}

/// Why the session would take the reply as a failed one: it breaks a bound that
/// only the session knows.
std::optional<protocol::error> why_not_fit(const protocol::reply& given) {
  auto taken = given;
  session::normalise(taken);
  if (taken.status != protocol::reply_status::failed
      || given.status == protocol::reply_status::failed)
    return std::nullopt;
  return protocol::error{.code = protocol::errc::limit_reached,
                         .message = taken.error.message,
                         .rule = taken.error.code};
}

void reply(session_host& host, const request& from, const responder& to) {
  const auto parameter = from.parameters.find("token");
  const auto token = parameter == from.parameters.end() ? std::string{}
                                                        : parameter->second;
  if (is_anothers(from))
    return to(outcome_response({}, token, from.body));
  // Nobody's answer counts because its body got lost.
  if (from.body.empty())
    return to(refusal(400, "invalid_json",
                      "the body is empty: give a reply, {} to say nothing"));
  auto body = object_of_body(from, reply_bytes_max);
  if (!body)
    return to(refusal(body.error(), from));
  auto given = protocol::decode_reply(*body);
  if (!given)
    return to(invalid_reply(given.error(), from.body));
  const auto rules = protocol::boundary::embedded_rules();
  if (!rules)
    return to(refusal(rules.error(), from));
  if (const auto wrong = protocol::boundary::check_reply(**rules, *given))
    return to(invalid_reply(*wrong, from.body));
  if (const auto why = why_not_fit(*given))
    return to(invalid_reply(*why, from.body));
  host.questions()->answer(
    {.token = token,
     .whose = filter_of(from),
     .reply = *std::move(given),
     .check = check_answer,
     .then = [to, token, text = from.body](const answer_outcome& outcome) {
       to(outcome_response(outcome, token, text));
     }});
  to.after(durable_limit, [] {
    return refusal(503, "not_durable_yet",
                   "the answer is not on disk yet; give the same one again");
  });
}

} // namespace

routes request_routes(session_host& host) {
  return {{.method = "GET",
           .pattern = "/v1/requests",
           .scope = "approvals:respond",
           .call
           = [&host](const request& from,
                     const responder& to) { list_requests(host, from, to); },
           .for_one_person = true},
          {.method = "POST",
           .pattern = "/v1/requests/{token}/reply",
           .scope = "approvals:respond",
           .call = [&host](const request& from,
                           const responder& to) { reply(host, from, to); },
           .for_one_person = true}};
}

} // namespace convene::server
