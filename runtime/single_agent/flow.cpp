#include <convene/protocol/base/lines.hpp>
#include <convene/protocol/documents/document_codec.hpp>
#include <convene/runtime/data/scenario/extensions.hpp>
#include <convene/runtime/data/scenario/fill.hpp>
#include <convene/runtime/data/scenario/seeded_ids.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>
#include <convene/runtime/session_documents.hpp>
#include <convene/runtime/single_agent/flow.hpp>
#include <convene/session/single_agent/arrangement.hpp>
#include <convene/session/spec/spec.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <utility>

namespace convene {
namespace {

namespace json = boost::json;
using protocol::result;

/// What the documents need of a session's log.
struct recording {
  host::agent_recorder agent;
  host::turn_failures failures;
};

/// Makes it of the log's lines, from whatever thread they come.
class shared_recorder {
public:
  void feed(std::string_view lines) {
    const std::lock_guard held{mutex_};
    made_.agent.feed(lines);
    while (!lines.empty())
      made_.failures.add(protocol::cut_line(lines));
  }

  recording take() {
    const std::lock_guard held{mutex_};
    return std::move(made_);
  }

private:
  std::mutex mutex_;
  recording made_;
};

protocol::timestamp_ms start_of(const runtime_options& how) {
  using namespace std::chrono;
  return how.seed
           ? how.virtual_start
           : duration_cast<milliseconds>(system_clock::now().time_since_epoch())
               .count();
}

result<session::spec> make_scenario(single_agent_options& from) {
  auto& scenario = from.scenario;
  if (!from.executors.empty()) {
    auto& behaviours = scenario["behaviours"];
    if (behaviours.is_null())
      behaviours.emplace_object();
    if (auto* by_role = behaviours.if_object())
      for (const auto& each : from.executors)
        by_role->insert_or_assign(each.first, json::object{{"type", "echo"}});
  }
  auto ids = from.runtime.seed ? host::seeded_ids(*from.runtime.seed, scenario)
                               : protocol::uuid_source::from_entropy();
  return host::use_extensions(scenario)
    .and_then([&] { return session::arrange(scenario); })
    .and_then([&] { return host::fill(scenario, ids, start_of(from.runtime)); })
    .and_then([&] { return session::decode_spec(scenario); })
    .map_error(session::as_written);
}

/// The functions by the executors' ids; behaviours that they replace go.
std::map<std::string, participant> bind(session::spec& scenario,
                                        const single_agent_options& from) {
  std::map<std::string, participant> bound;
  for (const auto& who : scenario.collab.participants) {
    const auto found = from.executors.find(who.role_id.value_or(""));
    if (found == from.executors.end())
      continue;
    scenario.behaviours.erase(who.participant_id);
    bound.emplace(who.participant_id,
                  agent(who.participant_id, *who.role_id, found->second));
  }
  return bound;
}

template <class T>
json::object object_of(const T& document) {
  return std::move(protocol::encode(document).as_object());
}

result<host::agent_run> documents_of(const session_result& ended,
                                     recording&& from) {
  if (!ended.plan)
    return protocol::fail(protocol::errc::internal, "the session had no plan");
  return std::move(from.agent)
    .finish(object_of(ended.context), object_of(*ended.plan), *ended.plan,
            ended.confirm ? std::optional{object_of(*ended.confirm)}
                          : std::nullopt,
            host::make_summary(ended, from.failures));
}

} // namespace

single_agent_outcome run_single_agent_flow(single_agent_options options) {
  single_agent_outcome outcome;
  auto scenario = make_scenario(options);
  if (!scenario) {
    outcome.error = std::move(scenario).error();
    return outcome;
  }
  auto functions = bind(*scenario, options);
  const auto recorder = std::make_shared<shared_recorder>();
  auto opened = runtime::open(options.runtime);
  if (!opened) {
    outcome.error = std::move(opened).error();
    return outcome;
  }
  const auto session = (*opened)->start(
    *std::move(scenario),
    {.observer = [recorder](std::string_view,
                            std::string_view lines) { recorder->feed(lines); },
     .functions = std::move(functions)});
  const auto ended = session.await();
  auto recorded = recorder->take();
  outcome.events = recorded.agent.events();
  if (!ended) {
    outcome.error = ended.error();
    return outcome;
  }
  auto run = documents_of(*ended, std::move(recorded));
  if (!run) {
    outcome.error = std::move(run).error();
    return outcome;
  }
  outcome.success = ended->status == collab_status::completed;
  outcome.output = *std::move(run);
  return outcome;
}

} // namespace convene
