#pragma once

#include <convene/cli/pages/html_page.hpp>
#include <convene/cli/pages/view_session.hpp>
#include <convene/protocol/base/error.hpp>

#include <map>

namespace convene::cli {

/// What a page can have.
struct view_limits {
  std::uint64_t events_max = 5'000'000;
  std::size_t sessions_max = 10'000;
  std::size_t bars_max = 10'000'000;               ///< of all sessions
  std::size_t bytes_max = std::size_t{512} << 20U; ///< deflated
};

/// Gathers a log's events for the page of its timeline: a column file for each
/// session, and the events' own text in blocks.
class log_view {
public:
  explicit log_view(view_limits limits = {}) : limits_(limits) {}

  /// `text` is the event as it is on the log. Fails with errc::limit_reached,
  /// rules `view_events_max`, `view_sessions_max`, `view_bars_max` and
  /// `view_bytes_max`.
  [[nodiscard]] protocol::result<void> add(const json::object& event,
                                           std::string_view text);

  [[nodiscard]] std::uint64_t events() const noexcept {
    return events_;
  }
  [[nodiscard]] std::size_t sessions() const noexcept {
    return sessions_.size();
  }

  /// The page; `name` is the log's, `notes` what there is to say about it.
  [[nodiscard]] html_page page(std::string_view name,
                               const std::vector<std::string>& notes) &&;

private:
  void close_block();

  view_limits limits_;
  std::uint64_t events_ = 0;
  std::uint64_t block_first_ = 0;
  std::size_t bytes_ = 0;
  std::size_t bars_ = 0;
  std::string block_;
  json::array block_starts_;
  std::vector<page_block> blocks_;
  std::vector<view_session> sessions_;
  std::map<std::string, std::size_t, std::less<>> places_;
};

} // namespace convene::cli
