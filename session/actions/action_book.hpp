#pragma once

#include <convene/protocol/base/shared_value.hpp>
#include <convene/protocol/documents/action.hpp>
#include <convene/protocol/events/core_event.hpp>
#include <convene/session/journal/journal.hpp>
#include <convene/session/options/options.hpp>
#include <convene/session/requests/recorded_action.hpp>
#include <convene/session/spec/membership.hpp>

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {

/// An open request, by whom it asks.
struct held_request {
  participant_index who = no_participant;
  protocol::uuid token;

  auto operator<=>(const held_request&) const = default;
};

/// An attempt that is under way.
struct open_attempt {
  std::string position;
  protocol::action_kind kind = protocol::action_kind::function;
  std::uint32_t number = 1;
  protocol::uuid execution_id;
  protocol::timestamp_ms begun_at = 0;
};

/// The actions of one open request.
struct request_actions {
  recorded_actions recorded;
  std::vector<open_attempt> open; ///< in the order in which they began
  std::uint32_t turn_number = 0;  ///< 0: the request is no turn
  std::uint32_t attempts = 0;     ///< so far
  std::uint64_t bytes = 0;        ///< of arguments and outputs, about
  protocol::usage usage;          ///< of those that have ended
};

/// What a request is for, as far as a later one can take up its actions.
struct request_purpose {
  request_kind kind = request_kind::turn;
  step_index step = no_step;
  std::string duty;
  std::string task; ///< as its policy gave it; empty: the step's or session's

  bool operator==(const request_purpose&) const = default;
};

/// The actions of a request that was suspended.
struct left_actions {
  request_purpose purpose;
  request_actions actions;
};

/// What participants do outside of the session while their requests are open.
/// Guarantees:
/// - each attempt is on the log when it starts, and once when it ends: at the
///   latest when its request closes, then as cancelled;
/// - what completed is not begun again, and neither is what is not repeatable
///   and has an unknown outcome;
/// - all attempts at one position are at the same action, and count up;
/// - a request's attempts and their bytes are bounded;
/// - the usage of an attempt counts, and is on the log, when it ends;
/// - a request that takes up a suspended one has its actions;
/// - `undo` opens again the attempts that an input ended.
/// Who holds which request is not its business.
class action_book {
public:
  /// All must outlive it. `most` is the session's budget; `digests`: the log
  /// gets one of each action with its result.
  action_book(const membership& who, journal& log, const budget& most,
              bool digests = false)
    : who_(&who), log_(&log), most_(&most), digests_(digests) {}

  /// An input begins. `undoable`: what it changes is remembered for `undo`.
  void begin_input(bool undoable) noexcept {
    if (!before_.empty())
      before_.clear();
    remembers_ = undoable;
  }

  /// Whether no open request has actions.
  [[nodiscard]] bool empty() const noexcept {
    return requests_.empty();
  }
  /// Whether no suspended request has left any.
  [[nodiscard]] bool has_left() const noexcept {
    return !left_.empty();
  }

  /// The bytes of one request's arguments and outputs from which on it begins
  /// nothing more.
  static constexpr std::uint64_t request_bytes_max = std::uint64_t{64} << 20;

  /// The holder of an open request begins an attempt. `turn_number` 0: it is no
  /// turn. `may_spend`: the session's budget is not used up.
  void begin(const held_request& of, std::uint32_t turn_number,
             protocol::action&& what, std::uint32_t attempt, bool may_spend);
  /// Refuses to begin an attempt; the log does not show it.
  void refuse(const held_request& of, std::string position,
              std::string_view code);
  /// An attempt ended. Changes nothing if it is not under way.
  void end(const held_request& of, std::string_view position,
           std::uint32_t attempt, protocol::action_result&& result);

  /// The request closes; `reason` is the error code of what ends with it.
  void close(const held_request& of, std::string_view reason);
  /// All requests of a participant close.
  void close_all_of(participant_index who, std::string_view reason);
  /// All requests close.
  void close_all(std::string_view reason);
  /// The request is suspended.
  void suspend(const held_request& of, request_purpose&& purpose);
  /// A request is issued: what it takes up. What a suspended request of the
  /// same kind left for another purpose is forgotten.
  [[nodiscard]] protocol::shared_value<recorded_actions>
  take_up(const held_request& next, std::uint32_t turn_number,
          const request_purpose& purpose);

  /// The actions of a request so far; absent: none.
  [[nodiscard]] protocol::shared_value<recorded_actions>
  recorded(const held_request& of) const;

  /// Whether all that is under way in a request is with a person.
  [[nodiscard]] bool waits_for_person(const held_request& of) const;

  /// What has begun and not ended is not begun again, even if it is repeatable:
  /// another session waits for what comes of it. False: there is no such
  /// action.
  [[nodiscard]] bool bar_repeats();

  /// What the actions of open requests have used.
  [[nodiscard]] const protocol::usage& unsettled() const noexcept {
    return unsettled_;
  }

  /// For an input that is undone: under way is what was so before it began.
  void undo();

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [who, log, most, digests, requests, left, unsettled, before,
           remembers]
      = x;
    f("acting", requests);
    f("left_actions", left);
    f("unsettled", unsettled);
  }
  /// For loaded snapshots: why it cannot be so; empty: it can. `is_open` tells
  /// of a request whether it is.
  template <class IsOpen>
  [[nodiscard]] std::string_view why_unsound(IsOpen is_open) const {
    for (const auto& [of, each] : requests_)
      if (!is_open(of) || !is_sound(each))
        return "actions of a request that cannot have them";
    return {};
  }

private:
  using requests = std::map<held_request, request_actions>;

  [[nodiscard]] static bool is_sound(const request_actions& of);
  [[nodiscard]] protocol::action_attempt name_of(const held_request& of,
                                                 const request_actions& in,
                                                 const open_attempt& at) const;
  void start(const held_request& of, request_actions& in,
             recorded_action& what);
  /// The event that ends an attempt.
  void log_end(const held_request& of, const request_actions& in,
               const open_attempt& at, const protocol::action_result& result,
               bool input);
  void cancel(const held_request& of, const request_actions& in,
              const open_attempt& at, std::string_view code);
  requests::iterator close(requests::iterator at, std::string_view reason);
  void remember(const held_request& of);
  void settle();

  const membership* who_;
  journal* log_;
  const budget* most_;
  bool digests_;
  requests requests_;
  std::map<participant_index, std::vector<left_actions>> left_;
  protocol::usage unsettled_;
  /// What was under way before this input, of the requests that it changed.
  std::map<held_request, request_actions> before_;
  bool remembers_ = false;
};

} // namespace convene::session
