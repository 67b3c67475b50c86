#pragma once

#include <convene/protocol/json/json_text.hpp>
#include <convene/runtime/data/scenario/turn_failures.hpp>

#include <cstdint>
#include <mutex>
#include <string_view>

namespace convene::c_api {

/// What is known of a session from its events, as they are logged. Thread-safe.
class session_watch {
public:
  /// Complete lines of the session's log.
  void note(std::string_view lines);

  [[nodiscard]] std::uint64_t events() const;
  [[nodiscard]] bool is_suspended() const;
  [[nodiscard]] host::turn_failures failures() const;

private:
  void note_line(std::string_view line);

  mutable std::mutex mutex_;
  std::uint64_t events_ = 0; ///< guarded by mutex, like the rest
  bool is_suspended_ = false;
  host::turn_failures failures_;
};

} // namespace convene::c_api
