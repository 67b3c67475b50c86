#include <boost/json/serialize.hpp>
#include <convene/protocol/documents/reply_codec.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/participants/approval.hpp>
#include <convene/runtime/outside/participants/http.hpp>
#include <convene/runtime/outside/participants/request_json.hpp>
#include <convene/runtime/outside/participants/signature.hpp>
#include <convene/runtime/outside/participants/trace_headers.hpp>

#include <string>
#include <utility>

namespace convene::host {
namespace {

/// The largest reply that a session takes, and something for white space.
constexpr std::size_t reply_bytes_max = 2U << 20;

/// What a 202 leaves on the log as the action's output.
const protocol::json::value& later_output() {
  static const protocol::json::value made{{"http_status", 202}};
  return made;
}

/// The service's answer as the action's output: any JSON.
protocol::action_result result_of(http_answer got) {
  if (!got.is_ok())
    return {.status = got.error.code == "timed_out"
                        ? protocol::action_status::timed_out
                        : protocol::action_status::failed,
            .error = std::move(got.error)};
  if (got.status == 202)
    return {.output = later_output()};
  auto read = protocol::parse_json(got.body);
  if (!read)
    return {.status = protocol::action_status::failed,
            .error = {.code = "service_reply_invalid",
                      .message = "the service's answer is not JSON: "
                                 + protocol::to_string(read.error())
                                 + "; a reply is an object such as "
                                   "{\"content\": \"...\"}"}};
  if (*read == later_output())
    return {.status = protocol::action_status::failed,
            .error
            = {.code = "service_reply_invalid",
               .message = "the service's answer is not a reply; a service "
                          "whose reply comes later answers with the "
                          "status 202"}};
  return {.output = *std::move(read)};
}

protocol::reply reply_from(protocol::action_result result) {
  if (result.status != protocol::action_status::completed)
    return failed_reply(std::move(result.error.code),
                        std::move(result.error.message));
  auto reply = protocol::decode_reply(result.output);
  return reply ? *std::move(reply)
               : failed_reply("service_reply_invalid",
                              "the service's reply: "
                                + protocol::to_string(reply.error()));
}

} // namespace

http_behaviour::http_behaviour(http_settings settings,
                               std::shared_ptr<paced_client> by,
                               std::string secret,
                               std::shared_ptr<reply_desk> desk,
                               std::shared_ptr<people> approvers)
  : settings_(std::make_shared<const http_settings>(std::move(settings))),
    by_(std::move(by)), secret_(std::move(secret)), desk_(std::move(desk)),
    approvers_(std::move(approvers)) {
  // nop
}

void http_behaviour::begin(actors::turn_request asked) {
  const auto live = asked.live;
  auto content = to_json(asked, settings_->workspace);
  if (desk_)
    if (auto url = desk_->reply_url(asked); !url.empty())
      content["reply_url"] = std::move(url);
  const auto body
    = std::make_shared<const std::string>(boost::json::serialize(content));
  const auto origin = origin_of(settings_->url);
  const auto provider = origin ? to_string(*origin) : settings_->url;
  // Not the body: it has the deadline, which another delivery changes.
  protocol::action what{.position = "1.0",
                        .kind = protocol::action_kind::http,
                        .name = provider,
                        .arguments
                        = protocol::json::object{{"method", "POST"},
                                                 {"task", asked.task}},
                        .repeatable = settings_->repeatable,
                        .timeout_ms = settings_->timeout_ms,
                        .question = question_of(std::move(content))};
  const auto attempts = settings_->repeatable ? settings_->retries + 1 : 1;
  auto attempt = [settings = settings_, by = by_, secret = secret_, body,
                  provider](const actors::attempt& which,
                            actors::when_acted then) {
    http_request call{.url = settings->url,
                      .headers = {{"Content-Type", "application/json"},
                                  {"Idempotency-Key", which.idempotency_key}},
                      .body = *body,
                      .timeout_ms = which.timeout_ms,
                      .body_bytes_max = reply_bytes_max,
                      .repeatable = settings->repeatable};
    add_trace_headers(call, which.trace);
    for (const auto& [name, value] : settings->headers)
      call.headers.push_back({name, value});
    if (!secret.empty())
      add_signature(call, secret);
    return by->start(provider, settings->limits, 0, std::move(call),
                     [then = std::move(then)](http_answer got) {
                       then(result_of(std::move(got)));
                     });
  };
  auto then = [live, asked, desk = desk_](protocol::action_result result) {
    if (result.status != protocol::action_status::completed
        || result.output != later_output())
      live->answer(reply_from(std::move(result)));
    else if (desk)
      desk->show(asked);
    else
      live->answer(failed_reply(
        "service_reply_later",
        "the service answered 202, that its reply comes later; replies come "
        "later to a server only: run the scenario with convene serve"));
  };
  auto carry_out = [live, asked, desk = desk_, what, attempts,
                    attempt = std::move(attempt), then] {
    if (desk) // the reply may come before the answer to the call
      desk->expect(asked);
    live->act(what, {.attempts = static_cast<std::uint32_t>(attempts)}, attempt,
              then);
  };
  if (settings_->approve.empty())
    return carry_out();
  ask_approval(port_of(live), approvers_, asked, what, std::move(carry_out),
               then);
}

} // namespace convene::host
