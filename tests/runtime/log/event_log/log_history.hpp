#pragma once

#include "frail_storage.hpp"

#include <convene/runtime/log/event_log/writer.hpp>

#include <string>
#include <vector>

namespace convene::tests {

/// Writes to a log on a frail disk over many lives and holds it against what
/// was said about it: what is there is the beginning of what was appended, in
/// order, nothing twice, and has at least all that was acknowledged.
class log_history {
public:
  log_history(std::uint64_t seed, bool segmented);

  /// The disk that it writes to.
  frail_storage disk;

  /// Opens the log, writes until all of `batches` is done or something fails,
  /// closes it. What is wrong with the log or the writer's answers is told by
  /// `complaint`; the first error of the writer by `error`.
  void live(std::size_t batches);

  /// Whether the last life went through.
  [[nodiscard]] bool well() const noexcept {
    return !error_;
  }
  [[nodiscard]] const std::optional<protocol::error>& error() const noexcept {
    return error_;
  }

  /// What must not be; empty: nothing.
  [[nodiscard]] const std::string& complaint() const noexcept {
    return complaint_;
  }

  [[nodiscard]] std::size_t acknowledged() const noexcept {
    return acknowledged_;
  }
  [[nodiscard]] std::size_t on_log() const noexcept {
    return on_log_;
  }
  [[nodiscard]] std::filesystem::path newest_file() const;

  std::mt19937_64 random;

private:
  void look_at(const std::vector<std::string>& found);
  bool write_batch(host::event_log_writer& writer);
  [[nodiscard]] std::string next_line();

  host::log_options options_;
  std::vector<std::string> appended_; // what should be there, or may be
  std::size_t on_log_ = 0;            // of these, when it was opened last
  std::size_t acknowledged_ = 0;      // of these
  std::mutex mutex_;                  // guards acknowledged_ in a life
  std::uint64_t next_ = 1;
  std::optional<protocol::error> error_;
  std::string complaint_;
};

} // namespace convene::tests
