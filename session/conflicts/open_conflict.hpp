#pragma once

#include <convene/session/conflicts/write_conflict.hpp>
#include <convene/session/conflicts/writing.hpp>

#include <vector>

namespace convene::session {

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

/// One that is no longer open.
struct settled_conflict {
  open_conflict about;
  resolution ruled; ///< never `ask` or `join`
};

} // namespace convene::session
