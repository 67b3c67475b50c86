#include <convene/protocol/json/json_text.hpp>
#include <convene/server/http/dispatcher.hpp>
#include <convene/server/http/target.hpp>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <exception>
#include <utility>
#include <variant>

namespace convene::server {
namespace {

constexpr std::size_t idempotency_key_max = 255;

response refused_by(error_form errors, const http_refusal& why) {
  const auto is_openwop = errors == error_form::openwop;
  return error_response(errors, why.status,
                        is_openwop && why.code == "bad_request"
                          ? "validation_error"
                          : why.code,
                        why.message);
}

/// Whether it is this media type, with or without parameters.
bool is_type(std::string_view content_type, std::string_view wanted) {
  if (content_type.size() < wanted.size()
      || !std::ranges::equal(
        content_type.substr(0, wanted.size()), wanted,
        [](char one, char other) {
          return (one >= 'A' && one <= 'Z' ? one - 'A' + 'a' : one) == other;
        }))
    return false;
  const auto rest = content_type.substr(wanted.size());
  return rest.empty() || rest.find_first_of("; \t") == 0;
}

/// Whether a proxy has passed it on, by what proxies, load balancers, tunnels
/// and content networks add.
bool is_forwarded(const request_head& head) {
  constexpr std::array<std::string_view, 8> names{
    "cdn-loop", "forwarded",     "forwarded-for", "proxy-authorization",
    "x-host",   "x-nginx-proxy", "x-rewrite-url", "via"};
  constexpr std::array<std::string_view, 14> begins{
    "cf-",          "fly-",           "ngrok-",    "tailscale-",  "x-amzn-",
    "x-appengine-", "x-azure-",       "x-envoy-",  "x-forwarded", "x-goog-",
    "x-original-",  "x-originating-", "x-remote-", "x-vercel-"};
  constexpr std::array<std::string_view, 5> ends{"client-ip", "clientip",
                                                 "real-ip", "user-ip",
                                                 "client-principal"};
  return std::ranges::any_of(head.headers, [&](const auto& each) {
    const std::string_view name{each.first};
    return std::ranges::find(names, name) != names.end()
           || std::ranges::any_of(
             begins, [name](auto part) { return name.starts_with(part); })
           || std::ranges::any_of(ends, [name](auto part) {
                return name.ends_with(part);
              });
  });
}

/// The key of "Bearer KEY"; empty: there is none.
std::string_view bearer_of(std::string_view authorization) {
  constexpr std::string_view scheme = "bearer ";
  if (authorization.size() <= scheme.size())
    return {};
  for (std::size_t at = 0; at < scheme.size(); ++at)
    if ((authorization[at] | ' ') != scheme[at])
      return {};
  return authorization.substr(scheme.size());
}

/// Why somebody may not use an endpoint.
std::optional<response> not_allowed(const route& to,
                                    const std::optional<caller>& who,
                                    const request_head& head) {
  if (to.scope.empty())
    return std::nullopt;
  if (who && !who->session_id.empty() && !to.for_one_person)
    return error_response(to.errors, 403, "forbidden",
                          "this key answers for one person in one session, and "
                          "does nothing else");
  if (who && who->may(to.scope))
    return std::nullopt;
  if (who)
    return error_response(to.errors, 403, "forbidden",
                          "the key does not allow this",
                          {{"scopeRequired", to.scope}});
  auto answer
    = error_response(to.errors, 401, "unauthenticated",
                     head.header("authorization").empty()
                       ? "send a key: Authorization: Bearer KEY"
                       : "the header authorization has no key that is known");
  answer.headers.emplace_back("WWW-Authenticate", "Bearer");
  return answer;
}

std::string joined(const std::set<std::string, std::less<>>& words) {
  std::string out;
  for (const auto& one : words)
    out += (out.empty() ? "" : ", ") + one;
  return out;
}

/// An answer to a browser that asks before it sends.
response preflight(const std::set<std::string, std::less<>>& methods) {
  return {.status = 204,
          .content_type = {},
          .headers = {{"Access-Control-Allow-Methods", joined(methods)},
                      {"Access-Control-Allow-Headers",
                       "Authorization, Content-Type, Idempotency-Key, "
                       "Last-Event-ID, A2A-Version"},
                      {"Access-Control-Max-Age", "600"}}};
}

} // namespace

dispatcher::dispatcher(dispatcher_options how)
  : options_{std::move(how)}, router_{options_.endpoints},
    rate_{options_.requests_per_second},
    answers_{options_.answers ? options_.answers
                              : std::make_shared<kept_answers>()} {}

dispatcher::admission dispatcher::admit(const request_head& head,
                                        std::string_view address,
                                        std::string id) {
  admission out;
  out.what.id = std::move(id);
  out.what.method = head.method;
  out.what.path = head.path;
  if (auto answer = refusal(head, address, out)) {
    out.to = nullptr;
    out.refused = *std::move(answer);
  }
  return out;
}

std::optional<response> dispatcher::refusal(const request_head& head,
                                            std::string_view address,
                                            admission& into) {
  const auto segments = read_path(head.path);
  if (!segments) {
    into.errors = router_.find(head.method, raw_segments(head.path)).errors;
    return refused_by(into.errors, segments.error());
  }
  auto found = router_.find(head.method, *segments);
  into.errors = found.errors;
  if (const auto why = options_.hosts.refusal(head))
    return refused_by(into.errors, *why);
  if (!options_.authenticate && is_forwarded(head))
    return error_response(
      into.errors, 403, "forwarded",
      "the request came through a proxy, and a server without keys is for this "
      "machine alone: start it with --keys FILE (convene keys new makes one), "
      "or ask it directly");
  std::optional<caller> who;
  if (!options_.authenticate)
    who = options_.anybody;
  else if (const auto key = bearer_of(head.header("authorization"));
           !key.empty())
    who = options_.authenticate(key);
  if (found.to == nullptr || !found.to->is_of_nodes)
    if (auto answer = too_often(who, address, into.errors))
      return answer;
  if (found.methods.empty())
    return error_response(into.errors, 404, "not_found",
                          "there is nothing at this path");
  if (head.method == "OPTIONS"
      && options_.hosts.allows_cors(head.header("origin")))
    return preflight(found.methods);
  if (found.to == nullptr) {
    auto answer
      = error_response(into.errors, 405, "method_not_allowed",
                       "at this path there is " + joined(found.methods));
    answer.headers.emplace_back("Allow", joined(found.methods));
    return answer;
  }
  if (auto answer = not_allowed(*found.to, who, head))
    return answer;
  auto query = read_query(head.raw_query);
  if (!query)
    return refused_by(into.errors, query.error());
  if (head.has_body() && head.method != "POST")
    return error_response(into.errors, 400, "bad_request",
                          "only POST takes a body");
  const auto type = head.header("content-type");
  const bool is_a2a = into.errors == error_form::a2a;
  if (head.has_body() && !is_type(type, "application/json")
      && !(is_a2a && is_type(type, a2a_media_type)))
    return is_a2a
             ? error_response(into.errors, 400, "content_type_not_supported",
                              "bodies are application/a2a+json or "
                              "application/json")
             : error_response(into.errors, 415, "unsupported_media_type",
                              "bodies are application/json");
  const auto key = head.header("idempotency-key");
  if (key.size() > idempotency_key_max)
    return error_response(into.errors, 400, "validation_error",
                          "an Idempotency-Key has at most 255 characters");
  into.to = found.to;
  into.what.by = std::move(who).value_or(caller{});
  into.what.parameters = std::move(found.parameters);
  into.what.query = *std::move(query);
  into.what.headers = head.headers;
  // A key of ours is no handler's business.
  if (found.to->passes_on)
    into.what.authorization = head.header("authorization");
  if (options_.authenticate)
    into.what.headers.erase("authorization");
  return std::nullopt;
}

std::optional<response> dispatcher::too_often(const std::optional<caller>& who,
                                              std::string_view address,
                                              error_form errors) {
  const bool has_key = who && !who->key_id.empty();
  const auto wait = rate_.take(has_key ? "key " + who->key_id
                                       : counted_address(address),
                               std::chrono::steady_clock::now());
  if (wait.count() == 0)
    return std::nullopt;
  auto answer = error_response(
    errors, 429, "rate_limited", "too many requests; wait and try again",
    {{"retryAfterMs", wait.count()}, {"scope", has_key ? "key" : "address"}});
  answer.headers.emplace_back("Retry-After",
                              std::to_string((wait.count() + 999) / 1000));
  return answer;
}

std::optional<response> dispatcher::repeated(const admission& admitted,
                                             const std::string& key) {
  const auto& what = admitted.what;
  std::string content;
  for (const auto& [name, value] : what.query)
    content.append(name).append(1, '\0').append(value).append(1, '\0');
  content.append(1, '\0').append(what.body);
  auto state = answers_->begin(key, content, std::chrono::steady_clock::now());
  if (std::holds_alternative<kept_answers::carry_out>(state))
    return std::nullopt;
  if (auto* answer = std::get_if<response>(&state)) {
    // What was kept may itself have been a repetition of a request before the
    // last restart.
    constexpr std::string_view replayed = "openwop-Idempotent-Replay";
    if (std::ranges::find(answer->headers, replayed,
                          [](const auto& each) {
                            return std::string_view{each.first};
                          })
        == answer->headers.end())
      answer->headers.emplace_back(replayed, "true");
    return std::move(*answer);
  }
  if (std::holds_alternative<kept_answers::other_request>(state))
    return error_response(admitted.errors, 409, "idempotency_key_mismatch",
                          "the Idempotency-Key was used for another request");
  const bool running = std::holds_alternative<kept_answers::in_flight>(state);
  auto answer = error_response(
    admitted.errors, running ? 409 : 503,
    running ? "idempotency_in_flight" : "idempotency_keys_max",
    running ? "the request with this Idempotency-Key is being carried out"
            : "too many requests with an Idempotency-Key are being carried out",
    {{"retryAfter", 1}});
  answer.headers.emplace_back("Retry-After", "1");
  return answer;
}

void dispatcher::call(admission admitted, pending_answer::taker done,
                      pending_answer::timer later) {
  auto& what = admitted.what;
  if (!protocol::valid_utf8(what.body))
    return done(error_response(admitted.errors, 400, "bad_request",
                               "the body is not UTF-8"));
  const auto name = what.header("idempotency-key");
  if (!name.empty() && admitted.to->repeatable_by_key
      && what.method == "POST") {
    auto key = what.by.key_id + '\n' + what.path + '\n' + std::string{name};
    if (auto answer = repeated(admitted, key))
      return done(*std::move(answer));
    done = [self = shared_from_this(), key = std::move(key),
            form = admitted.errors, done = std::move(done)](response answer) {
      self->answers_->end(key, answer, std::chrono::steady_clock::now(), form);
      done(std::move(answer));
    };
  }
  const auto pending = std::make_shared<pending_answer>(std::move(done),
                                                        std::move(later),
                                                        admitted.errors);
  try {
    admitted.to->call(what, responder{pending});
  } catch (const std::exception& failed) {
    spdlog::error("{} {} {}: {}", what.id, what.method, admitted.to->pattern,
                  failed.what());
    pending->answer(pending->fault());
  }
}

} // namespace convene::server
