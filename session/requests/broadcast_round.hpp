#pragma once

#include <convene/protocol/base/shared_value.hpp>
#include <convene/session/requests/request_slot.hpp>

#include <optional>
#include <vector>

namespace convene::session {

/// A broadcast from its message to its last answer. Guarantees: at most one is
/// open; completed and declined answers count towards its quorum; its answers,
/// and how far it fell short, are kept until the next one closes.
class broadcast_round {
public:
  /// Opens one to `targets` participants, of whom a share has to answer. It is
  /// done as soon as they have if `ends_early`, otherwise when all are
  /// accounted for. None is open.
  void open(const protocol::uuid& id, std::uint32_t round,
            std::uint32_t targets, double quorum, bool ends_early,
            std::string task = {});

  [[nodiscard]] bool is_open() const noexcept {
    return open_.has_value();
  }
  /// The open one's; so are the next three.
  [[nodiscard]] const protocol::uuid& id() const noexcept {
    return open_->id;
  }
  [[nodiscard]] const std::string& task() const noexcept {
    return open_->task;
  }
  /// `counts`: towards the quorum.
  void note(response&& what, bool counts);
  [[nodiscard]] bool is_done() const noexcept {
    return (open_->ends_early && open_->counted >= open_->needed)
           || open_->answered >= open_->targets;
  }

  /// Closes it: its answers are now the latest.
  void close();
  /// Closes it, if it is open, as if it had never been.
  void drop() noexcept {
    open_.reset();
  }
  /// Of the latest that closed.
  [[nodiscard]] const protocol::shared_value<std::vector<response>>&
  responses() const noexcept {
    return responses_;
  }

  /// How far the latest that closed fell short of its quorum.
  [[nodiscard]] const missed_quorum& missed() const noexcept {
    return missed_;
  }

  /// For snapshots.
  template <class Self, class F>
  static void fields(Self& x, F& f) {
    auto& [open, responses, missed] = x;
    f("broadcast", open);
    f("responses", responses);
    f("missed", missed);
  }

private:
  std::optional<open_broadcast> open_;
  protocol::shared_value<std::vector<response>> responses_;
  missed_quorum missed_;
};

} // namespace convene::session
