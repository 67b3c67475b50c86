#pragma once

#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/protocol/checks/event_check.hpp>
#include <convene/protocol/json/json_scratch.hpp>
#include <forgeries/action_log.hpp>
#include <forgeries/example_logs.hpp>

#include <functional>
#include <map>
#include <set>
#include <span>

namespace convene::tests {

namespace json = protocol::json;
using protocol::text_of;

/// Feeds the event from memory that the next one of its type is written to, as
/// those of a log are.
inline void feed_reused(protocol::event_checker& checker, std::size_t line,
                        const json::value& event) {
  static protocol::json_scratch memory;
  const auto* const object = event.if_object();
  const auto type = object == nullptr ? std::string_view{}
                                      : text_of(*object, "event_type");
  checker.feed(line, **memory.parse(json::serialize(event), type));
}

inline std::set<std::string> rules_of(const event_log& log) {
  protocol::event_checker checker;
  for (std::size_t i = 0; i < log.size(); ++i)
    feed_reused(checker, i + 1, log[i]);
  std::set<std::string> rules;
  for (const auto& each : checker.finish())
    rules.insert(each.rule);
  return rules;
}

inline const event_log& example_log(const std::string& name) {
  static std::map<std::string, event_log> known;
  auto& log = known[name];
  if (log.empty())
    log = name == "actions" ? log_of_actions()
                            : log_of(examples_folder + name + "/scenario.json");
  return log;
}

inline bool is_type(const json::value& event, std::string_view type) {
  return text_of(event.as_object(), "event_type") == type;
}

/// The first event of a type with a member of its payload, or any.
inline json::value& first(event_log& log, std::string_view type,
                          std::string_view member = {}) {
  const auto found = std::ranges::find_if(log, [&](const auto& event) {
    return is_type(event, type)
           && (member.empty()
               || event.at("payload").as_object().contains(member));
  });
  REQUIRE(found != log.end());
  return *found;
}

inline json::object& payload_of(json::value& event) {
  return event.at("payload").as_object();
}

/// An edit of a log, and the rule that tells it.
struct forgery {
  std::string what;
  std::string log;
  std::function<void(event_log&)> make;
  std::string rule;
};

inline void check_each(std::span<const forgery> all) {
  for (const auto& [what, name, make, rule] : all) {
    CAPTURE(what, rule);
    auto log = example_log(name);
    REQUIRE(rules_of(log).empty());
    make(log);
    CHECK(rules_of(log).contains(rule));
  }
}

} // namespace convene::tests
