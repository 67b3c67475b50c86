#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/log_options.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// Some of the bytes of a group: complete lines.
struct line_range {
  std::size_t begin = 0;
  std::size_t end = 0;
};

/// The log of several processes. Each has a log of its own, too, with the
/// sessions that it continues. Among the companions of the own log, the shared
/// one takes lines and blobs first, so that the own log never has what the
/// shared one lacks. One process writes one log with it, once.
class shared_log : public log_companion {
public:
  /// The own log's next lines, in its order. Returns what is left of them if
  /// some were refused; unset: all of them. Waits until these are durable. An
  /// error is final for the own log. Called by the log's writer.
  [[nodiscard]] protocol::result<std::optional<std::string>>
  pass(std::string_view lines);

  /// Keeps the text of a blob that a line will name. From any thread.
  [[nodiscard]] virtual protocol::result<void>
  take_blob(std::string_view sha256, std::string_view text) = 0;

  /// The own log had so many events of a session that has not ended on it, when
  /// it was opened. It is not resumed.
  virtual void found(const std::string& session_id, std::uint64_t events) = 0;

  /// From now on calls `each` with the places on the own log (`log_position`)
  /// between which lines were refused, before these count as durable.
  void on_refused(std::function<void(std::uint64_t, std::uint64_t)> each) {
    on_refused_ = std::move(each);
  }

  void saw(std::uint32_t /*segment*/, std::string_view /*line*/) override {}
  void opened() override {}
  void removed(std::uint32_t /*through*/) override {}

protected:
  /// Which of these lines are refused, in order. Otherwise as `pass`.
  [[nodiscard]] virtual protocol::result<std::vector<line_range>>
  take(std::string_view lines) = 0;

private:
  std::uint64_t place_ = 0; ///< of the next lines
  std::function<void(std::uint64_t, std::uint64_t)> on_refused_;
};

/// The shared log among a log's companions; null: there is none.
[[nodiscard]] shared_log*
shared_of(const std::vector<std::shared_ptr<log_companion>>& companions);

} // namespace convene::host
