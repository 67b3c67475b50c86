#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/base/uuid.hpp>
#include <convene/protocol/events/event_gate.hpp>
#include <convene/session/journal/effects.hpp>
#include <convene/session/journal/tally.hpp>

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {

/// Thrown in place of logging an event that the gate refuses.
struct refused_event {
  std::string why;
};

/// An id in a session's Dialog: of the Dialog itself (0), then of its entries.
[[nodiscard]] protocol::uuid dialog_uuid(const protocol::uuid& key,
                                         std::uint64_t n) noexcept;

/// All that a session says: its events with their ids, requests, notices and
/// counts. Guarantees:
/// - ids depend only on the key and on what was said before;
/// - time never goes back;
/// - with a gate, only events that pass it are on the log: the first that does
///   not is thrown as `refused_event`; after `omit_refused`, it is left out;
/// - `rewind` takes back all that was said since a mark.
class journal {
public:
  /// The session id and the gate (null: all events pass) must outlive it.
  journal(const protocol::uuid& key, std::string_view session_id,
          const protocol::event_gate* gate) noexcept
    : key_(key), session_id_(session_id), gate_(gate) {}

  /// What follows is said at `now`, or at the latest time so far, into `out`,
  /// until `close`.
  void open(effects& out, protocol::timestamp_ms now) noexcept;
  void close() noexcept {
    out_ = nullptr;
  }

  [[nodiscard]] protocol::timestamp_ms now() const noexcept {
    return now_;
  }
  [[nodiscard]] const protocol::uuid& key() const noexcept {
    return key_;
  }
  [[nodiscard]] bool has_gate() const noexcept {
    return gate_ != nullptr;
  }
  void pass_through(const protocol::event_gate* gate) noexcept {
    gate_ = gate;
  }

  [[nodiscard]] tally& counts() noexcept {
    return counts_;
  }
  [[nodiscard]] const tally& counts() const noexcept {
    return counts_;
  }
  /// What a participant used counts for the session, and for them.
  void count_usage(participant_index who, const protocol::usage& used);
  /// What participants have used; those that used nothing are not there.
  [[nodiscard]] const usage_by_participant& used_by() const noexcept {
    return used_by_;
  }
  /// Whether nothing is on the log.
  [[nodiscard]] bool is_blank() const noexcept {
    return event_count_ == 0;
  }

  [[nodiscard]] protocol::uuid next_id() noexcept;
  [[nodiscard]] protocol::uuid
  token_of(std::uint32_t turn_number) const noexcept;

  template <class Event>
  void append(const Event& event) {
    const auto head = next_head();
    bool passed = gate_ == nullptr;
    if constexpr (requires { gate_->passes(head, event); })
      passed = passed || gate_->passes(head, event);
    const auto from = out_->events.size();
    encode(out_->events, head, event);
    ++out_->event_count;
    if (!passed)
      judge_line(from);
  }

  /// An input that no other event carries; its execution_id is made here.
  void log_input(protocol::session_input what);
  /// The reasons of a reply, if it gives any.
  void log_reasons(const protocol::actor_name& who, std::uint32_t turn_number,
                   const protocol::uuid& token, const protocol::reply& reply) {
    if (!reply.reasoning.empty())
      append_reasons(who, turn_number, token, reply);
  }

  /// A request to a participant, for the caller to fill in before the next one.
  [[nodiscard]] request& deliver(participant_index to) {
    auto& made = out_->deliveries.emplace_back();
    made.to = to;
    return made.what;
  }
  void notify(participant_index to, const protocol::uuid& token,
              std::string what, std::string reason) {
    notify({.to = to,
            .token = token,
            .what = std::move(what),
            .reason = std::move(reason)});
  }
  void notify(notice&& what) {
    out_->notices.push_back(std::move(what));
  }
  void finish(const outcome& how) {
    out_->finished = how;
  }

  /// How far it has come, during one input.
  struct mark {
    std::size_t events = 0; ///< bytes
    std::size_t lines = 0;
    std::size_t deliveries = 0;
    std::size_t notices = 0;
    std::uint64_t event_count = 0;
    std::uint64_t id_count = 0;
    std::size_t uses = 0;
    tally counts;
  };
  [[nodiscard]] mark here() const noexcept;
  void rewind(const mark& to);
  /// Whether a request was delivered since.
  [[nodiscard]] bool delivered_since(const mark& then,
                                     const protocol::uuid& token) const;

  /// From now on, refused events are left out.
  void omit_refused() noexcept {
    omits_ = true;
  }
  /// Takes back this input's events alone, since a mark.
  void drop_events(const mark& since) noexcept {
    out_->events.truncate(since.events);
    out_->event_count = since.lines;
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [key, session_id, gate, out, now, event_count, id_count, omits,
           counts, used_by, uses]
      = x;
    f("counts", counts);
    f("used_by", used_by);
    f("event_count", event_count);
    f("id_count", id_count);
    f.time("now", now);
  }
  /// For loaded snapshots: why it cannot be so; empty: it can.
  [[nodiscard]] std::string_view
  why_unsound(std::size_t participants) const noexcept {
    return used_by_.empty() || used_by_.rbegin()->first < participants
             ? std::string_view{}
             : "the usage of someone who does not take part";
  }

private:
  [[nodiscard]] protocol::event_head next_head() noexcept;
  void judge_line(std::size_t from);
  void append_reasons(const protocol::actor_name& who,
                      std::uint32_t turn_number, const protocol::uuid& token,
                      const protocol::reply& reply);

  protocol::uuid key_;
  std::string_view session_id_;
  const protocol::event_gate* gate_;
  effects* out_ = nullptr; ///< during an input
  protocol::timestamp_ms now_ = 0;
  std::uint64_t event_count_ = 0;
  std::uint64_t id_count_ = 0;
  bool omits_ = false;
  tally counts_;
  usage_by_participant used_by_;
  /// Who used something during this input, and what they had used before.
  std::vector<std::pair<participant_index, protocol::usage>> uses_;
};

} // namespace convene::session
