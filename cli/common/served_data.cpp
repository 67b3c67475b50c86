#include <convene/cli/common/served_data.hpp>
#include <convene/server/integrations/integration_routes.hpp>
#include <convene/server/page/page_routes.hpp>
#include <convene/server/run_api/run_routes.hpp>
#include <convene/server/run_sessions/node_sessions.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace convene::cli {
namespace {

/// What the server is as an agent.
protocol::result<server::agent_options>
agent_of(const serve_arguments& arguments, const host::permissions& allow) {
  server::agent_options made{.url = arguments.public_url,
                             .version = CONVENE_VERSION,
                             .tls = !arguments.tls.empty(),
                             .wants_key = !arguments.keys.empty()};
  if (arguments.agents.empty())
    return made;
  auto skills = server::read_agent_skills(arguments.agents, allow);
  if (!skills)
    return protocol::fail(std::move(skills).error());
  made.skills = *std::move(skills);
  return made;
}

} // namespace

protocol::result<served_data> served_data::open(
  const serve_arguments& arguments, runtime_options how,
  const std::function<void(const protocol::error&)>& on_failure) {
  const auto durable = how.durability;
  auto agent = agent_of(arguments, how.allow);
  if (!agent)
    return protocol::fail(std::move(agent).error());
  const auto texts = std::make_shared<server::session_texts>();
  how.on_text = [texts](std::string_view session, std::string_view who,
                        std::string_view text) {
    texts->say(session, who, text);
  };
  std::shared_ptr<server::outside_log> outside;
  if (!arguments.outside.empty()) {
    auto opened = server::outside_log::open(arguments.outside);
    if (!opened)
      return protocol::fail(std::move(opened).error());
    outside = *std::move(opened);
  }
  const auto tasks = std::make_shared<server::task_index>();
  server::session_host_options hosted{.data = arguments.data,
                                      .runtime = std::move(how),
                                      .public_url = arguments.public_url,
                                      .on_failure = on_failure};
  if (!agent->skills.empty())
    hosted.watch = [tasks](std::string_view session_id, std::string_view line) {
      tasks->see(session_id, line);
    };
  auto sessions = server::session_host::open(std::move(hosted));
  if (!sessions)
    return protocol::fail(std::move(sessions).error());
  auto runs = server::run_host::open(
    {.data = arguments.data,
     .workflows = arguments.workflows,
     .durable = durable,
     .has_conversations = !arguments.without_conversations,
     .sessions = server::node_sessions(**sessions),
     .texts = texts,
     .on_failure = on_failure});
  if (!runs)
    return protocol::fail(std::move(runs).error());
  auto signer = server::token_signer::open(std::filesystem::path{arguments.data}
                                           / "interrupt-tokens.secret");
  if (!signer)
    return protocol::fail(std::move(signer).error());
  return served_data{*std::move(sessions),
                     *std::move(runs),
                     *std::move(signer),
                     *std::move(agent),
                     tasks,
                     std::move(outside)};
}

server::routes served_data::endpoints() const {
  server::routes all;
  for (auto& each :
       {server::page_routes(), server::session_routes(*sessions_),
        server::run_routes(*runs_, signer_, {.version = CONVENE_VERSION})})
    std::ranges::copy(each, std::back_inserter(all));
  if (!agent_.skills.empty())
    std::ranges::copy(server::agent_routes(*sessions_, tasks_, agent_),
                      std::back_inserter(all));
  if (outside_)
    std::ranges::copy(server::integration_routes(outside_, sessions_->events()),
                      std::back_inserter(all));
  return all;
}

} // namespace convene::cli
