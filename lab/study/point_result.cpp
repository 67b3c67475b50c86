#include <convene/lab/simulation/simulation_summary.hpp>
#include <convene/lab/study/point_result.hpp>
#include <convene/protocol/json/members.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

namespace convene::host {

using namespace protocol;

namespace {

constexpr char completed = 'c';
constexpr char cancelled = 'x';
constexpr char not_ended = 'f';

char end_of(const seed_outcome& one) {
  if (!one.has_ended)
    return not_ended;
  return one.status == collab_status::completed ? completed : cancelled;
}

/// Counts and milliseconds: what is more, no seed came to.
constexpr std::int64_t value_max = std::int64_t{1} << 53;

/// Whether a report finds in it what it tells of a failed seed, but for the
/// command, which is not stored.
bool is_failure(const json::value& one) {
  const auto* failure = one.if_object();
  const auto* findings = failure == nullptr ? nullptr
                                            : failure->if_contains("findings");
  const auto* list = findings == nullptr ? nullptr : findings->if_array();
  if (list == nullptr || list->empty() || !list->front().is_object())
    return false;
  const auto* seed = failure->if_contains("seed");
  return seed != nullptr
         && (seed->is_uint64() || (seed->is_int64() && seed->get_int64() >= 0));
}

/// Of two such values there is a difference.
constexpr std::int64_t millionths_max = 4'000'000'000'000'000'000;

/// Nothing for what is too large to be counted so.
std::optional<std::int64_t> in_millionths(const std::optional<double>& number) {
  constexpr double most = millionths_max / 1e6;
  if (!number || !(std::abs(*number) <= most))
    return std::nullopt;
  return std::llround(*number * 1e6);
}

/// Whether a report finds in it what it tells of a property.
bool is_judged(const json::value& one) {
  const auto* property = one.if_object();
  if (property == nullptr || protocol::text_of(*property, "name").empty()
      || integer_of(*property, "failed").value_or(-1) < 0)
    return false;
  const auto* share = property->if_contains("share");
  const auto* parts = share == nullptr ? nullptr : share->if_object();
  return parts != nullptr
         && std::ranges::all_of(
           std::array{"value", "low", "high"}, [parts](const char* name) {
             const auto* part = parts->if_contains(name);
             return part != nullptr && (part->is_number() || part->is_null());
           });
}

json::array encode(const seed_values& values) {
  json::array made;
  for (const auto& one : values)
    made.push_back(one ? json::value(*one) : json::value());
  return made;
}

std::optional<seed_values> decode_values(const json::value& from,
                                         std::uint64_t seeds) {
  const auto* items = from.if_array();
  if (items == nullptr || items->size() != seeds)
    return std::nullopt;
  seed_values made;
  for (const auto& item : *items) {
    const auto* number = item.if_int64();
    if (number == nullptr
          ? !item.is_null()
          : *number > millionths_max || *number < -millionths_max)
      return std::nullopt;
    made.push_back(number == nullptr ? std::nullopt : std::optional{*number});
  }
  return made;
}

tl::unexpected<protocol::error> no_point(const std::string& why) {
  return fail(errc::invalid_document, "is not a finished point: " + why,
              "study_store");
}

} // namespace

seed_values point_result::values_of(std::string_view measure) const {
  if (const auto own = own_measures.find(measure); own != own_measures.end())
    return own->second;
  seed_values made(ends.size());
  const bool is_share = measure == "completed";
  const bool is_completion = measure == "completion_ms";
  const auto known = measures.find(is_completion ? "duration_ms" : measure);
  for (std::size_t i = 0; i < ends.size(); ++i) {
    if (ends[i] == not_ended)
      continue;
    if (is_share)
      made[i] = ends[i] == completed ? 1 : 0;
    else if (is_completion && ends[i] != completed)
      made[i] = never;
    else if (known != measures.end())
      made[i] = known->second[i];
  }
  return made;
}

std::size_t point_result::count(char end) const {
  return static_cast<std::size_t>(std::ranges::count(ends, end));
}

point_result result_of(const simulation& what,
                       const std::vector<seed_outcome>& all) {
  point_result made;
  auto& steps = made.measures["steps"];
  auto& open = made.measures["steps_open"];
  for (const auto& one : all) {
    made.ends += end_of(one);
    steps.push_back(one.measures.steps);
    open.push_back(one.measures.steps_open);
  }
  for (const auto& [name, value] : named_measures) {
    auto& values = made.measures[std::string{name}];
    for (const auto& one : all)
      values.push_back(one.measures.*value);
  }
  for (std::size_t i = 0; i < what.measures.size(); ++i) {
    auto& values = made.own_measures[what.measures[i].name];
    for (const auto& one : all)
      values.push_back(one.own_measures.empty()
                         ? std::nullopt
                         : in_millionths(one.own_measures.at(i)));
  }
  auto summary = summarise(what, all);
  made.properties = std::move(summary.at("properties").as_array());
  made.outcomes = std::move(summary.at("outcomes").as_object());
  made.failed = summary.at("failed").to_number<std::size_t>();
  made.failures = std::move(summary.at("failures").as_array());
  made.digest = summary.at("digest").as_string();
  return made;
}

json::object encode(const point_result& what) {
  json::object measures;
  for (const auto& [name, values] : what.measures)
    measures.emplace(name, json::array(values.begin(), values.end()));
  json::object own;
  for (const auto& [name, values] : what.own_measures)
    own.emplace(name, encode(values));
  return {{"ends", what.ends},
          {"measures", std::move(measures)},
          {"own_measures", std::move(own)},
          {"outcomes", what.outcomes},
          {"properties", what.properties},
          {"failed", static_cast<std::int64_t>(what.failed)},
          {"failures", what.failures},
          {"digest", what.digest}};
}

result<point_result> decode_point(const json::object& from,
                                  std::uint64_t seeds) {
  point_result made;
  made.ends = protocol::text_of(from, "ends");
  if (made.ends.size() != seeds
      || made.ends.find_first_not_of("cxf") != std::string::npos)
    return no_point("`ends` is not a letter for each seed");
  for (const auto& [name, values] : object_of(from, "measures")) {
    auto& all = made.measures[std::string{name}];
    if (const auto* items = values.if_array())
      for (const auto& item : *items)
        if (const auto* number = item.if_int64();
            number != nullptr && *number >= 0 && *number <= value_max)
          all.push_back(*number);
    if (all.size() != seeds)
      return no_point("a measure has not a number for each seed");
  }
  for (const auto& [name, unused] : named_measures)
    if (!made.measures.contains(name))
      return no_point("a measure is missing");
  for (const auto& [name, values] : object_of(from, "own_measures")) {
    auto all = decode_values(values, seeds);
    if (!all)
      return no_point("a measure has not a number for each seed");
    made.own_measures.emplace(name, *std::move(all));
  }
  const auto* properties = from.if_contains("properties");
  if (properties == nullptr || !properties->is_array()
      || !std::ranges::all_of(properties->get_array(), is_judged))
    return no_point("`properties` are not what became of each");
  made.properties = properties->get_array();
  const auto failed = integer_of(from, "failed");
  const auto* failures = from.if_contains("failures");
  if (!failed || *failed < 0 || failures == nullptr || !failures->is_array())
    return no_point("`failed` or `failures` is missing");
  if (!std::ranges::all_of(failures->get_array(), is_failure))
    return no_point("a failure lacks its seed, its findings or its command");
  made.failed = static_cast<std::size_t>(*failed);
  made.failures = failures->get_array();
  made.outcomes = object_of(from, "outcomes");
  made.digest = protocol::text_of(from, "digest");
  return made;
}

} // namespace convene::host
