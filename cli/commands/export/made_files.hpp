#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/files/spool.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convene::cli {

/// The files that a format makes of a path, written one after the other. Their
/// text is spooled, so memory does not grow with it, and nothing is exported
/// unless all of it could be made.
class made_files {
public:
  struct file {
    std::string name;
    std::uint64_t from = 0; ///< in the spool
    std::uint64_t bytes = 0;
  };

  /// Begins a file, which is written to until the next one begins.
  void begin(std::string name) {
    files_.push_back({std::move(name), text_.bytes()});
  }
  [[nodiscard]] protocol::result<void> write(std::string_view text) {
    files_.back().bytes += text.size();
    return text_.write(text);
  }

  [[nodiscard]] const std::vector<file>& files() const noexcept {
    return files_;
  }

  /// Hands over a file's text in pieces.
  [[nodiscard]] protocol::result<void>
  read(const file& which, const host::spool::piece_taker& take) const {
    return text_.read(take, which.from, which.bytes);
  }

private:
  host::spool text_;
  std::vector<file> files_;
};

} // namespace convene::cli
