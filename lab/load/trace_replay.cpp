#include <convene/lab/load/delayed_calls.hpp>
#include <convene/lab/load/trace_replay.hpp>
#include <convene/runtime/data/scenario/scenario.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

using std::chrono::milliseconds;
using load_delay = std::chrono::duration<double, std::milli>;

json::object scenario_of_trace() {
  constexpr std::int64_t day_ms = 24LL * 3600 * 1000;
  return {{"convene", "1"},
          {"task", "replay a trace"},
          {"collab",
           {{"title", "Trace"},
            {"purpose", "Replay"},
            {"mode", "round_robin"},
            {"participants",
             {{{"participant_id", "caller"},
               {"kind", "agent"},
               {"role_id", "role-caller"}},
              {{"participant_id", "agent"},
               {"kind", "agent"},
               {"role_id", "role-agent"}}}}}},
          {"session",
           {{"max_turns", 10'000'000},
            {"turn_timeout_ms", 2 * day_ms},
            {"max_duration_ms", 30 * day_ms}}}};
}

/// How long one of the two takes.
load_delay delay_of(const trace_exchange& one, double speed, bool is_agent) {
  return load_delay{static_cast<double>(is_agent ? one.answer_ms : one.think_ms)
                    / speed};
}

/// What it says.
std::string text_of(const trace_exchange& one, bool is_agent) {
  const auto bytes = is_agent ? one.answer_bytes : one.prompt_bytes;
  return std::string(static_cast<std::size_t>(bytes), '.');
}

/// One of the two as a behaviour, for a server: that has no functions of ours.
json::object recorded_script(const trace_session& of, double speed,
                             bool is_agent) {
  json::array turns;
  json::array delays;
  for (const auto& one : of.exchanges) {
    turns.push_back(json::object{{"content", text_of(one, is_agent)}});
    delays.push_back(std::llround(delay_of(one, speed, is_agent).count()));
  }
  return {{"type", "script"},
          {"turns", std::move(turns)},
          {"turn_latency_ms", std::move(delays)}};
}

/// Answers as one of the two did, with a delay.
async_reply_function recorded_answers(std::shared_ptr<const load_trace> trace,
                                      std::size_t session, double speed,
                                      std::shared_ptr<delayed_calls> delays,
                                      bool is_agent) {
  return [trace = std::move(trace), session, speed, delays = std::move(delays),
          is_agent](const turn_request& asked, responder answer) {
    const auto& all = trace->sessions[session].exchanges;
    const auto& one
      = all[std::min<std::size_t>(asked.sequence, all.size() - 1)];
    const auto delay = delay_of(one, speed, is_agent);
    auto said = [trace, answer = std::move(answer), &one, is_agent] {
      answer.answer({.content = text_of(one, is_agent)});
    };
    if (delay.count() <= 0)
      said();
    else
      delays->after(std::chrono::duration_cast<load_time>(delay),
                    std::move(said));
  };
}

convene::participant recorded_participant(std::string id,
                                          async_reply_function answers) {
  auto role = "role-" + id;
  return async_agent(std::move(id), std::move(role), std::move(answers));
}

load_time scaled(load_time time, double speed) {
  return std::chrono::duration_cast<load_time>(time / speed);
}

/// As a floating-point number, since a trace may add up to more than 292 years.
std::chrono::duration<double> end_of(const trace_session& one) {
  std::chrono::duration<double> at = one.start;
  for (const auto& exchange : one.exchanges)
    at += milliseconds{exchange.think_ms + exchange.answer_ms};
  return at;
}

} // namespace

result<void> set_trace(load_trace trace, double speed, load_plan& into,
                       bool on_server) {
  auto ids = uuid_source::from_entropy();
  const auto now = std::chrono::duration_cast<milliseconds>(
    std::chrono::system_clock::now().time_since_epoch());
  auto scenario = load_scenario(scenario_of_trace(),
                                {.ids = ids, .now = now.count()});
  if (!scenario)
    return protocol::fail(std::move(scenario).error());
  std::chrono::duration<double> last{};
  for (const auto& one : trace.sessions)
    last = std::max(last, end_of(one) / speed);
  if (last > load_time_max)
    return protocol::fail(errc::limit_reached,
                          "the trace takes more than 24 h: give a higher "
                          "--speed",
                          "load_time_max");
  for (const auto& one : trace.sessions)
    into.starts.push_back(scaled(one.start, speed));
  // All is over with the last session; this is for what cannot keep up.
  constexpr load_time more = std::chrono::hours{1};
  into.stages = {{std::chrono::duration_cast<load_time>(last) + more, {}}};
  into.warm_up = {};
  auto kind = kind_of(*scenario);
  kind.name = "recorded";
  kind.turns = 2 * static_cast<double>(trace.exchanges)
               / static_cast<double>(trace.sessions.size());
  into.kinds.push_back(std::move(kind));
  into.cycle = {0};
  into.ends_with_last = true;
  into.texts_cut = trace.texts_cut;
  const auto shared = std::make_shared<const load_trace>(std::move(trace));
  into.make = [shared, speed, on_server, spec = *std::move(scenario),
               delays = std::make_shared<delayed_calls>()](
                const load_order& order) {
    const auto session = static_cast<std::size_t>(order.number);
    made_session made{.scenario = another(spec, order.number), .functions = {}};
    const auto& recorded = shared->sessions[session];
    made.scenario.options.rounds
      = static_cast<std::int64_t>(recorded.exchanges.size());
    for (const bool is_agent : {false, true}) {
      const std::string id = is_agent ? "agent" : "caller";
      if (on_server)
        made.scenario.behaviours[id] = recorded_script(recorded, speed,
                                                       is_agent);
      else
        made.functions.emplace(
          id, recorded_participant(id, recorded_answers(shared, session, speed,
                                                        delays, is_agent)));
    }
    return made;
  };
  return {};
}

} // namespace convene::host
