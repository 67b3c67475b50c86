#include <boost/json/serialize.hpp>
#include <convene/bindings/c/read_as.hpp>
#include <convene/bindings/c/seed_settings.hpp>
#include <convene/bindings/c/wait_limit.hpp>
#include <convene/lab/simulation/stand_ins.hpp>
#include <convene/protocol/documents/describe.hpp>

#include <algorithm>
#include <string>
#include <utility>

namespace convene::c_api {
namespace {

namespace json = boost::json;
using protocol::errc;
using protocol::fail;
using protocol::result;

/// The members of the JSON options.
struct seed_members {
  std::optional<std::vector<std::int64_t>> seeds;
  std::int64_t threads = 0;
  std::optional<json::object> set;
  std::optional<json::object> stand_ins;
  std::optional<json::object> measures;
  std::optional<json::value> properties;
  std::optional<json::value> faults;
  bool strict = false;
  std::optional<std::int64_t> timeout_ms;
};

CONVENE_DESCRIBE(seed_members, MEMBER(seeds),
                 DEFAULTED(threads, protocol::between(0, 1024)), MEMBER(set),
                 MEMBER(stand_ins), MEMBER(measures),
                 MEMBER(properties, protocol::any_json),
                 MEMBER(faults, protocol::any_json), DEFAULTED(strict),
                 MEMBER(timeout_ms));

struct point_members {
  std::optional<json::object> vary;
  std::optional<std::int64_t> sample;
  std::int64_t sample_seed = 1;
  std::int64_t baseline = 1;
};

CONVENE_DESCRIBE(point_members, MEMBER(vary), MEMBER(sample),
                 DEFAULTED(sample_seed, protocol::from_zero),
                 DEFAULTED(baseline, protocol::between(1, host::points_max)));

tl::unexpected<protocol::error> refuse(std::string pointer, std::string why,
                                       std::string rule,
                                       const json::value& found) {
  return fail({.code = errc::invalid_document,
               .message = std::move(why),
               .pointer = std::move(pointer),
               .rule = std::move(rule),
               .value = protocol::shorten_value(found)});
}

result<host::seed_range>
range_of(const std::optional<std::vector<std::int64_t>>& seeds) {
  if (!seeds)
    return host::seed_range{1, 100};
  if (seeds->size() != 2 || std::ranges::min(*seeds) < 0)
    return fail({.code = errc::invalid_document,
                 .message = "give the first and the last seed, as in [1, 100]",
                 .pointer = "/seeds",
                 .rule = "seeds"});
  const host::seed_range made{static_cast<std::uint64_t>(seeds->front()),
                              static_cast<std::uint64_t>(seeds->back())};
  return host::check_range(made).map([made] { return made; });
}

result<void> add_measures(const json::object& from, host::simulation& into) {
  if (from.size() > host::measures_max)
    return fail({.code = errc::limit_reached,
                 .message = "there are more than "
                            + std::to_string(host::measures_max) + " measures",
                 .pointer = "/measures",
                 .rule = "measures_max"});
  for (const auto& [name, expression] : from) {
    if (!expression.is_string())
      return refuse("/measures", "a measure is an expression in a text", "type",
                    expression);
    auto made = host::parse_measure(std::string{name} + '='
                                    + std::string{expression.get_string()});
    if (!made)
      return fail(std::move(made).error());
    into.measures.push_back(*std::move(made));
  }
  return {};
}

result<void> add_stand_ins(const json::object& from,
                           std::vector<std::string>& into) {
  for (const auto& [id, behaviour] : from) {
    const auto* const type = behaviour.if_string();
    auto made = host::parse_stand_in(
      std::string{id} + '='
      + (type != nullptr ? std::string{*type} : json::serialize(behaviour)));
    if (!made)
      return fail(std::move(made).error());
    into.push_back(host::to_override(*made));
  }
  return {};
}

result<void> add_judged(const seed_members& from, host::simulation& into) {
  if (from.faults) {
    const auto* const text = from.faults->if_string();
    auto read = host::read_faults(
      text != nullptr ? std::string{*text} : json::serialize(*from.faults));
    if (!read)
      return fail(std::move(read).error());
    into.faults = *std::move(read);
  }
  if (!from.properties)
    return {};
  auto read = host::parse_properties(*from.properties, "property");
  if (!read) {
    auto why = std::move(read).error();
    why.pointer.insert(0, "/properties");
    return fail(std::move(why));
  }
  into.properties = *std::move(read);
  return {};
}

result<host::scenario_input> scenario_from(std::string_view text) {
  host::scenario_input made;
  const auto begins = text.find_first_not_of(" \t\r\n");
  if (begins == text.npos || text[begins] != '{') {
    made.path = text;
    return made;
  }
  auto parsed = protocol::parse_json(text);
  if (!parsed)
    return fail(std::move(parsed).error());
  made.given = std::move(parsed->get_object());
  return made;
}

result<host::variation> variation_of(std::string_view key,
                                     const json::value& from) {
  host::variation made{.name = std::string{key}};
  if (const auto* const all = from.if_array();
      all != nullptr && !all->empty()) {
    if (all->size() > host::points_max)
      return fail({.code = errc::limit_reached,
                   .message = "there are more than "
                              + std::to_string(host::points_max) + " choices",
                   .pointer = "/vary",
                   .rule = "points_max"});
    for (const auto& value : *all)
      made.choices.push_back(host::choice_of(key, value));
    return made;
  }
  const auto* const range = from.if_object();
  const auto number = [range](std::string_view name) {
    const auto* const found = range == nullptr ? nullptr
                                               : range->if_contains(name);
    return found != nullptr && found->is_number()
             ? std::optional{found->to_number<double>()}
             : std::nullopt;
  };
  const auto low = number("from");
  const auto high = number("to");
  if (!low || !high || *high < *low || range->size() != 2)
    return refuse("/vary",
                  "write an array of values, or {\"from\": 0.1, \"to\": 0.5}",
                  "vary", from);
  made.range = {*low, *high};
  return made;
}

} // namespace

result<seed_settings> read_seed_settings(std::string_view scenario,
                                         json::object options) {
  const auto members = read_as<seed_members>(std::move(options));
  if (!members)
    return fail(members.error());
  seed_settings made;
  if (auto added = add_judged(*members, made.judged); !added)
    return fail(std::move(added).error());
  const auto seeds = range_of(members->seeds);
  if (!seeds)
    return fail(seeds.error());
  made.seeds = *seeds;
  made.threads = static_cast<std::size_t>(members->threads);
  if (members->timeout_ms)
    made.limit = wait_limit(*members->timeout_ms);
  if (members->measures)
    if (auto added = add_measures(*members->measures, made.judged); !added)
      return fail(std::move(added).error());
  auto from = scenario_from(scenario);
  if (!from)
    return fail(std::move(from).error());
  from->strict = members->strict;
  if (members->set)
    for (const auto& [key, value] : *members->set)
      from->overrides.push_back(std::string{key} + '='
                                + json::serialize(value));
  made.from.scenario = *std::move(from);
  if (members->stand_ins)
    if (auto added = add_stand_ins(*members->stand_ins, made.from.last); !added)
      return fail(std::move(added).error());
  return made;
}

result<point_settings> take_point_settings(json::object& options) {
  json::object own;
  for (const std::string_view name :
       {"vary", "sample", "sample_seed", "baseline"})
    if (const auto found = options.find(name); found != options.end()) {
      own.emplace(name, std::move(found->value()));
      options.erase(found);
    }
  const auto members = read_as<point_members>(std::move(own));
  if (!members)
    return fail(members.error());
  std::vector<host::variation> all;
  if (members->vary)
    for (const auto& [key, values] : *members->vary) {
      auto one = variation_of(key, values);
      if (!one)
        return fail(std::move(one).error());
      all.push_back(*std::move(one));
    }
  point_settings made{.baseline = static_cast<std::size_t>(members->baseline)};
  if (!members->sample) {
    auto points = host::grid_of(all);
    if (!points)
      return fail(std::move(points).error());
    made.points = *std::move(points);
    return made;
  }
  constexpr auto most = static_cast<std::int64_t>(host::points_max);
  if (*members->sample < 1 || *members->sample > most)
    return fail(
      {.code = errc::limit_reached,
       .message = "a sample has from 1 to " + std::to_string(most) + " points",
       .pointer = "/sample",
       .rule = "points_max"});
  made.points
    = host::latin_hypercube(all, static_cast<std::size_t>(*members->sample),
                            static_cast<std::uint64_t>(members->sample_seed));
  return made;
}

} // namespace convene::c_api
