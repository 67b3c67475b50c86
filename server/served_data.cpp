#include <convene/runtime/runtime_counts.hpp>
#include <convene/server/keys/secret_file.hpp>
#include <convene/server/page/page_routes.hpp>
#include <convene/server/run_api/run_routes.hpp>
#include <convene/server/run_sessions/node_sessions.hpp>
#include <convene/server/served_data.hpp>
#include <convene/server/session_api/session_routes.hpp>

#include <algorithm>
#include <iterator>

namespace convene::server {
namespace {

using protocol::fail;

/// The server as an A2A agent.
protocol::result<agent_options> agent_of(const server_options& how) {
  agent_options made{.url = how.public_url,
                     .version = CONVENE_VERSION,
                     .tls = how.listen.tls.has_value(),
                     .wants_key = !how.keys.empty()};
  if (how.agents.empty())
    return made;
  auto skills = read_agent_skills(how.agents, how.runtime.allow);
  if (!skills)
    return fail(std::move(skills).error());
  made.skills = *std::move(skills);
  return made;
}

/// By which calls to clients are signed; empty: they are not.
protocol::result<std::string> secret_of(const server_options& how) {
  if (how.callback_secret.empty())
    return std::string{};
  return read_secret(how.callback_secret);
}

/// How sessions run, with their texts shown to runs, too.
runtime_options with_texts(const runtime_options& from,
                           const std::shared_ptr<session_texts>& texts) {
  auto how = from;
  how.on_text = [texts, next = from.on_text](std::string_view session,
                                             std::string_view who,
                                             std::string_view text) {
    texts->say(session, who, text);
    if (next)
      next(session, who, text);
  };
  return how;
}

} // namespace

protocol::result<served_data> served_data::open(
  const server_options& how,
  const std::function<void(const protocol::error&)>& on_failure) {
  auto secret = secret_of(how);
  if (!secret)
    return fail(std::move(secret).error());
  auto callbacks = run_callbacks::open({.folder = how.data / "callbacks",
                                        .allow = how.runtime.allow,
                                        .secret = *secret,
                                        .public_url = how.public_url});
  if (!callbacks)
    return fail(std::move(callbacks).error());
  auto agent = agent_of(how);
  if (!agent)
    return fail(std::move(agent).error());
  std::shared_ptr<push_desk> push;
  if (!agent->skills.empty()) {
    auto opened = push_desk::open({.folder = how.data / "push",
                                   .allow = how.runtime.allow,
                                   .secret = *secret});
    if (!opened)
      return fail(std::move(opened).error());
    push = *std::move(opened);
  }
  const auto texts = std::make_shared<session_texts>();
  const auto tasks = std::make_shared<task_index>();
  const auto& limits = how.listen.limits;
  session_host_options hosted{
    .data = how.data,
    .runtime = with_texts(how.runtime, texts),
    .functions = how.functions,
    .conditions = how.conditions,
    .public_url = how.public_url,
    .node = how.cluster ? how.cluster->node : std::string{},
    .on_failure = on_failure,
    .places_of = how.places_of,
    .cluster = how.shared,
    .shares = {.key_max = limits.key_sessions_max,
               .key_bytes_max = limits.key_sessions_bytes_max,
               .bytes_max = limits.sessions_bytes_max}};
  if (!agent->skills.empty()) {
    hosted.watch = [tasks, push](std::string_view session_id,
                                 std::string_view line) {
      tasks->see(session_id, line);
      push->changed(session_id);
    };
    hosted.on_removed = [tasks, push](const std::string& session_id) {
      tasks->forget(session_id);
      push->forget(session_id);
    };
  }
  auto sessions = session_host::open(std::move(hosted));
  if (!sessions)
    return fail(std::move(sessions).error());
  auto runs = run_host::open(
    {.data = how.data,
     .workflows = how.workflows,
     .durable = how.runtime.durability,
     .keeping = {.segment_bytes = how.runtime.log_segment_bytes,
                 .bytes = how.runtime.log_keep_bytes,
                 .time = how.runtime.log_keep_time},
     .has_conversations = how.conversations,
     .on_divergence = how.abort_diverged_replays
                        ? session::divergence_policy::abort
                        : session::divergence_policy::keep_going,
     .shares = {.key_max = limits.key_runs_max,
                .key_bytes_max = limits.key_runs_bytes_max},
     .sessions = node_sessions(**sessions),
     .texts = texts,
     .on_failure = on_failure,
     .on_end = [to = *callbacks](const protocol::uuid& run) {
       to->ended(run);
     }});
  if (!runs)
    return fail(std::move(runs).error());
  auto signer = token_signer::open(how.data / "interrupt-tokens.secret");
  if (!signer)
    return fail(std::move(signer).error());
  (*callbacks)->begin(**runs);
  if (push)
    push->begin(**sessions, tasks);
  return served_data{*std::move(sessions), *std::move(callbacks),
                     *std::move(runs),     *std::move(signer),
                     *std::move(agent),    tasks,
                     std::move(push)};
}

work_counts served_data::work() const {
  const auto counts = host::counts_of(sessions_->runtime());
  return {.session_log = counts.log,
          .run_log = runs_->counts_of_log(),
          .participant_jobs = counts.jobs,
          .session_jobs = sessions_->waiting(),
          .run_jobs = runs_->waiting_apart()};
}

routes served_data::endpoints() const {
  routes all;
  for (auto& each :
       {page_routes(), session_routes(*sessions_),
        run_routes(*runs_, *callbacks_, signer_, {.version = CONVENE_VERSION})})
    std::ranges::copy(each, std::back_inserter(all));
  if (!agent_.skills.empty())
    std::ranges::copy(agent_routes(*sessions_, tasks_, push_, agent_),
                      std::back_inserter(all));
  return all;
}

} // namespace convene::server
