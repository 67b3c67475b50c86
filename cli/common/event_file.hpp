#pragma once

#include <convene/protocol/base/error.hpp>

#include <filesystem>
#include <memory>
#include <string_view>

namespace convene::cli {

/// A JSON Lines file of events that one command after the other appends to. No
/// session log: those are written by their session alone.
class event_file {
public:
  /// Creates it if it is not there. Rules `event_file`, for a file that has
  /// something else or ends within a line.
  [[nodiscard]] static protocol::result<event_file>
  open(const std::filesystem::path& file);

  /// Appends whole lines and syncs them.
  [[nodiscard]] protocol::result<void> append(std::string_view lines) const;

private:
  std::filesystem::path file_;
  std::shared_ptr<const int> descriptor_;
};

} // namespace convene::cli
