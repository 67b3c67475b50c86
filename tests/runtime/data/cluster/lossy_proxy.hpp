#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace convene::tests {

/// Stands between clients and a PostgreSQL server, on Unix sockets, and cuts
/// connections as a network does: the client sees the end, and the server goes
/// on with the statement that it has.
class lossy_proxy {
public:
  /// `server`: the URL of a `postgres_server`'s database.
  explicit lossy_proxy(const std::string& server);
  ~lossy_proxy();
  lossy_proxy(const lossy_proxy&) = delete;
  lossy_proxy& operator=(const lossy_proxy&) = delete;

  [[nodiscard]] const std::string& url() const noexcept {
    return url_;
  }

  /// Ends all connections of clients; the server keeps its ends open.
  void cut();

  /// From now on, what the server answers is lost, and then the connection:
  /// once so many bytes of answers have passed.
  void cut_after(std::int64_t bytes_of_answers) {
    left_ = bytes_of_answers;
  }

private:
  struct link {
    int client = -1;
    int server = -1;
  };

  void accept_all();
  void carry(const std::shared_ptr<link>& one);

  static constexpr std::int64_t unlimited = INT64_MAX;

  std::filesystem::path folder_;
  std::filesystem::path target_;
  std::string url_;
  int listener_ = -1;
  std::atomic<std::int64_t> left_{unlimited};
  std::atomic<bool> ends_ = false;
  std::mutex mutex_;
  std::vector<std::shared_ptr<link>> links_;
  std::vector<std::jthread> carriers_;
  std::jthread acceptor_;
};

} // namespace convene::tests
