#pragma once

#include <convene/server/http/response.hpp>
#include <convene/server/session_api/event_reader.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace convene::server {

/// How much a page of events has. It ends before an event that would exceed
/// `bytes`, but has one at least.
struct page_size {
  std::size_t events = 100;
  std::size_t bytes = std::size_t{4} << 20;
  /// So much is made before the reader has taken some of it.
  std::size_t first_bytes = std::size_t{64} << 10;
};

/// `{"events": [...], "next", "ended"}`, beginning with `first`, which was read
/// with `first_bytes`; what follows is read as the reader takes it.
[[nodiscard]] response page_response(const std::shared_ptr<event_feed>& feed,
                                     const std::string& session_id,
                                     const event_page& first, page_size most);

} // namespace convene::server
