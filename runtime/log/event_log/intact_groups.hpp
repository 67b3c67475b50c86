#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/marks.hpp>
#include <convene/runtime/log/event_log/read_limits.hpp>
#include <convene/runtime/log/event_log/segments.hpp>

#include <cstdint>
#include <functional>
#include <string_view>

namespace convene::host {

/// A group of a damaged file whose own checksum is valid.
struct intact_group {
  std::uint64_t offset = 0; ///< of its first byte
  std::uint64_t end = 0;    ///< after its `log_group` line
  group_mark mark;
  std::string_view text; ///< its lines; valid during the call
};

/// What a damaged file contains besides intact groups.
struct other_bytes {
  std::uint64_t size = 0; ///< of the whole file
  /// After the last line that looks like a `log_group`: such a line is written
  /// last, so what follows was never acknowledged.
  std::uint64_t last_mark_end = 0;
};

/// Finds the intact groups of a file, in order, whatever is between them. Each
/// `log_group` line states the length of its group, so that reading can
/// resynchronise after damage. The file is read once, and once more for the
/// checksums.
[[nodiscard]] protocol::result<other_bytes> find_intact_groups(
  const input_file& file, const read_limits& limits,
  const std::function<protocol::result<void>(const intact_group&)>& found);

} // namespace convene::host
