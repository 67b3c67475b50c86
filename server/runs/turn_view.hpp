#pragma once

#include <boost/json/value.hpp>
#include <convene/server/runs/run_record.hpp>

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace convene::server {

/// Which turns of conversations a reader sees (RFC 0002, section A8: the shared
/// context of a group). By default all; a reader who belongs to groups does not
/// see what a turn of another group says. Such a turn keeps its place, without
/// its content, and with `isHidden`.
class turn_view {
public:
  turn_view() = default;
  /// Of a reader in these groups; empty: all is seen.
  explicit turn_view(std::set<std::string, std::less<>> groups)
    : groups_{std::move(groups)} {}

  [[nodiscard]] bool sees_all() const noexcept {
    return groups_.empty();
  }

  /// Whether a reader may see, or say, a turn of this group; empty: it has
  /// none.
  [[nodiscard]] bool sees(std::string_view group) const {
    return sees_all() || group.empty() || groups_.contains(group);
  }

  /// Hides turns wherever they are in a value: in events, in channels, in what
  /// nodes were given.
  void apply(boost::json::value& to) const;

  /// The event as the reader sees it.
  [[nodiscard]] event_text apply(const event_text& event) const;

private:
  std::set<std::string, std::less<>> groups_;
};

} // namespace convene::server
