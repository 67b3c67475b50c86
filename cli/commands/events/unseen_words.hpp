#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/runtime/log/event_log/event_filter.hpp>

#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace convene::cli {

/// Finds out, while a log is read, which words of a filter name nothing: a
/// session or participant that is not on the log, and types and families that
/// are neither on it nor known to us. Such a filter is mistyped rather than
/// without a hit.
class unseen_words {
public:
  /// `filter`, and its session as the user wrote it; both must outlive this.
  unseen_words(const host::event_filter& filter, const std::string& session);

  /// Looks at an event of the log, whether the filter selects it or not.
  void see(std::string_view event);

  /// Once everything was seen: the first word that names nothing, errc::usage.
  [[nodiscard]] protocol::result<void> verdict() const;

private:
  using words = std::set<std::string, std::less<>>;

  [[nodiscard]] bool may_have_news(std::string_view event) const;
  void see_words(const protocol::json::object& event);

  const host::event_filter& filter_;
  const std::string& session_;
  bool session_missing_;
  words types_;
  words families_;
  words participants_;
  words types_seen_;    // while some are missing, to suggest
  words families_seen_; // likewise
};

} // namespace convene::cli
