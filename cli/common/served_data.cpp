#include <convene/cli/common/served_data.hpp>
#include <convene/integrations/webhooks/integration_routes.hpp>
#include <convene/runtime/runtime_counts.hpp>
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

/// Who is told of the ends of runs.
protocol::result<std::shared_ptr<server::run_callbacks>>
callbacks_of(const serve_arguments& arguments, const host::permissions& allow) {
  server::run_callback_options made{
    .folder = std::filesystem::path{arguments.data} / "callbacks",
    .allow = allow,
    .public_url = arguments.public_url};
  if (!arguments.callback_secret.empty()) {
    auto secret = server::read_secret(arguments.callback_secret);
    if (!secret)
      return protocol::fail(std::move(secret).error());
    made.secret = *std::move(secret);
  }
  return server::run_callbacks::open(std::move(made));
}

} // namespace

protocol::result<served_data> served_data::open(
  const serve_arguments& arguments, runtime_options how,
  const std::function<void(const protocol::error&)>& on_failure) {
  const auto durable = how.durability;
  auto callbacks = callbacks_of(arguments, how.allow);
  if (!callbacks)
    return protocol::fail(std::move(callbacks).error());
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
  std::optional<server::webhook_secrets> secrets;
  if (!arguments.webhook_secrets.empty()) {
    auto opened = server::webhook_secrets::open(arguments.webhook_secrets);
    if (!opened)
      return protocol::fail(std::move(opened).error());
    secrets = *std::move(opened);
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
     .on_failure = on_failure,
     .on_end = [to = *callbacks](const protocol::uuid& run) {
       to->ended(run);
     }});
  if (!runs)
    return protocol::fail(std::move(runs).error());
  auto signer = server::token_signer::open(std::filesystem::path{arguments.data}
                                           / "interrupt-tokens.secret");
  if (!signer)
    return protocol::fail(std::move(signer).error());
  (*callbacks)->begin(**runs);
  return served_data{*std::move(sessions), *std::move(callbacks),
                     *std::move(runs),     *std::move(signer),
                     *std::move(agent),    tasks,
                     std::move(outside),   std::move(secrets)};
}

server::work_counts served_data::work() const {
  const auto counts = host::counts_of(sessions_->runtime());
  return {.session_log = counts.log,
          .run_log = runs_->counts_of_log(),
          .participant_jobs = counts.jobs,
          .session_jobs = sessions_->waiting(),
          .run_jobs = runs_->waiting_apart()};
}

server::routes served_data::endpoints() const {
  server::routes all;
  for (auto& each : {server::page_routes(), server::session_routes(*sessions_),
                     server::run_routes(*runs_, *callbacks_, signer_,
                                        {.version = CONVENE_VERSION})})
    std::ranges::copy(each, std::back_inserter(all));
  if (!agent_.skills.empty())
    std::ranges::copy(server::agent_routes(*sessions_, tasks_, agent_),
                      std::back_inserter(all));
  if (outside_)
    std::ranges::copy(server::integration_routes(outside_, sessions_->events(),
                                                 secrets_),
                      std::back_inserter(all));
  return all;
}

} // namespace convene::cli
