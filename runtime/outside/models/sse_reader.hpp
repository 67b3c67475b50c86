#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace convene::host {

/// Reads a stream of server-sent events (WHATWG HTML), cut at any byte: lines
/// end with CR, LF or both; an event at the end without an empty line after it
/// does not count.
class sse_reader {
public:
  /// Gets an event's name (empty: none) and data. False: no more is wanted.
  using when_event = std::function<bool(std::string_view, std::string_view)>;

  static constexpr std::size_t event_bytes_max = 4U << 20;

  /// False: `then` said so, or an event is longer than `event_bytes_max`. Then
  /// nothing more may be fed.
  [[nodiscard]] bool feed(std::string_view bytes, const when_event& then);

  [[nodiscard]] bool is_too_long() const noexcept {
    return too_long_;
  }

private:
  bool take_line(std::string_view line, const when_event& then);

  std::string line_; ///< the beginning of one
  std::string name_;
  std::string data_;
  bool has_data_ = false;
  bool after_return_ = false; ///< a line feed here belongs to the line before
  bool first_line_ = true;
  bool too_long_ = false;
};

} // namespace convene::host
