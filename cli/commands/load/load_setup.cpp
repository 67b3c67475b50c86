#include <convene/cli/commands/load/load_arguments.hpp>
#include <convene/lab/load/load_summary.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/protocol/json/members.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <convene/runtime/outside/permissions/permissions.hpp>
#include <convene/runtime/thread_trial.hpp>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <thread>
#include <utility>

namespace convene::cli {
namespace {

namespace json = boost::json;
using host::load_time;
using protocol::errc;
using protocol::error;
using protocol::fail;
using protocol::result;

/// The log of a load; the oldest of it is removed.
constexpr std::uint64_t log_bytes_max = std::uint64_t{1} << 30;

result<std::vector<host::load_stage>>
stages_of(const load_arguments& arguments) {
  if (!arguments.stages.empty())
    return host::parse_stages(arguments.stages).map_error([](error why) {
      return about_option("--stages", std::move(why));
    });
  const auto length = time_of_option("--duration", arguments.duration);
  if (!length)
    return fail(length.error());
  if (length->count() == 0)
    return fail(errc::usage, "--duration: a load takes some time", "duration");
  const bool is_open = !arguments.rate.empty();
  auto level = host::parse_level(is_open ? arguments.rate : arguments.sessions);
  if (is_open && !level) // `0.5` is no number of sessions, but it is a rate
    if (auto rate = host::parse_level(arguments.rate + "/s"); rate)
      level = std::move(rate);
  if (!level)
    return fail(about_option(is_open ? "--rate" : "--sessions", level.error()));
  if (is_open && level->unit == host::load_unit::sessions)
    level->unit = host::load_unit::per_second;
  if (!is_open && level->unit != host::load_unit::sessions)
    return fail(errc::usage,
                "--sessions is how many there are at a time; for a rate give "
                "--rate",
                "sessions");
  if (level->value <= 0)
    return fail(errc::usage,
                is_open ? "--rate: give more than 0"
                        : "--sessions: give more than 0",
                "load_level");
  return std::vector{host::load_stage{*length, *level}};
}

result<void> set_times(const load_arguments& arguments, host::load_plan& into) {
  auto stages = stages_of(arguments);
  if (!stages)
    return fail(stages.error());
  into.stages = *std::move(stages);
  constexpr load_time longest_warm_up = std::chrono::seconds{5};
  const auto all = host::ends_of(into.stages).back();
  into.warm_up = std::min(all / 10, longest_warm_up);
  if (!arguments.warm_up.empty()) {
    const auto given = time_of_option("--warm-up", arguments.warm_up);
    if (!given)
      return fail(given.error());
    into.warm_up = *given;
  }
  const auto drain = time_of_option("--drain", arguments.drain);
  if (!drain)
    return fail(drain.error());
  into.drain = *drain;
  return {};
}

result<client_options> server_at(const std::string& url,
                                 const load_arguments& arguments,
                                 const host::permissions& allowed) {
  const auto origin = host::origin_of(url);
  if (!origin)
    return fail(about_option("--url", origin.error()));
  const auto where = host::endpoint_of(origin->host, origin->port);
  if (!host::is_this_machine(where.host))
    if (auto may = allowed.check(
          {{.what = host::need::kind::net, .where = where, .by = "--url"}});
        !may)
      return fail(std::move(may).error());
  auto server = arguments.server;
  server.server = url;
  return client_options_of(server);
}

result<void> set_server(const load_arguments& arguments,
                        host::load_plan& into) {
  host::permissions allowed;
  if (auto added = allowed.allow_all(arguments.allow); !added)
    return added;
  if (arguments.urls.size() > host::load_servers_max)
    return fail(errc::limit_reached, "--url: at most 100 of them",
                "load_servers_max");
  for (const auto& url : arguments.urls) {
    auto options = server_at(url, arguments, allowed);
    if (!options)
      return fail(std::move(options).error());
    into.servers.push_back(*std::move(options));
  }
  into.connections = arguments.connections;
  for (const auto& stage : into.stages)
    if (stage.level.unit == host::load_unit::sessions
        && stage.level.value > static_cast<double>(into.connections))
      return fail(errc::usage,
                  "--connections: more sessions at a time than are followed; "
                  "give at least as many",
                  "connections");
  return {};
}

result<void> set_runtime(const load_arguments& arguments,
                         const common_options& common, host::load_plan& into) {
  const auto cores = std::max(1U, std::thread::hardware_concurrency());
  into.runtime.threads = common.threads != 0 ? common.threads
                                             : std::max(1U, cores - 1);
  into.runtime.durability
    = protocol::from_word<durability>(arguments.durability)
        .value_or(durability::group);
  if (!arguments.log.empty()) {
    into.runtime.log = arguments.log;
    into.runtime.log_keep_bytes = log_bytes_max;
    into.runtime.snapshot_events = 0;
  }
  return host::try_threads(into.runtime,
                           !into.servers.empty() ? into.connections : 1);
}

result<void> set_judgement(const load_arguments& arguments,
                           host::load_plan& into) {
  if (arguments.assertions.size() > host::assertions_max)
    return fail(errc::limit_reached, "--assert: at most 100 of them",
                "assertions_max");
  for (const auto& text : arguments.assertions) {
    auto read = host::load_assertion::parse(text);
    if (!read)
      return fail(about_option("--assert", read.error()));
    into.assertions.push_back(*std::move(read));
  }
  into.abort_on_fail = arguments.abort_on_fail;
  into.fails_on_turns = !arguments.fail_on.empty();
  return {};
}

result<double> tolerance_of(const std::string& text) {
  double percent = 0;
  const auto* const end = text.data() + text.size();
  const auto [at, failed] = std::from_chars(text.data(), end, percent);
  const bool has_sign = at != end && *at == '%';
  if (failed != std::errc{} || at + (has_sign ? 1 : 0) != end
      || !(percent >= 0 && percent <= 1'000))
    return fail(errc::usage, "--tolerance: write it as in 20%", "tolerance");
  return percent / 100;
}

json::object describe_load(const load_arguments& arguments,
                           const host::load_plan& plan) {
  const bool is_open = !plan.starts.empty()
                       || plan.stages.front().level.unit
                            != host::load_unit::sessions;
  json::object made{{"on", plan.servers.empty() ? "process" : "server"},
                    {"loop", is_open ? "open" : "closed"}};
  json::array stages;
  for (const auto& stage :
       plan.starts.empty() ? plan.stages : std::vector<host::load_stage>{})
    stages.push_back(json::object{
      {"seconds", std::chrono::duration<double>(stage.length).count()},
      {"level", stage.level.value},
      {"unit", host::to_word(stage.level.unit)}});
  made["stages"] = std::move(stages);
  made["warm_up_seconds"] = std::chrono::duration<double>(plan.warm_up).count();
  if (!arguments.trace.empty()) {
    made["trace"] = protocol::sanitize_utf8(arguments.trace);
    made["speed"] = arguments.speed;
    made["texts_cut"] = plan.texts_cut;
  } else if (arguments.scenario.path.empty()) {
    made["modes"] = arguments.modes;
    made["participants"] = arguments.shape.participants;
    made["rounds"] = arguments.shape.rounds;
    made["payload_bytes"] = arguments.shape.payload_bytes;
    made["writes"] = arguments.shape.writes;
    made["contention"] = arguments.shape.contention;
    made["think"] = arguments.think;
    made["hanging"] = arguments.shape.hanging;
    made["turn_timeout"]
      = arguments.turn_timeout.empty() ? "30s" : arguments.turn_timeout;
  } else {
    made["scenario"] = protocol::sanitize_utf8(arguments.scenario.path);
  }
  if (!plan.servers.empty())
    made["connections"] = plan.connections;
  else
    made["threads"] = plan.runtime.threads;
  made["log"] = plan.runtime.log.empty()
                  ? json::value{}
                  : json::value(protocol::to_word(plan.runtime.durability));
  return made;
}

} // namespace

error about_option(const char* option, error why) {
  why.message = std::string{option} + ": " + why.message;
  return why;
}

result<load_time> time_of_option(const char* option, const std::string& text) {
  return host::parse_time(text).map_error(
    [option](error why) { return about_option(option, std::move(why)); });
}

result<load_setup> set_up_load(const load_arguments& arguments,
                               const common_options& common) {
  load_setup made;
  auto& plan = made.plan;
  const auto tolerance = tolerance_of(arguments.tolerance);
  if (!tolerance)
    return fail(tolerance.error());
  made.tolerance = *tolerance;
  auto set = set_times(arguments, plan)
               .and_then([&] { return set_judgement(arguments, plan); })
               .and_then([&] { return set_sessions(arguments, plan); })
               .and_then([&] {
                 return arguments.urls.empty() ? result<void>{}
                                               : set_server(arguments, plan);
               })
               .and_then([&] { return set_runtime(arguments, common, plan); });
  if (!set)
    return fail(std::move(set).error());
  made.description = describe_load(arguments, plan);
  if (!arguments.baseline.empty()) {
    auto read = host::read_baseline(arguments.baseline, made.description);
    if (!read)
      return fail(std::move(read).error());
    made.baseline = *std::move(read);
  }
  return made;
}

} // namespace convene::cli
