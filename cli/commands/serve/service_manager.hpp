#pragma once

#include <string_view>

namespace convene::cli {

/// Tells systemd, or whoever started the program with NOTIFY_SOCKET, its state,
/// such as "READY=1" (sd_notify(3)). Does nothing without that variable.
/// Thread-safe; never blocks: what cannot be sent at once is not sent.
void tell_service_manager(std::string_view state);

} // namespace convene::cli
