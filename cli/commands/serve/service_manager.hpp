#pragma once

#include <functional>
#include <string_view>
#include <thread>

namespace convene::cli {

/// Tells its state to systemd, or to what else set NOTIFY_SOCKET,
/// such as "READY=1" (sd_notify(3)). Does nothing without that variable.
/// Thread-safe; never blocks: what cannot be sent at once is not sent.
void tell_service_manager(std::string_view state);

/// While the thread runs, the service manager is notified in time that the
/// program is well. With WatchdogSec= it restarts a program
/// that sends nothing for so long. No thread if it does not ask for that.
[[nodiscard]] std::jthread keep_watchdog(std::function<bool()> is_well);

} // namespace convene::cli
