#pragma once

#include <convene/runtime/log/files/descriptor.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <string>

namespace convene::cli {

/// Lines in and out of two descriptors, until the input ends, the output's
/// reader has gone, or `stop`.
class line_streams {
public:
  line_streams(int input, int output);

  /// Calls `take` with each line, without its end; with `is_cut`, of a longer
  /// one than `bytes_max`, its beginning. Returns at the end.
  void
  read(std::size_t bytes_max,
       const std::function<void(std::string line, bool is_cut)>& take) const;

  /// Writes a line. Blocks while the reader does not take it; once the end has
  /// come, for a moment at most. One call at a time.
  void write(const std::string& line);

  /// Ends `read`. Any thread.
  void stop() const;

private:
  /// Waits for room. False: the reader does not take any more.
  [[nodiscard]] bool has_room() const;

  const int input_;
  const int output_;
  host::descriptor wake_;
  mutable std::atomic<bool> is_ending_ = false;
  bool is_gone_ = false; ///< the reader, or what it waits for
};

} // namespace convene::cli
