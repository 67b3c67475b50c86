#pragma once

#include <convene/session/machine/machine.hpp>

#include <optional>
#include <vector>

namespace convene::actors {

/// Who of a session's participants has died how often, and what waits for those
/// who will be back.
class restarts {
public:
  restarts(std::size_t participants, const session::restart& how);

  /// `who` has died: how long it is away, in milliseconds; nothing if that was
  /// once too often.
  [[nodiscard]] std::optional<std::int64_t> die(session::participant_index who);

  [[nodiscard]] bool is_away(session::participant_index who) const;

  /// The tokens of what `who` was asked, but for most that have closed.
  [[nodiscard]] const std::vector<protocol::uuid>&
  tokens(session::participant_index who) const;

  /// Whether the request has to wait; then it is taken. Forgets those that
  /// waited and have closed since.
  [[nodiscard]] bool hold(session::delivery& what, const session::machine& now);

  /// `who` is back: what waited for it.
  [[nodiscard]] std::vector<session::request>
  come_back(session::participant_index who);

private:
  struct life {
    std::int64_t deaths = 0;
    bool away = false;
    std::vector<protocol::uuid> tokens;
    std::vector<session::request> waiting;
  };

  session::restart how_;
  std::vector<life> lives_;
};

} // namespace convene::actors
