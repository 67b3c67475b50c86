#pragma once

#include <convene/session/requests/participant_list.hpp>
#include <convene/session/requests/request_slot.hpp>

#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::session {

/// The requests that a session has issued, and what it knows of those that
/// closed. Guarantees:
/// - a participant has at most one open request, and each closes once;
/// - `open()` has their receivers in the order of issue, `find` the requests;
/// - none has expired before `deadline()`;
/// - `undo` opens again what an input closed.
/// Questions about conflicts are no requests in this sense.
class request_table {
public:
  explicit request_table(std::size_t participants)
    : slots_(participants), open_(participants) {}

  /// An input begins: what it closes is remembered for `undo`.
  void begin_input() noexcept {
    closed_.clear();
  }

  [[nodiscard]] std::size_t size() const noexcept {
    return slots_.size();
  }
  /// The receivers of open requests, oldest first.
  [[nodiscard]] const participant_list& open() const noexcept {
    return open_;
  }
  [[nodiscard]] bool empty() const noexcept {
    return open_.empty();
  }
  /// The participant's open request, or null.
  [[nodiscard]] const open_request* find(participant_index who) const noexcept {
    return slots_[who].open ? &*slots_[who].open : nullptr;
  }
  /// Whether the participant's request with this token closed last.
  [[nodiscard]] bool is_late(participant_index who,
                             const protocol::uuid& token) const noexcept {
    return slots_[who].last_token == token;
  }
  /// The token of the request that closed last.
  [[nodiscard]] const protocol::uuid&
  last_token(participant_index who) const noexcept {
    return slots_[who].last_token;
  }

  /// Issues a request to a participant that has none, and fills in `message`
  /// what follows from it: token, times, numbers. Its workspace is set.
  void issue(participant_index to, open_request&& what, request& message);

  /// Closes the participant's request, which is open. Valid until the next one
  /// closes, or the next input.
  const open_request& close(participant_index who);

  /// A participant whose request has expired, the oldest first, or nobody.
  [[nodiscard]] participant_index expired(protocol::timestamp_ms now) noexcept;
  /// When the next one expires, or earlier. Only if there are any.
  [[nodiscard]] protocol::timestamp_ms deadline() const noexcept {
    return earliest_;
  }

  /// The revision of the workspace that the oldest open request shows, or the
  /// highest number.
  [[nodiscard]] std::uint64_t oldest_revision() const noexcept {
    return open_.empty() ? std::numeric_limits<std::uint64_t>::max()
                         : slots_[open_.front()].open->revision;
  }

  /// The holder of an open request has written.
  void note_write(participant_index who) noexcept {
    if (auto& open = slots_[who].open)
      open->wrote = true;
  }

  /// The task of a participant's latest turn; empty: the step's or the
  /// session's.
  void note_task(participant_index who, const std::string& task) {
    auto& kept = slots_[who].task;
    if (kept)
      *kept = task;
    else if (!task.empty())
      kept = task;
  }
  [[nodiscard]] std::string task_of(participant_index who) const {
    const auto& task = slots_[who].task;
    return task ? *task : std::string{};
  }

  /// The number of the participant's next question about a conflict.
  [[nodiscard]] std::uint32_t next_question(participant_index who) noexcept {
    return slots_[who].questions++;
  }

  /// Refusals that are put on the log between two requests to the same
  /// participant.
  static constexpr std::uint32_t violations_max = 8;
  /// Counts one. False: there have been as many as that.
  [[nodiscard]] bool note_violation(participant_index who) noexcept;

  /// For an input that is undone: open is what was open before it began.
  /// `issued` tells of a token whether the input had issued it.
  template <class Issued>
  void undo(Issued&& issued) {
    for (auto& at : slots_)
      if (at.open && issued(at.open->token))
        at.open.reset();
    for (const auto& [who, request] : closed_)
      if (!issued(request.token))
        slots_[who].open = request;
  }
  /// Closes all, by position; `each(who, request)` is told.
  template <class Each>
  void abandon(Each&& each) {
    for (participant_index who = 0; who < slots_.size(); ++who)
      if (const auto open = std::exchange(slots_[who].open, std::nullopt))
        each(who, *open);
    open_.clear();
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [slots, open, earliest, closed] = x;
    f.fixed("seats", slots);
    f.who("open", open);
    f.time("earliest", earliest);
  }
  /// For loaded snapshots: why it cannot be so; empty: it can.
  [[nodiscard]] std::string_view why_unsound() const;

private:
  std::vector<request_slot> slots_;
  participant_list open_;               ///< by issue
  protocol::timestamp_ms earliest_ = 0; ///< lower bound of open expiries
  /// Closed by this input.
  std::vector<std::pair<participant_index, open_request>> closed_;
};

} // namespace convene::session
