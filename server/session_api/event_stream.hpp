#pragma once

#include <convene/server/http/response.hpp>
#include <convene/server/session_api/event_reader.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace convene::server {

/// The events of a session behind a sequence, as Server-Sent Events: `id` is
/// the sequence, `event` the event's type, `data` the event. Ends with the
/// session, or with the host. What it holds is its place.
class event_stream final : public stream_source {
public:
  event_stream(std::shared_ptr<event_feed> feed, std::string session_id,
               std::uint64_t after)
    : from_{std::move(feed), std::move(session_id)}, after_{after} {}
  ~event_stream() override;

  part read(std::size_t bytes_max, std::function<void()> more) override;

private:
  void stop_waiting();
  [[nodiscard]] part part_of(const protocol::result<event_page>& page);

  event_reader from_;
  std::uint64_t after_;
  std::size_t waits_ = 0; ///< the number of its wait; 0: none
};

} // namespace convene::server
