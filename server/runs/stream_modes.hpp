#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::server {

/// What a reader of a run's events wants (OpenWOP, stream modes). Several are
/// a union; `values` stands alone.
struct stream_modes {
  bool values = false;   ///< a snapshot after each update
  bool updates = false;  ///< what changes the run's state
  bool messages = false; ///< pieces of text as they are made
  bool debug = false;    ///< all events
  /// For how long events are collected; 0: each is sent as it comes.
  std::chrono::milliseconds buffer{0};

  [[nodiscard]] bool wants(std::string_view event_type) const;
};

inline constexpr std::string_view stream_mode_words[]{"values", "updates",
                                                      "messages", "debug"};
inline constexpr std::chrono::milliseconds stream_buffer_max{5'000};

/// Why the query's `streamMode` or `bufferMs` cannot be taken.
struct stream_refusal {
  std::string code; ///< `unsupported_stream_mode` or `validation_error`
  std::string message;
};

/// Reads both; absent is `updates`, and no buffer. Sets `refused` if it returns
/// nothing.
[[nodiscard]] std::optional<stream_modes>
read_stream_modes(std::optional<std::string_view> modes,
                  std::optional<std::string_view> buffer_ms,
                  stream_refusal& refused);

/// Whether an event of this type changes what a reader of `updates` shows.
[[nodiscard]] bool is_update(std::string_view event_type);

/// Whether what is buffered is to be sent with this event.
[[nodiscard]] bool flushes(std::string_view event_type);

} // namespace convene::server
