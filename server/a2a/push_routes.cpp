#include <boost/json/array.hpp>
#include <convene/server/a2a/agent_answers.hpp>
#include <convene/server/a2a/message.hpp>
#include <convene/server/session_api/answers.hpp>

#include <algorithm>
#include <utility>

namespace convene::server {
namespace {

namespace json = boost::json;

/// A task, and the desk with its configs.
struct pushed_task {
  task_view task;
  push_desk& desk;
};

std::string parameter_of(const request& from, std::string_view name) {
  const auto found = from.parameters.find(name);
  return found == from.parameters.end() ? std::string{} : found->second;
}

using push_handler = void (*)(const pushed_task&, const request&,
                              const responder&);

/// Calls `then` with the request's task, if push notifications are offered.
route push_endpoint(const shared_agent& agent, const char* method,
                    const char* pattern, const char* scope, push_handler then,
                    const char* about) {
  return agent_endpoint(
    agent, method, pattern, scope,
    [then](const shared_agent& by, const request& from, const responder& to) {
      if (!by->push->is_offered())
        return to(push_not_offered());
      const auto task = by->tasks->find(parameter_of(from, "id"));
      if (!task)
        return to(task_not_found());
      then({*task, *by->push}, from, to);
    },
    about);
}

void create_config(const pushed_task& of, const request& from,
                   const responder& to) {
  const auto body = object_of_body(from, message_bytes_max);
  if (!body)
    return to(a2a_error(body.error()));
  auto what = read_push_config(*body, "", of.task.id);
  if (!what)
    return to(a2a_error(what.error()));
  if (auto lacking = lacks_scope(from, {"runs:read"}))
    return to(*std::move(lacking));
  if (const auto may = of.desk.check(what->url); !may)
    return to(push_refused("", may.error()));
  if (is_over(of.task.status.state))
    return to(a2a_error(400, "unsupported_operation",
                        "the task is over and does not change any more",
                        {{"taskId", of.task.id}}));
  what->delivered = of.task.place;
  auto shown = to_json(*what, of.task.id);
  of.desk.put(of.task.id, *std::move(what),
              [to,
               shown = std::move(shown)](const protocol::result<void>& kept) {
                to(kept ? a2a_response(shown) : push_refused("", kept.error()));
              });
}

void list_configs(const pushed_task& of, const request&, const responder& to) {
  json::array all;
  for (const auto& each : of.desk.of(of.task.id))
    all.push_back(to_json(each, of.task.id));
  to(a2a_response({{"configs", std::move(all)}, {"nextPageToken", ""}}));
}

void show_config(const pushed_task& of, const request& from,
                 const responder& to) {
  const auto all = of.desk.of(of.task.id);
  const auto found = std::ranges::find(all, parameter_of(from, "config"),
                                       &push_config::id);
  if (found == all.end())
    return to(a2a_error(404, "task_not_found",
                        "the task has no such push notification config"));
  to(a2a_response(to_json(*found, of.task.id)));
}

/// A config that is not there is no error: the same request may come twice.
void remove_config(const pushed_task& of, const request& from,
                   const responder& to) {
  of.desk.remove(of.task.id, parameter_of(from, "config"),
                 [to] { to(a2a_response({})); });
}

} // namespace

routes push_routes(const shared_agent& agent) {
  constexpr auto* configs = "/tasks/{id}/pushNotificationConfigs";
  constexpr auto* config = "/tasks/{id}/pushNotificationConfigs/{config}";
  return {push_endpoint(agent, "POST", configs, "runs:create", create_config,
                        "A2A: creates a push notification config"),
          push_endpoint(agent, "GET", configs, "runs:read", list_configs,
                        "A2A: the task's push notification configs"),
          push_endpoint(agent, "GET", config, "runs:read", show_config,
                        "A2A: a push notification config"),
          push_endpoint(agent, "DELETE", config, "runs:create", remove_config,
                        "A2A: deletes a push notification config")};
}

} // namespace convene::server
