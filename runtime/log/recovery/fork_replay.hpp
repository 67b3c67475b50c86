#pragma once

#include <convene/protocol/documents/reply.hpp>
#include <convene/session/machine/machine.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace convene::host {

/// How much of a recorded session is shared with its fork.
struct shared_part {
  std::size_t inputs = 0; ///< the first ones
  std::string event_id;   ///< of the last event they produce
};

/// The inputs of a recorded session up to the one that produced the event, or
/// the MAPTurnDispatched of the turn. `started` is the payload of its
/// MAPSessionStarted. Refuses, as `fork_point`, an event they never produced,
/// and a session that had ended by then.
[[nodiscard]] protocol::result<shared_part>
find_point(const protocol::json::object& started,
           const std::vector<session::input>& inputs,
           const std::string& event_id, std::optional<std::uint32_t> turn);

/// A recorded session and a second one that gets the same inputs, translated:
/// the ids of requests, steps and conflicts are replaced by the second one's
/// own.
class fork_replay {
public:
  [[nodiscard]] static protocol::result<fork_replay>
  make(const protocol::json::object& started, session::spec scenario,
       const protocol::uuid& key);

  /// Feeds an input of the first session to both; the second gets it `shift`
  /// milliseconds later. Refuses (`fork_departs`) if their requests then
  /// differ.
  [[nodiscard]] protocol::result<void> feed(const session::input& in,
                                            std::int64_t shift);

  /// The second session's own part begins at `now`: what is under way in the
  /// first is not begun again.
  void part(protocol::timestamp_ms now);

  /// After `part`: the participant answers its open request in the second
  /// session. The reply may have the first one's ids of steps and conflicts.
  /// Refuses (`fork_answer`) if it has none, a reply that breaks a bound, and
  /// one that does not have the decision or the vote that is wanted, or has one
  /// that is not.
  [[nodiscard]] protocol::result<void> answer(const std::string& participant_id,
                                              protocol::reply reply,
                                              protocol::timestamp_ms now);

  /// The events of the second session.
  [[nodiscard]] const std::string& events() const noexcept {
    return events_;
  }

private:
  fork_replay() = default;

  [[nodiscard]] session::input translated(session::input in) const;
  [[nodiscard]] protocol::uuid translated(const protocol::uuid& token) const;
  void translate(protocol::json::value& what) const;
  void translate(protocol::reply& what) const;
  [[nodiscard]] session::participant_index
  translated(session::participant_index who) const;
  void pair(const session::request& first, const session::request& second);

  std::unique_ptr<session::machine> first_;
  std::unique_ptr<session::machine> second_;
  std::map<std::string, std::string, std::less<>> ids_; ///< first to second
  struct asked {
    session::participant_index to = session::no_participant;
    protocol::uuid token;
    session::request_kind kind = session::request_kind::turn;
    protocol::shared_value<session::conflict_view> conflict;
  };
  /// Why the reply is none to this request; empty: it is one.
  [[nodiscard]] std::string why_unfit(const asked& open,
                                      const protocol::reply& given) const;
  /// What the second session's participants were asked, the latest last.
  std::vector<asked> asked_;
  std::string events_;
};

} // namespace convene::host
