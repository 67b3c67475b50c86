#pragma once

#include <convene/protocol/base/byte_buffer.hpp>
#include <convene/protocol/documents/collab.hpp>
#include <convene/session/requests/request.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace convene::session {

/// Deliver `what` to a participant.
struct delivery {
  participant_index to = no_participant;
  request what;
};

/// Notify a participant of something that needs no answer.
struct notice {
  participant_index to = no_participant;
  protocol::uuid token; ///< of the request concerned
  /// "refused", "closed", "action_started", "action_refused" and others.
  std::string what;
  std::string reason;
  std::string position;      ///< of the action concerned
  bool when_durable = false; ///< send it only once the events so far are
};

/// How the session ended.
struct outcome {
  protocol::collab_status status = protocol::collab_status::completed;
  std::string condition;
  std::string observed;
  std::int64_t limit = -1; ///< below 0: none

  bool operator==(const outcome&) const = default;
};

/// What the machine wants done, in this order: append the events, deliver the
/// requests, send the notices, finish. Meant to be reused.
struct effects {
  protocol::byte_buffer events; ///< encoded, a line each
  std::size_t event_count = 0;
  std::vector<delivery> deliveries;
  std::vector<notice> notices;
  std::optional<outcome> finished;

  void clear() {
    events.clear();
    event_count = 0;
    deliveries.clear();
    notices.clear();
    finished.reset();
  }
};

} // namespace convene::session
