#pragma once

#include <convene/server/http/response.hpp>
#include <convene/server/sessions/event_feed.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace convene::server {

/// The events of a session behind a sequence, as Server-Sent Events: `id` is
/// the sequence, `event` the event's type, `data` the event. Ends with the
/// session, or with the host. What it holds is its place.
class event_stream final : public stream_source {
public:
  event_stream(std::shared_ptr<event_feed> feed, std::string session_id,
               std::uint64_t after)
    : feed_{std::move(feed)}, session_id_{std::move(session_id)}, after_{
                                                                    after} {}
  ~event_stream() override;

  part read(std::size_t bytes_max, std::function<void()> more) override;

private:
  /// What another thread reads for it.
  struct far_page;

  void stop_waiting();
  [[nodiscard]] part part_of(const protocol::result<event_page>& page);
  /// What was read, unless it still is; then `more` is called.
  [[nodiscard]] std::optional<protocol::result<event_page>>
  take_far(std::function<void()>& more);
  [[nodiscard]] bool read_far(std::size_t bytes_max,
                              const std::function<void()>& more);

  const std::shared_ptr<event_feed> feed_;
  const std::string session_id_;
  std::uint64_t after_;
  std::size_t waits_ = 0;         ///< the number of its wait; 0: none
  bool is_loaded_ = false;        ///< since something was read
  std::shared_ptr<far_page> far_; ///< null: nothing is read elsewhere
};

} // namespace convene::server
