#pragma once

#include <convene/session/conflicts/write_conflict.hpp>
#include <convene/session/requests/request.hpp>

#include <vector>

namespace convene::session {

/// The writer and its permission.
struct writing {
  participant_index who = no_participant;
  std::uint32_t turn_number = 0;
  protocol::uuid token;
  step_index step = no_step; ///< that the request is about
  bool allowed = false;      ///< the token gives the right to write
  bool input = false;        ///< an input of its own, not part of a reply
  const protocol::claim* claim = nullptr; ///< the input is this, not a write
};

/// A participant that was asked about a conflict and has not answered.
struct question {
  participant_index to = no_participant;
  protocol::uuid token;

  bool operator==(const question&) const = default;
};

struct ballot {
  participant_index voter = no_participant;
  participant_index in_favour_of = no_participant;
};

/// A conflict decided by others. Only its resource is blocked.
struct open_conflict {
  protocol::uuid id;
  writing by;
  protocol::resource_write what;
  write_conflict found;
  written made;
  conflict_strategy stage = conflict_strategy::voting; ///< or escalation
  request_kind kind = request_kind::vote;
  protocol::timestamp_ms expires_at = 0;
  std::vector<question> asked;
  std::vector<ballot> votes;
};

} // namespace convene::session
