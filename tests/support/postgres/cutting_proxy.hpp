#pragma once

#include <support/postgres/postgres_server.hpp>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>

namespace convene::tests {

/// Stands between one client at a time and a server, and can cut a connection
/// when the server has answered a COMMIT and the client has not heard of it.
class cutting_proxy {
public:
  explicit cutting_proxy(const postgres_server& before);
  ~cutting_proxy();
  cutting_proxy(const cutting_proxy&) = delete;
  cutting_proxy& operator=(const cutting_proxy&) = delete;

  [[nodiscard]] std::string url(const std::string& database) const;

  /// The next COMMIT is the last statement of its connection. `and_close`:
  /// the proxy accepts no connection after it.
  void cut_next_commit(bool and_close = false) {
    and_close_ = and_close;
    cut_ = true;
  }

private:
  void serve(int client);

  std::filesystem::path folder_;
  std::filesystem::path server_;
  int listening_ = -1;
  std::atomic<bool> cut_ = false;
  std::atomic<bool> and_close_ = false;
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

} // namespace convene::tests
