#pragma once

#include <convene/actors/behaviours/turn_request.hpp>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

/// What the tests of behaviours ask.
namespace asked {

using convene::actors::turn_request;
using convene::session::request_kind;

inline turn_request turn(std::string task, std::uint32_t n = 0) {
  turn_request made;
  made.task = std::move(task);
  made.sequence = n;
  made.kind_sequence = n;
  return made;
}

/// Of an orchestrator with `others` besides it.
inline turn_request decision(std::vector<std::string> others,
                             std::uint32_t n = 0) {
  turn_request made;
  made.kind = request_kind::decision;
  made.sequence = n;
  made.kind_sequence = n;
  for (auto& id : others)
    made.decide.participants.push_back({.participant = std::move(id)});
  return made;
}

/// Of a voter on a conflict between the writes of `sides`.
inline turn_request vote(const std::vector<std::string>& sides,
                         std::uint32_t n = 0) {
  turn_request made;
  made.kind = request_kind::vote;
  made.sequence = n;
  made.kind_sequence = n;
  made.dispute.conflict_id = "c";
  for (const auto& id : sides)
    made.dispute.sides.push_back({.participant = id});
  return made;
}

} // namespace asked
