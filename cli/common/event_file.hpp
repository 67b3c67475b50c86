#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/lifecycle/event.hpp>
#include <convene/runtime/log/files/append_file.hpp>

#include <filesystem>
#include <utility>

namespace convene::cli {

/// A JSON Lines file of events that one command after the other appends to. No
/// session log: those are written by their session alone.
class event_file {
public:
  /// Creates it if it is not there. Rules `event_file`, for a file that has
  /// something else or ends within a line.
  [[nodiscard]] static protocol::result<event_file>
  open(const std::filesystem::path& file);

  /// Appends the events, each with an id of its own, and syncs them.
  [[nodiscard]] protocol::result<void>
  append(const protocol::lifecycle_events& events,
         protocol::timestamp_ms at) const;

private:
  explicit event_file(host::append_file file) : file_{std::move(file)} {
    // nop
  }

  host::append_file file_;
};

/// Appends to `file`; an empty name: nothing.
[[nodiscard]] protocol::result<void>
append_events(const std::filesystem::path& file,
              const protocol::lifecycle_events& events,
              protocol::timestamp_ms at);

} // namespace convene::cli
