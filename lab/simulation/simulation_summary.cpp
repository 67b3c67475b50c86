#include <convene/lab/simulation/distribution_json.hpp>
#include <convene/lab/simulation/fault_summary.hpp>
#include <convene/lab/simulation/simulation_summary.hpp>
#include <convene/protocol/base/words.hpp>
#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/log/digest/digest.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace convene::host {
namespace {

namespace json = boost::json;

using reasons = std::map<std::string, std::uint64_t>;
using ended_seeds = std::vector<const seed_outcome*>;

json::object failure_of(const seed_outcome& one) {
  json::array findings;
  for (const auto& found : one.findings.first)
    findings.push_back({{"rule", found.rule},
                        {"line", found.line},
                        {"message", protocol::sanitize_utf8(found.message)}});
  return {{"seed", one.seed},
          {"findings_total", one.findings.total},
          {"findings", std::move(findings)}};
}

std::string digest_of_all(const std::vector<seed_outcome>& all) {
  std::string bytes;
  bytes.reserve(all.size() * std::tuple_size_v<decltype(seed_outcome::digest)>);
  for (const auto& one : all)
    bytes.append(one.digest.begin(), one.digest.end());
  return hex_digest_of(bytes);
}

/// Work that was left: how many seeds did not complete and what they took until
/// they were given up, and the steps of plans that remained.
json::object unfinished_of(const ended_seeds& ended) {
  std::int64_t steps = 0;
  std::int64_t steps_open = 0;
  std::size_t seeds = 0;
  std::vector<std::int64_t> censored;
  for (const auto* one : ended) {
    steps += one->measures.steps;
    steps_open += one->measures.steps_open;
    if (one->status == collab_status::completed)
      continue;
    ++seeds;
    censored.push_back(one->measures.duration_ms);
  }
  return {{"seeds", seeds},
          {"share", share_json(seeds, ended.size())},
          {"censored_ms", distribution_json(std::move(censored))},
          {"steps", steps},
          {"steps_open", steps_open}};
}

json::object measures_of(const ended_seeds& ended) {
  json::object all;
  std::vector<std::int64_t> completed;
  for (const auto* one : ended)
    if (one->status == collab_status::completed)
      completed.push_back(one->measures.duration_ms);
  const auto never = ended.size() - completed.size();
  all.emplace("completion_ms", distribution_json(std::move(completed), never));
  for (const auto& [name, value] : named_measures) {
    std::vector<std::int64_t> values;
    values.reserve(ended.size());
    for (const auto* one : ended)
      values.push_back(one->measures.*value);
    all.emplace(name, distribution_json(std::move(values)));
  }
  return all;
}

/// Of the user's own, in order: what has no such number is counted.
json::object own_measure_of(const ended_seeds& ended, std::size_t which) {
  std::vector<double> values;
  for (const auto* one : ended)
    if (const auto& found = one->own_measures.at(which))
      values.push_back(*found);
  const auto unmeasured = ended.size() - values.size();
  auto told = sample_json(std::move(values));
  told.emplace("unmeasured", unmeasured);
  return told;
}

/// How many seeds break each, and their share of those that ended.
json::array properties_of(const simulation& what,
                          const std::vector<seed_outcome>& all,
                          std::size_t ended) {
  std::vector<std::size_t> failed(what.properties.size());
  for (const auto& one : all)
    for (const auto which : one.broken)
      ++failed[which];
  json::array told;
  for (std::size_t i = 0; i < failed.size(); ++i)
    told.push_back({{"name", what.properties[i].name},
                    {"failed", failed[i]},
                    {"share", share_json(failed[i], ended)}});
  return told;
}

} // namespace

json::object summarise(const simulation& what,
                       const std::vector<seed_outcome>& all) {
  std::map<collab_status, reasons> ended;
  std::map<collab_status, std::uint64_t> count;
  std::size_t failed = 0;
  json::array failures;
  ended_seeds measured;
  for (const auto& one : all) {
    if (one.has_ended) {
      measured.push_back(&one);
      ++ended[one.status][one.condition];
      ++count[one.status];
    }
    if (one.has_failed() && ++failed <= failures_told_max)
      failures.push_back(failure_of(one));
  }
  auto measures = measures_of(measured);
  for (std::size_t i = 0; i < what.measures.size(); ++i)
    measures.emplace(what.measures[i].name, own_measure_of(measured, i));
  json::object outcomes;
  for (const auto& [status, by_condition] : ended) {
    json::object counts;
    for (const auto& [condition, seeds] : by_condition)
      counts.emplace(condition, seeds);
    outcomes.emplace(protocol::to_word(status), std::move(counts));
  }
  json::object made{
    {"seeds",
     {{"first", what.first}, {"last", what.last}, {"run", all.size()}}},
    {"completed", count[collab_status::completed]},
    {"cancelled", count[collab_status::cancelled]},
    {"failed", failed},
    {"outcomes", std::move(outcomes)},
    {"properties", properties_of(what, all, measured.size())},
    {"measures", std::move(measures)},
    {"unfinished", unfinished_of(measured)},
    {"methods",
     {{"confidence", 0.95},
      {"quantiles", "order statistics, intervals by binomial ranks"},
      {"means", "intervals by Student's t"},
      {"shares", "intervals by Clopper and Pearson"}}},
    {"digest", digest_of_all(all)},
    {"failures", std::move(failures)}};
  if (what.faults)
    made.emplace("faults", summarise_faults(*what.faults, all));
  return made;
}

} // namespace convene::host
