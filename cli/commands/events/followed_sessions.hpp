#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string_view>

namespace convene::cli {

/// Which of the sessions that are followed on a log have ended: one that is
/// asked for, or all of a run. Of a log that no run wrote, nobody knows how
/// many there will be.
class followed_sessions {
public:
  followed_sessions(std::filesystem::path log,
                    std::optional<protocol::uuid> wanted);

  /// Looks at an event of the log.
  void see(std::string_view event);

  /// Looks at all events that are on the log already.
  [[nodiscard]] protocol::result<void> look_back();

  /// Whether nothing more is to come.
  [[nodiscard]] bool is_over() const noexcept;

private:
  std::filesystem::path log_;
  std::optional<protocol::uuid> wanted_;
  std::optional<std::uint32_t> expected_; ///< sessions; unset: unknown
  std::set<protocol::uuid> ended_;
};

} // namespace convene::cli
