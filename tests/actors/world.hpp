#pragma once

#include <caf/actor_system.hpp>
#include <caf/actor_system_config.hpp>
#include <caf/scheduler/test_coordinator.hpp>
#include <caf/send.hpp>
#include <convene/actors/session.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

/// What the tests of actors have in common: an actor system that moves one
/// message at a time, a clock that stands still unless told otherwise, a sink
/// that remembers, and sessions of a made-up policy.
namespace convene::tests {

/// Keeps all lines; can be told to fail.
struct remembering_sink final : actors::event_sink {
  std::string text;
  std::optional<protocol::error> failure;
  bool full = false;        // congested
  bool keeps_later = false; // once `keep` says so
  std::vector<actors::when_kept> waiting;

  protocol::result<void> append(std::string_view, std::string_view lines,
                                std::size_t) override {
    if (failure)
      return protocol::fail(*failure);
    text += lines;
    return {};
  }

  bool congested() const noexcept override {
    return full;
  }

  bool is_durable(actors::when_kept&& then) override {
    if (keeps_later)
      waiting.push_back(std::move(then));
    return !keeps_later;
  }

  /// Tells all who wait how it went.
  void keep(const protocol::result<void>& how = {}) {
    for (auto& tell : std::exchange(waiting, {}))
      tell(how);
  }
};

/// Virtual time, from 1,000,000 ms on.
struct still_clock final : actors::time_source {
  caf::scheduler::test_coordinator* scheduler = nullptr;

  [[nodiscard]] protocol::timestamp_ms now() const override {
    const auto passed = scheduler->clock().now().time_since_epoch();
    return 1'000'000
           + std::chrono::duration_cast<std::chrono::milliseconds>(passed)
               .count();
  }
};

/// A behaviour that is a lambda.
struct acts final : actors::behaviour {
  using function = std::function<actors::answer(const actors::turn_request&)>;

  explicit acts(function how) : how_{std::move(how)} {
    // nop
  }

  actors::answer respond(const actors::turn_request& asked) override {
    return how_(asked);
  }

private:
  function how_;
};

inline std::shared_ptr<actors::behaviour> does(acts::function how) {
  return std::make_shared<acts>(std::move(how));
}

inline std::shared_ptr<actors::behaviour> says(std::string content,
                                               std::int64_t delay_ms = 0) {
  return does([=](const actors::turn_request&) {
    return actors::answer{.reply = {.content = content}, .delay_ms = delay_ms};
  });
}

inline std::shared_ptr<actors::behaviour> says_nothing() {
  return does(
    [](const actors::turn_request&) { return actors::answer{.silent = true}; });
}

/// Everybody who is still there gets one turn, in order.
inline session::ruling one_turn_each(const session::view& now,
                                     session::memory kept) {
  if (now.busy > 0)
    return {{}, std::move(kept)};
  auto next = now.turn.turn_index + 1; // of nobody: the first
  while (next < now.participants.size() && now.participants[next].lost)
    ++next;
  if (next < now.participants.size())
    return {{session::dispatch{.participant = next}}, std::move(kept)};
  return {{session::complete{.condition = "all_had_a_turn"}}, std::move(kept)};
}

inline const session::routing_policy each_once{.name = "each_once",
                                               .decide = one_turn_each};

/// One message to all, then the end.
inline session::ruling one_broadcast(const session::view& now,
                                     session::memory kept) {
  if (now.busy > 0)
    return {{}, std::move(kept)};
  if (now.broadcasts == 0)
    return {{session::broadcast{}}, std::move(kept)};
  return {{session::complete{.condition = "all_were_asked"}}, std::move(kept)};
}

inline const session::routing_policy all_at_once{.name = "all_at_once",
                                                 .takes_turns = false,
                                                 .decide = one_broadcast};

/// A scenario with participants p0, p1 and so on. `number` tells sessions
/// apart.
session::spec scenario_of(std::size_t participants, std::uint64_t number = 0);

/// How a session ended, once it has.
using ending = std::optional<protocol::result<session::report>>;

/// The end's condition, or the error.
[[nodiscard]] std::string how(const ending& end);

/// An actor system that moves one message at a time, when told to.
class world {
public:
  using behaviours = std::vector<std::shared_ptr<actors::behaviour>>;

  world();

  /// Spawns a session that puts how it ended into `end`, and says `start`.
  actors::session_actor begin(behaviours who, ending& end,
                              session::options how = {},
                              const session::routing_policy& policy = each_once,
                              std::uint64_t number = 0);

  void tell(const actors::session_actor& whom, actors::control::verb what,
            std::string reason = {}) {
    caf::anon_send(whom, actors::control{what, std::move(reason)});
  }

  /// Lets all actors work until they wait for time to pass.
  void run();

  /// Runs, then lets `ms` pass one by one, and runs.
  void pass(std::int64_t ms);

  /// Whose message is worked on next.
  [[nodiscard]] caf::actor next_actor();

  /// The events so far as values, and their types.
  [[nodiscard]] std::vector<protocol::json::object> events() const;
  [[nodiscard]] std::vector<std::string> event_types() const;

  /// Member `member` of the payload of all events of type `type`.
  [[nodiscard]] std::vector<std::string> told(std::string_view type,
                                              std::string_view member) const;

private:
  struct config : caf::actor_system_config {
    config();
  };

public:
  bool strict = false; // the sessions that are begun
  std::function<void(actors::session_setup&)> change; // of the same
  remembering_sink sink;
  still_clock clock;
  config settings;
  caf::actor_system system{settings};
  caf::scheduler::test_coordinator& scheduler;
  actors::timekeeper_actor timekeeper;
};

} // namespace convene::tests
