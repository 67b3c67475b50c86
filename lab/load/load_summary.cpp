#include <convene/lab/load/load_summary.hpp>
#include <convene/protocol/documents/common.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <string>
#include <utility>

namespace convene::host {
namespace {

namespace json = boost::json;

/// Nanoseconds in milliseconds, to the tenth of a microsecond.
double milliseconds_of(double nanoseconds) {
  constexpr double each = 100;
  return std::round(nanoseconds / each) * each / 1e6;
}

json::value milliseconds_of(std::optional<std::uint64_t> nanoseconds) {
  return nanoseconds
           ? json::value(milliseconds_of(static_cast<double>(*nanoseconds)))
           : json::value{};
}

double rounded(double value, double digits = 1e3) {
  return std::round(value * digits) / digits;
}

json::value share_json(std::optional<double> share) {
  return share ? json::value(rounded(*share, 1e6)) : json::value{};
}

json::object times_json(const histogram& all) {
  constexpr std::array<std::pair<std::string_view, double>, 7> shares{
    {{"p50_ms", 0.5},
     {"p75_ms", 0.75},
     {"p90_ms", 0.9},
     {"p95_ms", 0.95},
     {"p99_ms", 0.99},
     {"p99.9_ms", 0.999},
     {"p99.99_ms", 0.9999}}};
  json::object made{{"count", all.count()}};
  const auto mean = all.mean();
  made["mean_ms"] = mean ? json::value(milliseconds_of(*mean)) : json::value{};
  for (const auto& [name, share] : shares)
    made[name] = milliseconds_of(all.quantile(share));
  made["max_ms"] = milliseconds_of(all.max());
  return made;
}

json::object latency_json(const load_figures& all) {
  json::object made;
  for (std::size_t i = 0; i < load_measures; ++i)
    made[to_word(static_cast<load_measure>(i))] = times_json(all.times[i]);
  return made;
}

json::object counts_json(const load_figures& all) {
  json::object made;
  for (std::size_t i = 0; i < load_tallies; ++i)
    made[to_word(static_cast<load_tally>(i))] = all.counts[i];
  return made;
}

json::object reasons_json(const reason_counts& reasons) {
  json::object made;
  for (const auto& [reason, count] : reasons)
    made[reason] = count;
  return made;
}

json::object memory_json(const load_plan& what, const load_memory& memory) {
  json::object made{{"before_bytes", memory.before_bytes},
                    {"bytes", memory.bytes},
                    {"sessions", memory.open},
                    {"bytes_per_session", nullptr},
                    {"bytes_per_participant", nullptr}};
  if (!what.servers.empty() || memory.open < memory_sessions_min
      || memory.bytes < memory.before_bytes)
    return made;
  double participants = 0;
  for (const auto kind : what.cycle)
    participants += static_cast<double>(what.kinds[kind].participants)
                    / static_cast<double>(what.cycle.size());
  const auto each = static_cast<double>(memory.bytes - memory.before_bytes)
                    / static_cast<double>(memory.open);
  made["bytes_per_session"] = std::round(each);
  made["bytes_per_participant"] = std::round(each / participants);
  return made;
}

json::array modes_json(const load_plan& what, const load_outcome& outcome) {
  json::array made;
  for (std::size_t i = 0; i < what.kinds.size(); ++i)
    made.push_back(json::object{{"mode", what.kinds[i].name},
                                {"counts", counts_json(*outcome.kinds[i])},
                                {"latency", latency_json(*outcome.kinds[i])}});
  return made;
}

json::array stages_json(const load_plan& what, const load_outcome& outcome) {
  json::array made;
  auto left = outcome.course.measured; // a load may have ended early
  for (std::size_t i = 0; i < what.stages.size(); ++i) {
    const auto& stage = what.stages[i];
    const auto length = std::min(stage.length, left);
    left -= length;
    const auto seconds = std::chrono::duration<double>(length).count();
    const auto& figures = *outcome.stages[i];
    const auto rate = [&](load_tally of) {
      return seconds > 0
               ? rounded(static_cast<double>(figures.of(of)) / seconds)
               : 0;
    };
    made.push_back(json::object{
      {"seconds", rounded(seconds)},
      {"level",
       what.starts.empty() ? json::value(stage.level.value) : json::value{}},
      {"unit", what.starts.empty() ? to_word(stage.level.unit) : "recorded"},
      {"sessions_a_second",
       rounded(rate(load_tally::completed) + rate(load_tally::cancelled))},
      {"turns_a_second", rate(load_tally::turns)},
      {"session", times_json(figures.of(load_measure::session))},
      {"turn", times_json(figures.of(load_measure::turn))},
      {"lag", times_json(figures.of(load_measure::lag))}});
  }
  return made;
}

} // namespace

json::object summarise(json::object load, const load_plan& what,
                       const load_outcome& outcome) {
  const auto& course = outcome.course;
  const bool is_valid = !outcome.generator_was_late();
  bool is_good = is_valid && course.aborted.empty();
  json::array assertions;
  for (const auto& each : what.assertions) {
    const auto value = each.value_in(*outcome.total, outcome.rates);
    const bool holds = each.holds(value);
    is_good = is_good && holds;
    assertions.push_back(json::object{{"text", each.text()},
                                      {"observed", each.shown(value)},
                                      {"holds", holds}});
  }
  if (what.fails_on_turns) {
    const bool holds = outcome.turns_failed == 0 && outcome.writes_refused == 0;
    is_good = is_good && holds;
    auto observed = std::to_string(outcome.turns_failed) + " failed";
    if (outcome.writes_refused > 0)
      observed += ", " + std::to_string(outcome.writes_refused)
                  + " writes refused";
    assertions.push_back(json::object{{"text", "--fail-on turn-failure"},
                                      {"observed", std::move(observed)},
                                      {"holds", holds}});
  }
  const auto& rates = outcome.rates;
  const auto measured = std::chrono::duration<double>(course.measured).count();
  const auto cores = measured > 0 ? outcome.cpu_seconds / measured : 0;
  const auto turns = static_cast<double>(outcome.total->of(load_tally::turns));
  return {
    {"load", std::move(load)},
    {"good", is_good},
    {"valid", is_valid},
    {"interrupted", course.interrupted},
    {"aborted",
     course.aborted.empty() ? json::value{} : json::value(course.aborted)},
    {"seconds", rounded(measured)},
    {"counts", counts_json(*outcome.total)},
    {"unfinished", outcome.unfinished},
    {"open_most", course.open_most},
    {"rates",
     {{"sessions_a_second", rounded(rates.sessions)},
      {"turns_a_second", rounded(rates.turns)},
      {"events_a_second", rounded(rates.events)},
      {"bytes_a_second", rounded(rates.bytes)}}},
    {"errors",
     {{"share", share_json(rates.errors)},
      {"sessions", reasons_json(outcome.session_errors)},
      {"turn_share", share_json(rates.turn_errors)},
      {"turns", reasons_json(outcome.turn_errors)}}},
    {"latency", latency_json(*outcome.total)},
    {"cpu",
     {{"cores", rounded(cores)},
      {"seconds", rounded(outcome.cpu_seconds)},
      {"generator_seconds", rounded(outcome.generator_cpu_seconds)},
      {"microseconds_per_turn",
       turns > 0 && what.servers.empty() ? json::value(rounded(
         (outcome.cpu_seconds - outcome.generator_cpu_seconds) * 1e6 / turns))
                                         : json::value{}}}},
    {"memory", memory_json(what, outcome.memory)},
    {"modes", modes_json(what, outcome)},
    {"stages", stages_json(what, outcome)},
    {"assertions", std::move(assertions)}};
}

} // namespace convene::host
