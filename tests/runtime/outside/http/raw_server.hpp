#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <thread>

namespace convene::tests {

/// What a server does with a connection once its answer is sent.
enum class then_do : std::uint8_t {
  serve, ///< wait for the next request
  close,
  reset,  ///< close with a TCP reset
  hang,   ///< neither send nor close
  repeat, ///< send the last `repeated` bytes again, for ever
  drip,   ///< one byte every few milliseconds, for ever
};

struct raw_answer {
  std::string bytes; ///< headers and all, as sent
  then_do after = then_do::close;
  std::size_t repeated = 0;
  std::chrono::milliseconds delay{0}; ///< before the first byte
};

/// An answer with status and headers.
[[nodiscard]] raw_answer
answer_with(std::string body, std::string type = "application/json",
            std::string status = "200 OK", std::string more_headers = {});

/// A server on 127.0.0.1 with one thread, for tests: gives any bytes as answer.
class raw_server {
public:
  /// Gets a request, headers and all, and its number, from 0. Called on the
  /// server's thread.
  using answering = std::function<raw_answer(const std::string&, std::size_t)>;

  explicit raw_server(answering how);
  raw_server(const raw_server&) = delete;
  raw_server& operator=(const raw_server&) = delete;
  ~raw_server();

  [[nodiscard]] std::string url(const std::string& path = "/") const;

  [[nodiscard]] std::uint16_t port() const noexcept {
    return port_;
  }

  /// Requests so far.
  [[nodiscard]] std::size_t requests() const noexcept {
    return requests_;
  }

  /// Connections that are open.
  [[nodiscard]] std::size_t connections() const noexcept {
    return connections_;
  }

private:
  struct connection;
  struct crowd;

  void run();
  void welcome(crowd& all) const;
  bool hear(int fd, connection& which);
  bool speak(int fd, connection& which);

  answering how_;
  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> requests_ = 0;
  std::atomic<std::size_t> connections_ = 0;
  std::thread thread_;
};

/// A port of 127.0.0.1 at which nobody listens, and that nobody else gets as
/// long as this lives.
class closed_port {
public:
  closed_port();
  closed_port(const closed_port&) = delete;
  closed_port& operator=(const closed_port&) = delete;
  ~closed_port();

  [[nodiscard]] std::string url() const {
    return "http://127.0.0.1:" + std::to_string(port_);
  }

private:
  int socket_ = -1;
  std::uint16_t port_ = 0;
};

} // namespace convene::tests
