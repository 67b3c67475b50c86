#pragma once

#include <convene/cli/view/terminal.hpp>
#include <convene/runtime/log/event_log/read_watch.hpp>

#include <cstdint>
#include <string>

namespace convene::cli {

/// Shows how far the logs that this thread reads are read.
class reading_progress {
public:
  /// `verb` is what is done with the log: "checking".
  reading_progress(bool wanted, std::string verb);

private:
  void note(std::uint64_t bytes, std::uint64_t all);

  std::string verb_;
  progress_line line_;
  std::uint64_t read_ = 0;
  host::read_watch watch_;
};

} // namespace convene::cli
