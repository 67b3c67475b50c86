#pragma once

#include <convene/protocol/json/plain_text.hpp>

#include <cstddef>
#include <optional>
#include <string_view>

namespace convene::protocol {

/// Steps over the members at the beginning of an event's line, which stand
/// there in an order of ours, without reading it as JSON. Each step names the
/// bytes up to a value; if the line continues otherwise, nothing is stepped
/// over. A step gives the value's bytes as they are and stops at escaped ones;
/// whether the line as a whole is JSON is not checked.
class member_steps {
public:
  explicit member_steps(std::string_view line) noexcept : rest_{line} {
    // nop
  }

  /// These bytes.
  bool skip(std::string_view bytes) noexcept {
    if (!rest_.starts_with(bytes))
      return false;
    rest_.remove_prefix(bytes.size());
    return true;
  }

  /// A string's text behind `opening`, such as `,"name":"`.
  std::optional<std::string_view> text(std::string_view opening) noexcept {
    if (!rest_.starts_with(opening))
      return std::nullopt;
    const auto end = plain_end(opening.size());
    if (rest_.size() <= end || rest_[end] != '"')
      return std::nullopt;
    return take(opening.size(), end);
  }

  /// The same of a text that has `size` bytes.
  std::optional<std::string_view> text(std::string_view opening,
                                       std::size_t size) noexcept {
    const auto end = opening.size() + size;
    if (!rest_.starts_with(opening) || rest_.size() <= end || rest_[end] != '"'
        || plain_end(opening.size()) != end)
      return std::nullopt;
    return take(opening.size(), end);
  }

  /// A number without sign behind `opening`.
  bool number(std::string_view opening) noexcept {
    if (!rest_.starts_with(opening))
      return false;
    const auto end = rest_.find_first_not_of("0123456789", opening.size());
    if (end == rest_.npos || end == opening.size())
      return false;
    rest_.remove_prefix(end);
    return true;
  }

  /// What comes next.
  [[nodiscard]] std::string_view rest() const noexcept {
    return rest_;
  }

private:
  /// Where the text at `begin` ends, or where an escape is in it.
  [[nodiscard]] std::size_t plain_end(std::size_t begin) const noexcept {
    bool wide = false;
    const auto* const end = rest_.data() + rest_.size();
    return static_cast<std::size_t>(skip_plain(rest_.data() + begin, end, wide)
                                    - rest_.data());
  }

  std::string_view take(std::size_t begin, std::size_t end) noexcept {
    const auto value = rest_.substr(begin, end - begin);
    rest_.remove_prefix(end + 1);
    return value;
  }

  std::string_view rest_;
};

} // namespace convene::protocol
