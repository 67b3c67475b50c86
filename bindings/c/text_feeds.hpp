#pragma once

#include <convene/runtime/log/event_bus/subscription.hpp>

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace convene::c_api {

/// A subscription that gets events and streamed text in one bounded queue, as
/// JSON objects. Thread-safe.
class text_feed {
public:
  text_feed(subscription events, host::event_filter texts);
  text_feed(const text_feed&) = delete;
  text_feed& operator=(const text_feed&) = delete;
  ~text_feed();

  void say(const protocol::uuid& session, std::string_view participant,
           const std::string& text);

  /// Waits, without `limit` until something comes or nothing more does.
  [[nodiscard]] std::optional<std::string>
  next(std::optional<std::chrono::milliseconds> limit);

  [[nodiscard]] bool has_ended();

private:
  void follow();
  void push(const std::string& item, std::uint64_t counts_as);
  [[nodiscard]] bool has_items() const noexcept {
    return missed_ != 0 || !waiting_.empty();
  }

  const subscription events_;
  const host::event_filter texts_;
  std::mutex mutex_;
  std::condition_variable news_;
  std::deque<std::string> waiting_; ///< guarded by mutex, like what follows
  std::size_t bytes_ = 0;
  std::uint64_t missed_ = 0; ///< behind those that wait
  bool has_ended_ = false;
  std::thread thread_;
};

/// All of a runtime that were not freed. Thread-safe.
class text_feeds {
public:
  void add(const std::shared_ptr<text_feed>& one);
  void say(std::string_view session, std::string_view participant,
           std::string_view text);

private:
  std::mutex mutex_;
  std::vector<std::weak_ptr<text_feed>> all_;
};

} // namespace convene::c_api
