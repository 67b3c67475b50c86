#include <convene/server/a2a/agent_answers.hpp>

#include <utility>

namespace convene::server {

namespace json = boost::json;

std::optional<response> wrong_version(const request& from) {
  auto version = from.header("a2a-version");
  if (version.empty())
    version = from.parameter_of_query("A2A-Version").value_or("");
  if (version == "1.0" || version.starts_with("1.0."))
    return std::nullopt;
  return a2a_error(400, "version_not_supported",
                   "this agent speaks A2A 1.0: send the header A2A-Version: "
                   "1.0 (without it, a request is one of 0.3)");
}

response a2a_error(const protocol::error& why) {
  if (why.rule == "size" || why.rule == "string_size")
    return a2a_error(413, "body_bytes_max", why.message);
  if (why.code == protocol::errc::invalid_json)
    return a2a_error(400, "invalid_params", why.message);
  return a2a_error(400, why.rule, why.pointer + ": " + why.message,
                   {{"field", why.pointer}});
}

response task_not_found() {
  return a2a_error(404, "task_not_found", "there is no such task");
}

response agent_overloaded() {
  return a2a_error(503, "overloaded",
                   "too many requests are waiting; try again later");
}

response push_not_offered() {
  return a2a_error(
    400, "push_notification_not_supported",
    "this server does not send push notifications: subscribe to the "
    "task, or start the server with --allow net=HOST:PORT");
}

response push_refused(const std::string& pointer, const protocol::error& why) {
  if (why.rule == "push_configs_max")
    return a2a_error(429, "rate_limited", why.message);
  if (why.code == protocol::errc::io_failed)
    return a2a_error(500, "internal_error",
                     "the server cannot store this at the moment");
  return a2a_error(400, "invalid_params", pointer + "/url: " + why.message,
                   {{"field", pointer + "/url"}, {"rule", why.rule}});
}

std::optional<response> lacks_scope(const request& from,
                                    std::initializer_list<const char*> wanted) {
  for (const auto* scope : wanted)
    if (!from.by.may(scope))
      return a2a_error(403, "forbidden", "the key does not allow this",
                       {{"scopeRequired", scope}});
  return std::nullopt;
}

route agent_endpoint(
  const shared_agent& agent, const char* method, const char* pattern,
  const char* scope,
  std::function<void(const shared_agent&, const request&, const responder&)>
    make,
  const char* about) {
  return {.method = method,
          .pattern = pattern,
          .scope = scope,
          .call =
            [agent, make = std::move(make)](const request& from,
                                            const responder& to) {
              if (auto wrong = wrong_version(from))
                return to(*std::move(wrong));
              make(agent, from, to);
            },
          .errors = error_form::a2a,
          .repeatable_by_key = false,
          .about = about};
}

void answer_with(const shared_agent& agent, const task_view& one,
                 std::function<json::object(json::object)> wrap,
                 const responder& to) {
  if (!is_over(one.status.state))
    return to(a2a_response(wrap(to_json(one))));
  const auto taken = agent->host.look(
    one.id, [one, wrap = std::move(wrap),
             to](const protocol::result<void>& done, const session_view* view) {
      to(a2a_response(wrap(to_json(
        one, done ? artifacts_of(*view, one.origin.output) : json::array{}))));
    });
  if (!taken)
    to(agent_overloaded());
}

response stream_of(const shared_agent& agent, task_view one,
                   asking_task asking) {
  return {.content_type = "text/event-stream",
          .headers = {{"Cache-Control", "no-store"}},
          .stream = std::make_shared<task_stream>(agent->host, agent->tasks,
                                                  std::move(one), asking)};
}

} // namespace convene::server
