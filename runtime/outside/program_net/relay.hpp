#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace convene::host {

/// Two sockets, nonblocking, and a file that becomes readable when all is to
/// end. Used by one thread each.
struct relay_ends {
  int client = -1;
  int server = -1;
  int stop = -1;
};

/// Waits for one of these events of poll at `file`, or for `stop`. False: it
/// took too long or is to end.
bool wait_for(int file, short events, int stop,
              std::chrono::milliseconds longest);

/// Sends all of it; false: the other side is gone, or all is to end.
bool send_all(int file, std::string_view bytes, int stop);

/// Carries bytes in both directions until both sides have ended, nothing has
/// been said for a long time, or all is to end. Holds at most 64 KiB for each
/// direction.
void relay(const relay_ends& between);

} // namespace convene::host
