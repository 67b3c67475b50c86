#pragma once

#include <convene/modes/catalog.hpp>
#include <forgeries/edits.hpp>
#include <support/rig.hpp>

#include <string>

namespace convene::tests {

/// The events of a session whose participants call models and tools until a
/// budget is used up. No example has one that runs in virtual time.
inline event_log log_of_actions() {
  using namespace convene::session;
  auto what = test::make_spec(protocol::mode::round_robin, {"ann", "bob"});
  what.options.rounds = 3;
  what.options.turn_timeout_ms = 1'000;
  what.options.budget = {.tokens = 100, .cost_microusd = 5'000};
  auto on = test::rig::started(what, *modes::find("round_robin"));
  const auto act = [&](const std::string& who, const std::string& position,
                       protocol::action_kind kind, const std::string& name,
                       protocol::action_result result) {
    const auto from = on.index(who);
    const auto token = on.open.at(from).token;
    on.feed(action_begins{from,
                          token,
                          {.position = position,
                           .kind = kind,
                           .name = name,
                           .arguments = {{"of", position}},
                           .repeatable = true},
                          1});
    on.now += 7;
    on.feed(action_ends{from, token, position, 1, std::move(result)});
  };
  using enum protocol::action_kind;
  act("ann", "1", model, "small",
      {.output = "call one", .usage = {40, 2, 1'500}});
  act("ann", "1.0", mcp, "files/read", {.output = "text"});
  act("ann", "2", model, "large", {.output = "done", .usage = {20, 3, 900}});
  on.answer("ann", {.content = "read", .usage = {.completion_tokens = 5}});
  act("bob", "1", model, "small",
      {.status = protocol::action_status::failed,
       .error = {"cut_off", "too long"},
       .usage = {30, 4, 2'700}});
  on.answer("bob", "as far as it went");
  event_log log;
  for (const auto& line : on.lines)
    log.push_back(*protocol::parse_json(line));
  return log;
}

} // namespace convene::tests
