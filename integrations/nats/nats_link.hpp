#pragma once

#include <convene/integrations/event_stream/stream_link.hpp>
#include <convene/integrations/nats/nats_options.hpp>

#include <memory>

namespace convene::host {

/// A stream of NATS JetStream. After `check_nats`.
[[nodiscard]] std::unique_ptr<stream_link> make_nats_link(nats_options how);

} // namespace convene::host
