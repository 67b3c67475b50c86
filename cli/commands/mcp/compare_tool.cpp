#include <boost/json/array.hpp>
#include <convene/cli/commands/mcp/compare_tool.hpp>
#include <convene/cli/commands/mcp/mode_points.hpp>
#include <convene/lab/study/study_summary.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace convene::cli {
namespace {

constexpr std::uint64_t seeds_default = 20;
constexpr std::uint64_t seeds_most = 200;
constexpr std::int64_t compare_ms = 30'000;
constexpr std::size_t log_bytes_most = std::size_t{16} << 20; // of a thread

/// Sets a flag once a time is over or a stop is asked for.
class deadline {
public:
  deadline(std::chrono::milliseconds time, const std::stop_token& stop)
    : asked_{stop, [this] { is_over_ = true; }},
      timer_{[this, time](const std::stop_token& done) {
        std::mutex mutex;
        std::condition_variable_any over;
        std::unique_lock held{mutex};
        if (!over.wait_for(held, done, time,
                           [&done] { return done.stop_requested(); }))
          is_over_ = true;
      }} {}

  [[nodiscard]] const std::atomic<bool>& flag() const noexcept {
    return is_over_;
  }

private:
  std::atomic<bool> is_over_ = false;
  std::stop_callback<std::function<void()>> asked_;
  std::jthread timer_;
};

host::study study_of(const mode_points& from, std::uint64_t seeds,
                     std::size_t threads) {
  return {.points = from.points,
          .first = 1,
          .last = seeds,
          .threads = std::min<std::size_t>(threads, seeds),
          .scenario = host::scenarios_from(from.base),
          .each = {.log_bytes_max = log_bytes_most}};
}

json::array refusals_of(const mode_points& from) {
  json::array made;
  for (const auto& [mode, why] : from.refused)
    made.push_back({{"mode", mode}, {"reason", protocol::to_string(why)}});
  return made;
}

server::tool_answer compare(const server::session_access& with,
                            const server::tool_call& call,
                            std::size_t threads) {
  server::tool_answer refused;
  auto scenario = server::scenario_of(call, with.folders, refused);
  if (!scenario)
    return refused;
  const auto points
    = points_of_modes(*std::move(scenario),
                      protocol::object_of(call.arguments, "stand_ins"),
                      protocol::texts_of(call.arguments, "modes"));
  if (points.points.empty())
    return server::tool_error(
      "no_mode_runs",
      "the scenario can be simulated in none of these modes: `refused` has why",
      {{"refused", refusals_of(points)}});
  const auto number = [&call](std::string_view name, std::int64_t otherwise) {
    return protocol::integer_of(call.arguments, name).value_or(otherwise);
  };
  const auto what
    = study_of(points,
               static_cast<std::uint64_t>(number("seeds", seeds_default)),
               threads);
  std::vector<host::point_result> finished;
  {
    const deadline until{
      std::min(std::chrono::milliseconds{number("wait_ms", compare_ms)},
               with.limits.wait_max),
      call.stop};
    if (auto ran = host::run_points(what, until.flag(), finished); !ran)
      return server::to_tool_answer(ran.error());
  }
  if (finished.empty())
    return server::tool_error("time_over",
                              "no mode was simulated within the time: give a "
                              "longer wait_ms, or fewer seeds");
  json::object made{{"complete", finished.size() == what.points.size()},
                    {"refused", refusals_of(points)}};
  for (auto& member : host::summarise(what, finished, 1))
    made.emplace(member.key(), std::move(member.value()));
  return {.content = std::move(made)};
}

std::string compare_schema(std::chrono::milliseconds wait_max) {
  return R"({"type": "object", "properties": {
  "scenario": {"type": "object", "description":
    "A convene scenario with all of its documents in it"},
  "path": {"type": "string", "minLength": 1, "maxLength": 4096, "description":
    "Instead: path of a scenario below a folder that the server was given"},
  "modes": {"type": "array", "minItems": 1, "maxItems": 5, "uniqueItems": true,
    "items": {"enum": ["broadcast", "round_robin", "orchestrated", "swarm",
      "pair"]}, "description":
    "The first one is the baseline. Default: all five"},
  "stand_ins": {"type": "object", "maxProperties": 100, "description":
    "By participant_id, or * for the rest: the behaviour that answers instead, such as {\"type\": \"simulated\"}"},
  "seeds": {"type": "integer", "minimum": 1, "maximum": )"
         + std::to_string(seeds_most) + R"(, "default": )"
         + std::to_string(seeds_default) + R"(},
  "wait_ms": {"type": "integer", "minimum": 1, "maximum": )"
         + std::to_string(wait_max.count()) + R"(, "default": )"
         + std::to_string(compare_ms) + R"(, "description":
    "The modes that are not simulated by then are left out"}},
"additionalProperties": false})";
}

} // namespace

server::mcp_tool
compare_tool(std::shared_ptr<const server::session_access> with,
             std::size_t threads) {
  return {
    .name = "compare_modes",
    .title = "Compare coordination modes",
    .about
    = "Simulate a scenario in several coordination modes, in virtual "
      "time and under the same seeds, and compare how they fare: how "
      "many sessions complete, how long they take, conflicts, turns. "
      "It reaches nothing outside: participants that are models, people or "
      "programs need stand_ins.",
    .scope = "runs:create",
    .is_read_only = true,
    .input_schema = compare_schema(with->limits.wait_max),
    .output_schema = R"({"type": "object", "properties": {
  "complete": {"type": "boolean"},
  "refused": {"type": "array", "items": {"type": "object"}},
  "points": {"type": "array", "items": {"type": "object"}},
  "runs": {"type": "integer"}, "failed": {"type": "integer"}},
"required": ["complete", "refused", "points", "runs", "failed"]})",
    .run
    = [with = std::move(with), threads,
       one = std::make_shared<std::mutex>()](const server::tool_call& call) {
        const std::unique_lock held{*one, std::try_to_lock};
        if (!held)
          return server::tool_error("busy",
                                    "another comparison is under way: try "
                                    "again once it has ended");
        return compare(*with, call, threads);
      }};
}

} // namespace convene::cli
