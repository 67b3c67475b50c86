#pragma once

#include <convene/integrations/intake/intake.hpp>
#include <convene/protocol/base/error.hpp>
#include <convene/runtime/data/documents/line_file.hpp>

#include <filesystem>
#include <memory>
#include <mutex>
#include <utility>

namespace convene::server {

/// A log of events of programs outside, as `convene watch` writes it: each is
/// there once, also after a restart. Thread-safe.
class outside_log {
public:
  /// Errors are those of `line_file`, and of `read_incoming_line` for a line
  /// that is none of ours.
  [[nodiscard]] static protocol::result<std::unique_ptr<outside_log>>
  open(const std::filesystem::path& file);

  /// Writes and syncs it, unless it says nothing new: then the verdict is
  /// `duplicate` or `outdated`, otherwise `queued`. One whose line `open` would
  /// refuse is not taken: rule `event_bytes_max`. Once the disk has failed,
  /// nothing is taken any more.
  [[nodiscard]] protocol::result<host::intake_verdict>
  take(host::incoming what, protocol::timestamp_ms now);

private:
  outside_log(host::line_file file, host::integration_intake known)
    : file_{std::move(file)}, intake_{std::move(known)} {}

  std::mutex mutex_; ///< guards what follows
  const host::line_file file_;
  host::integration_intake intake_;
  protocol::result<void> works_;
};

} // namespace convene::server
