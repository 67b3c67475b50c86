#pragma once

#include <convene/actors/behaviours/live_turn.hpp>
#include <convene/actors/behaviours/turn_link.hpp>
#include <convene/server/http/response.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>

namespace convene::server {

/// A turn that a participant takes here for a session of another node: what it
/// says to the session, line by line, until its answer. Shows once a second
/// that it lives. Thread-safe.
class hosted_turn : public std::enable_shared_from_this<hosted_turn> {
public:
  using clock = std::chrono::steady_clock;

  /// How often it shows that it lives, and how.
  static constexpr std::chrono::milliseconds life_time{1'000};
  static constexpr std::string_view sign_of_life = "               \n";

  hosted_turn(std::string key, std::string token)
    : key_{std::move(key)}, token_{std::move(token)} {}

  [[nodiscard]] const std::string& token() const noexcept {
    return token_;
  }

  /// How the participant reaches the session.
  [[nodiscard]] std::shared_ptr<actors::turn_link> link();

  /// The turn that uses the link.
  void set_live(std::shared_ptr<actors::live_turn> live);
  /// Null once the turn is over.
  [[nodiscard]] std::shared_ptr<actors::live_turn> live() const;

  /// Its lines; the turn is over if they are not read to their end.
  [[nodiscard]] std::shared_ptr<stream_source> reader();

  /// The turn is over.
  void abandon();

  /// Whether a notice of this number has not come before.
  [[nodiscard]] bool is_new(std::uint64_t notice);

  /// Sends a message to the session.
  void say(const protocol::json::object& what);
  /// The last one.
  void answer(const protocol::reply& what);
  /// The same, after a time.
  void answer_after(std::chrono::milliseconds time, protocol::reply what);
  void call_after(std::chrono::milliseconds time, std::function<void()> call);

private:
  class turn_reader;
  class link_to_owner;

  void put(const std::string& text, bool is_last);
  [[nodiscard]] stream_source::part take(std::size_t bytes_max,
                                         std::function<void()> more);
  void run_due_calls();

  const std::string key_; ///< of the participant; never shown
  const std::string token_;

  mutable std::mutex mutex_; ///< guards what follows
  std::shared_ptr<actors::live_turn> live_;
  std::string lines_; ///< that are not sent
  std::size_t bytes_ = 0;
  std::uint64_t said_ = 0;
  std::set<std::uint64_t> notices_;
  std::multimap<clock::time_point, std::function<void()>> later_;
  std::function<void()> more_;
  clock::time_point shown_at_ = clock::now();
  bool is_answered_ = false;
  bool is_abandoned_ = false;
};

} // namespace convene::server
