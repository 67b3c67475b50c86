#include <boost/json/serialize.hpp>
#include <convene/server/a2a/agent_routes.hpp>

#include <algorithm>
#include <iterator>
#include <utility>

namespace convene::server {

routes agent_routes(session_host& host, std::shared_ptr<const task_index> tasks,
                    std::shared_ptr<push_desk> push, agent_options about) {
  about.pushes = push->is_offered();
  const auto agent = std::make_shared<const task_agent>(
    task_agent{host, std::move(tasks), std::move(push), std::move(about)});
  routes all{
    {.method = "GET",
     .pattern = "/.well-known/agent-card.json",
     .call =
       [agent](const request& from, const responder& to) {
         if (from.header("host").empty() && agent->about.url.empty())
           return to(error_response(error_form::a2a, 400, "invalid_params",
                                    "send the header Host"));
         auto answer
           = json_response(200, agent_card(agent->about, from.header("host")));
         answer.headers.emplace_back("Cache-Control", "public, max-age=300");
         to(std::move(answer));
       },
     .errors = error_form::a2a,
     .about = "A2A: the agent card"}};
  for (auto part :
       {message_routes(agent), task_routes(agent), push_routes(agent)})
    std::ranges::move(part, std::back_inserter(all));
  return all;
}

} // namespace convene::server
