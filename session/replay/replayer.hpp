#pragma once

#include <convene/session/machine/standing_session.hpp>
#include <convene/session/replay/recorded_input.hpp>

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

/// Finds a routing policy by name, or null. It must outlive the replayer.
using policy_finder = std::function<const routing_policy*(std::string_view)>;

/// Where a log differs from what the session machine produces from its inputs.
struct divergence {
  std::size_t line = 0; ///< as fed; 0: the log ends too early
  std::string expected; ///< the machine's line; empty: it has none
  std::string actual;   ///< the log's line; empty: it has none
  std::string message;  ///< one sentence
  /// What keeps the session from being compared at all; empty: nothing.
  /// `rules_unsupported`: it was written under other rules.
  std::string rule;

  bool operator==(const divergence&) const = default;
};

/// Replays one session from the events of its log and compares them, byte by
/// byte. The log is untrusted: whatever it contains, each line costs at most
/// one step of the machine.
class replayer {
public:
  explicit replayer(policy_finder find);

  /// From now on, reports each recorded input before it is fed.
  void show_inputs(std::function<void(const input&)> to) {
    show_ = std::move(to);
  }

  /// The session's next event: as a value, and the line without its end.
  /// Nothing may be fed after a divergence.
  [[nodiscard]] std::optional<divergence>
  feed(std::size_t line, const protocol::json::value& event,
       std::string_view raw);

  /// The same for the line alone, which is parsed only if it carries an input.
  [[nodiscard]] std::optional<divergence> feed(std::size_t line,
                                               std::string_view raw);

  /// Replaces feeding the session's events so far: begins with
  /// MAPSessionStarted, continues after the event at which `save` was called.
  [[nodiscard]] protocol::result<void>
  restore(std::string_view started, const protocol::json::value& from);

  /// The session's state after the events so far (session/snapshot/). Fails
  /// before the last event of an input.
  [[nodiscard]] protocol::result<protocol::json::object> save() const;

  /// To be called once, after the last event. A session need not have ended,
  /// but the log must have all events of its last input.
  [[nodiscard]] std::optional<divergence> finish() const;

  /// The session after the last input; null before the first.
  [[nodiscard]] const machine* session() const noexcept {
    return machine_.get();
  }

  /// The `behaviours` of the session's scenario.
  [[nodiscard]] const protocol::json::object& behaviours() const noexcept {
    return behaviours_;
  }

  /// At the end of a session's log: moves out the session to resume. Nothing
  /// may be fed after.
  [[nodiscard]] standing_session release();

private:
  [[nodiscard]] protocol::result<void>
  open(const protocol::json::object& event);
  [[nodiscard]] protocol::result<void>
  explain(const protocol::json::value& event);
  [[nodiscard]] participant_index
  index_of(std::string_view participant_id) const;
  void take(input&& cause);
  /// Those that waited for this event's reply, then itself.
  [[nodiscard]] std::optional<divergence> compare_held(std::size_t line,
                                                       std::string_view raw);
  [[nodiscard]] std::optional<divergence> compare(std::size_t line,
                                                  std::string_view raw);
  [[nodiscard]] std::optional<divergence> hold(std::size_t line,
                                               std::string_view raw);
  /// Whether everything the last input produced has been compared.
  [[nodiscard]] bool is_compared() const noexcept {
    return compared_ == produced_.events.view().size();
  }
  [[nodiscard]] std::string_view next_line() const;
  void note(delivery&& what);
  [[nodiscard]] std::vector<delivery> outstanding() const;

  struct held_line {
    std::size_t line = 0;
    std::string raw;
  };

  policy_finder find_;
  std::function<void(const input&)> show_;
  std::unique_ptr<machine> machine_;
  std::map<std::string, participant_index, std::less<>> participants_;
  effects produced_;
  std::size_t compared_ = 0; ///< bytes of what was produced
  /// Events that wait for the reply that made them.
  std::vector<held_line> held_;

  struct numbered_delivery {
    std::uint64_t number = 0;
    delivery what;
  };
  protocol::json::object behaviours_;
  std::uint64_t delivered_ = 0;
  std::vector<numbered_delivery> last_asked_; ///< by participant
  std::vector<numbered_delivery> questions_;  ///< about conflicts
  std::size_t questions_kept_ = 64; ///< more: drop those that are over
};

} // namespace convene::session
