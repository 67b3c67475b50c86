#pragma once

#include <string_view>

namespace convene::cli {

/// Tells its state to systemd, or to what else set NOTIFY_SOCKET,
/// such as "READY=1" (sd_notify(3)). Does nothing without that variable.
/// Thread-safe; never blocks: what cannot be sent at once is not sent.
void tell_service_manager(std::string_view state);

} // namespace convene::cli
