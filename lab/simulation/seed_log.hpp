#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace convene::host {

/// The events of one session as they were appended, in memory.
struct seed_log {
  std::string text;              ///< complete lines
  std::vector<std::size_t> ends; ///< of each append, in `text`
  /// With faults: the log's file as the disk has it.
  std::string file;

  void append(std::string_view lines) {
    text += lines;
    ends.push_back(text.size());
  }

  /// Calls `visit(number, line)` for each event, numbered from 1, without its
  /// line end.
  template <class Visit>
  void for_each(Visit&& visit) const {
    const std::string_view all = text;
    std::size_t number = 0;
    for (std::size_t at = 0; at < all.size();) {
      const auto end = all.find('\n', at);
      visit(++number, all.substr(at, end - at));
      at = end + 1;
    }
  }
};

} // namespace convene::host
