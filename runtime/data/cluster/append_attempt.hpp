#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/cluster/fenced_log.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

// For sources in this folder only.

namespace convene::host {

/// What is known of an append to several sessions, over any number of tries.
class append_attempt {
public:
  explicit append_attempt(std::span<const fenced_events> groups);

  [[nodiscard]] bool is_done() const noexcept;

  /// Runs one statement: reads what is on the log where that is unknown, else
  /// appends what is not yet. After an error it can be called again.
  [[nodiscard]] protocol::result<void> advance(postgres_connection& in);

  /// Once all is done, in the order of the groups.
  [[nodiscard]] std::vector<append_end> ends() const;

private:
  struct state {
    const fenced_events* what;
    std::optional<append_end> end;
    /// A statement was sent whose outcome is not known, so that the log has to
    /// be read before anything is sent again.
    bool is_unknown = false;
    /// Such a statement may be running: what is not on the log may still get
    /// there, until a higher epoch is seen.
    bool may_arrive = false;
    bool is_fenced = false; ///< a higher epoch has been seen
  };

  [[nodiscard]] protocol::result<void> look(postgres_connection& in);
  [[nodiscard]] protocol::result<void> send(postgres_connection& in);
  void compare(state& with, const postgres_rows& found, std::size_t first,
               std::size_t end);
  void fence(state& which);

  std::vector<state> all_;
};

} // namespace convene::host
