#pragma once

#include "raw_client.hpp"

#include <convene/server/http/http_server.hpp>

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace convene::tests {

/// Sends texts one by one: those given, and then those that are added.
class told_stream : public server::stream_source {
public:
  explicit told_stream(std::vector<std::string> texts, bool ends = false)
    : texts_{std::move(texts)}, ends_{ends} {}

  part read(std::size_t, std::function<void()> more) override {
    const std::scoped_lock lock{mutex_};
    if (at_ < texts_.size())
      return {.bytes = texts_[at_++], .is_last = ends_ && at_ == texts_.size()};
    more_ = std::move(more);
    return {.bytes = {}, .is_last = ends_};
  }

  void add(std::string text) {
    std::function<void()> more;
    {
      const std::scoped_lock lock{mutex_};
      texts_.push_back(std::move(text));
      more = std::exchange(more_, {});
    }
    if (more)
      more();
  }

private:
  std::mutex mutex_;
  std::vector<std::string> texts_;
  std::size_t at_ = 0;
  bool ends_;
  std::function<void()> more_;
};

/// Limits whose times no test comes to, however slow the machine is.
inline server::http_limits patient_limits() {
  server::http_limits made;
  made.request_time = std::chrono::minutes{10};
  made.idle_time = std::chrono::minutes{10};
  made.stall_time = std::chrono::minutes{10};
  return made;
}

/// A server on a free port of 127.0.0.1 with these endpoints, and with
/// GET /hello, which greets, and POST /echo, which answers its body.
class test_server {
public:
  explicit test_server(server::routes more = {},
                       server::http_limits limits = patient_limits(),
                       server::http_server_options how = {}) {
    how.port = 0;
    how.limits = limits;
    more.push_back({.method = "GET",
                    .pattern = "/hello",
                    .call = [](const server::request&, server::responder to) {
                      to({.content_type = "text/plain", .body = "hello"});
                    }});
    more.push_back(
      {.method = "POST",
       .pattern = "/echo",
       .call = [](const server::request& what, server::responder to) {
         to({.content_type = "text/plain", .body = what.body});
       }});
    how.endpoints = std::move(more);
    auto made = server::http_server::start(std::move(how));
    REQUIRE(made);
    server_ = *std::move(made);
  }

  [[nodiscard]] server::http_server& operator*() const {
    return *server_;
  }
  [[nodiscard]] server::http_server* operator->() const {
    return server_.get();
  }

  [[nodiscard]] raw_client connect() const {
    return raw_client{server_->port()};
  }

  /// "Host: ...", as a header.
  [[nodiscard]] std::string host() const {
    return "Host: 127.0.0.1:" + std::to_string(server_->port()) + "\r\n";
  }

  /// A GET of that path, with more headers.
  [[nodiscard]] std::string get(const std::string& path,
                                const std::string& headers = {}) const {
    return "GET " + path + " HTTP/1.1\r\n" + host() + headers + "\r\n";
  }

  [[nodiscard]] std::string post(const std::string& path,
                                 const std::string& body,
                                 const std::string& headers = {}) const {
    return "POST " + path + " HTTP/1.1\r\n" + host()
           + "Content-Type: application/json\r\nContent-Length: "
           + std::to_string(body.size()) + "\r\n" + headers + "\r\n" + body;
  }

  /// The answer to one request.
  [[nodiscard]] std::string ask(const std::string& bytes) const {
    auto client = connect();
    client.send(bytes);
    return client.answer();
  }

private:
  std::unique_ptr<server::http_server> server_;
};

} // namespace convene::tests
