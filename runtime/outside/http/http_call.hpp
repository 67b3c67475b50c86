#pragma once

#include <convene/runtime/outside/http/curl_library.hpp>
#include <convene/runtime/outside/http/http_client.hpp>
#include <convene/runtime/outside/http/url.hpp>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

// One transfer of libcurl; for sources in this folder only.

namespace convene::host {

/// A call from its start to its answer. Stays where it is: libcurl has its
/// address. For the loop thread only.
class http_call {
public:
  http_call(http_request what, when_answered done,
            std::shared_ptr<const http_options> options);

  http_call(const http_call&) = delete;
  http_call& operator=(const http_call&) = delete;

  /// Sets up the transfer. If that fails, `answer` says why.
  [[nodiscard]] bool prepare();

  [[nodiscard]] CURL* handle() const noexcept {
    return easy_.get();
  }

  /// There may be room again for its body.
  void go_on();

  /// The transfer is over: calls back with what came of it.
  void finish(CURLcode how);

  /// Calls back with an error.
  void fail(std::string_view code, std::string message, bool transient = false);

private:
  struct easy_cleanup {
    void operator()(CURL* what) const noexcept {
      curl().easy_cleanup(what);
    }
  };
  struct list_cleanup {
    void operator()(curl_slist* what) const noexcept {
      curl().slist_free_all(what);
    }
  };

  static std::size_t take_header(char* data, std::size_t, std::size_t size,
                                 void* self) noexcept;
  static std::size_t take_body(char* data, std::size_t, std::size_t size,
                               void* self) noexcept;
  static curl_socket_t open_socket(void* self, curlsocktype,
                                   curl_sockaddr* where) noexcept;

  bool add_headers();
  bool hear_header(std::string_view line);
  bool hear_body(std::string_view data);
  void set_error(std::string_view code, std::string message,
                 bool transient = false);
  void set_too_long();
  void judge(CURLcode how);
  void judge_status();
  [[nodiscard]] int status() const;
  /// Whether the host refused the connection.
  [[nodiscard]] bool is_refused() const;
  void deliver();

  http_request what_;
  when_answered done_;
  std::shared_ptr<const http_options> options_;
  url_origin origin_;
  std::unique_ptr<CURL, easy_cleanup> easy_;
  std::unique_ptr<curl_slist, list_cleanup> headers_;
  std::unique_ptr<curl_slist, list_cleanup> connect_to_;
  http_answer answer_;
  std::vector<http_header> heard_; ///< headers, if they are asked for
  std::string location_;
  bool has_exact_wait_ = false; ///< of `retry-after-ms`
  std::string refused_address_;
  std::size_t header_bytes_ = 0;
  std::size_t body_bytes_ = 0;
  bool headers_ended_ = false;
  bool has_enough_ = false; ///< the reader, or an error's text
  std::array<char, CURL_ERROR_SIZE> words_{};
};

} // namespace convene::host
