#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/session/story/failure_rules.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// Of happenings, the first and the last ones that are told; of conflicts,
/// handoffs and failures the first; of participants those with the most to do.
inline constexpr std::size_t first_told = 20;
inline constexpr std::size_t last_told = 10;

/// The first ones of many, and how many there are.
template <class Item>
struct told_list {
  std::vector<Item> first;
  std::uint64_t total = 0;

  /// Null for those that are only counted.
  Item* add(Item item) {
    ++total;
    if (first.size() == first_told)
      return nullptr;
    first.push_back(std::move(item));
    return &first.back();
  }
};

/// Something that happened, in words.
struct happening {
  protocol::timestamp_ms at = 0;
  std::uint64_t event = 0; ///< its number in the session, from 1
  std::string words;
};

/// The first of the failures with the same reason.
struct failure_story : happening {
  std::size_t reason = 0; ///< its hash
  std::uint64_t times = 1;
};

struct participant_story {
  std::string role;
  std::string role_name; ///< if the log has it
  std::string kind;
  std::string behaviour;
  std::map<std::string, std::uint64_t, std::less<>> answers; ///< by status
  std::uint64_t asked = 0;
  std::uint64_t decisions = 0;
  std::uint64_t votes = 0; ///< about conflicts
  std::uint64_t writes = 0;
  std::int64_t busy_ms = 0; ///< all its requests together
  std::int64_t longest_ms = 0;
};

struct conflict_story {
  protocol::timestamp_ms at = 0;
  std::uint64_t event = 0;
  std::string id;
  std::string type;
  std::string resource;
  std::vector<std::string> sides;
  bool is_settled = false;
  std::string strategy;
  std::string winner;
  std::string reason;
  std::vector<std::string> votes; ///< "nadia for mara"
};

struct handoff_story {
  protocol::timestamp_ms at = 0;
  std::uint64_t event = 0;
  std::string id;
  std::string from;
  std::string to;
  std::string instructions;
  std::optional<std::int64_t> turn; ///< in which it was taken up
};

struct session_facts {
  std::string session_id;
  std::string title;
  std::string purpose;
  std::string mode;
  std::string policy;
  std::optional<protocol::timestamp_ms> started;
  protocol::timestamp_ms last = 0;
  bool has_beginning = false;
  bool has_end = false;
  std::string status;
  json::object stop_reason;
  json::object usage;
  std::uint64_t events = 0;
  std::uint64_t turns = 0;
  std::uint64_t broadcasts = 0;
  std::uint64_t decisions = 0;
  std::uint64_t writes = 0;
  std::uint64_t actions = 0; ///< attempts that ended
  std::map<std::string, participant_story, std::less<>> participants;
  std::vector<happening> first;
  std::deque<happening> last_ones;
  std::uint64_t happenings = 0;
  told_list<conflict_story> conflicts;
  told_list<handoff_story> handoffs;
  told_list<failure_story> failures; ///< one for each reason
};

/// Gathers from one session's events, in their order, what there is to tell,
/// in bounded memory. An event that is not what docs/events.md says is passed
/// over.
class session_story {
public:
  explicit session_story(std::string_view session_id) {
    facts_.session_id = session_id;
  }

  void add(const json::object& event);

  [[nodiscard]] const session_facts& facts() const noexcept {
    return facts_;
  }
  [[nodiscard]] const failure_rules& rules() const noexcept {
    return rules_;
  }

  /// Requests that have no answer yet.
  [[nodiscard]] std::uint64_t open_requests() const;

private:
  struct open_request {
    std::string task;
    std::uint64_t receivers = 1;
    std::vector<std::string> wrote; ///< the first resources
    std::vector<std::string> was_refused;
  };
  /// A write or claim in conflict, whose ruling is the next event.
  struct disputed {
    std::string conflict_id;
    std::string_view what; ///< "write", "claim"
    std::string resource;
    std::string by;
    std::string token;
  };

  void take_start(const json::object& payload);
  void take_roles(const json::object& payload);
  void take_dispatch(const json::object& payload);
  void take_turn(const json::object& payload);
  void take_broadcast(const json::object& payload);
  void take_received(const json::object& payload);
  void take_write(const json::object& payload);
  void take_conflict(const json::object& payload);
  void take_ruling(const json::object& payload);
  void take_refusal(const disputed& what, const std::string& why);
  void take_handoff(const json::object& payload);
  void take_input(const json::object& payload);
  void take_action_end(const json::object& event, const json::object& payload);
  /// `before` and `after` are the words around its error.
  void answered(std::string_view who, const json::object& payload,
                const std::string& before, const std::string& after);
  void happens(std::string words);
  /// An empty reason: the words are.
  void fails(std::string words, std::string_view reason = {});
  participant_story* participant(std::string_view id);

  session_facts facts_;
  std::string others_behaviour_; ///< of those who have none of their own
  failure_rules rules_;
  protocol::timestamp_ms now_ = 0;
  std::map<std::string, open_request, std::less<>> open_; ///< by token
  disputed disputed_; ///< of the conflict before
};

} // namespace convene::session
