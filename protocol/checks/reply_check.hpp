#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace convene::protocol {

/// The rules about what a reply does, in one session's log:
/// - writes_match_reply: the writes of a reply that counts are on the log
///   before it, each as made, refused or in conflict, and no others
/// - claims_match_reply: the same for its claims; those that are to be taken
///   together are, or all are refused, and so are the writes beside them
/// - reasoning_matches_reply: the reasons that a reply gives follow it as an
///   event of their own, and nothing else does
/// - handoff_matches_reply: a handoff is the one that the giver's reply asks
/// for
class reply_check {
public:
  void feed(const checked_event& e);

private:
  /// A write or claim that waits for the reply that it came with.
  struct act {
    std::string resource_type;
    std::string resource_id;
    std::string op;
    std::optional<std::int64_t> base_version;
    std::optional<json::value> value; ///< where the event has it as it came
    bool refused = false;
  };
  struct acts {
    std::vector<act> writes;
    std::vector<act> claims;
  };
  using request = std::pair<std::string, std::string>; ///< token, participant

  void note(const checked_event& e);
  void close(const checked_event& e);
  static void compare(const checked_event& e, const std::vector<act>& made,
                      std::string_view member);
  static void check_together(const checked_event& e, const acts& made);
  void hand_off(const checked_event& e);
  void check_reasons(const checked_event& e);

  /// What the event behind a reply with reasons must say.
  struct reasons {
    std::string token;
    std::string who;
    json::value all;
  };

  std::map<request, acts> open_;
  std::optional<reasons> expected_;
  std::map<std::string, json::object, std::less<>> handoffs_; ///< by token
};

} // namespace convene::protocol
