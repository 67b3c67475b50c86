#pragma once

#include <convene/session/journal/journal.hpp>
#include <convene/session/spec/membership.hpp>
#include <convene/session/workspace/workspace.hpp>
#include <support/events.hpp>
#include <support/specs.hpp>

#include <string>
#include <utility>
#include <vector>

// What a part of the session machine stands on when it is tested alone: a
// scenario, its participants, and a journal that says into `out`.

namespace convene::test {

struct part_rig {
  explicit part_rig(session::spec of) : scenario{std::move(of)} {
    log.open(out, now);
  }

  part_rig(const part_rig&) = delete;
  part_rig& operator=(const part_rig&) = delete;

  /// A later input begins.
  void pass(std::int64_t ms) {
    now += ms;
    log.open(out, now);
  }

  /// The events since the last call.
  std::vector<event> take_events() {
    std::vector<event> made;
    for (const auto& line : split_lines(out.events.view()))
      made.push_back(parse_event(line));
    out.events.clear();
    return made;
  }

  /// The same as "type: member of the payload", for one member.
  texts take_events(std::string_view member) {
    texts made;
    for (const auto& each : take_events())
      made.push_back(each.type + ": " + each.at(member));
    return made;
  }

  protocol::timestamp_ms now = 1'700'000'000'000;
  session::spec scenario;
  session::effects out;
  session::journal log{{7, 11}, scenario.collab.collab_id, nullptr};
  session::membership who{scenario, session::make_roster(scenario)};
  session::workspace shared;
};

} // namespace convene::test
