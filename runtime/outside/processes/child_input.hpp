#pragma once

#include <convene/runtime/log/files/descriptor.hpp>

#include <cstddef>
#include <mutex>
#include <string>
#include <string_view>

namespace convene::host {

/// The standard input of a program. What the pipe has room for is written at
/// once, by whichever thread brings it; the rest waits for the loop's thread.
/// Thread-safe, except that `open`, `flush` and `close` are the loop's.
class child_input {
public:
  /// Adds bytes; true: `flush` is to be called. Dropped once it is closed.
  [[nodiscard]] bool write(std::string_view bytes);

  /// How much waits.
  [[nodiscard]] std::size_t unwritten() const;

  /// The program is there: what waits is written by `flush`.
  void open(descriptor file);

  /// Nothing more will come: it is closed once all is written.
  void finish();

  enum class state {
    quiet,    ///< nothing waits
    blocked,  ///< some waits until the file can be written to
    complete, ///< to be closed: it is finished, or the program reads no more
  };
  [[nodiscard]] state flush();

  /// -1: it is not open.
  [[nodiscard]] int file() const;

  /// Drops what waits, and all that is still written.
  void close();

private:
  /// Writes as much as possible; how much that was.
  std::size_t write_some(std::string_view bytes);

  mutable std::mutex mutex_;
  descriptor file_;     ///< guarded by mutex, like the rest
  std::string waiting_; ///< from `written_` on
  std::size_t written_ = 0;
  bool is_complete_ = false; ///< takes no more
  bool is_broken_ = false;   ///< the program reads no more
};

} // namespace convene::host
