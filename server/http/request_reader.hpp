#pragma once

#include <convene/server/http/request_head.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace convene::server {

/// Reads one request out of the bytes of a connection, in pieces of any size.
/// Bounded by the limits; knows no socket.
class request_reader {
public:
  explicit request_reader(const http_limits& limits);
  request_reader(request_reader&&) noexcept;
  request_reader& operator=(request_reader&&) noexcept;
  ~request_reader();

  /// Takes what it can of the bytes and returns how many those are; the others
  /// are to be given again, with what follows them. Stops after the head, and
  /// at the end of the request. After a refusal nothing more can be read.
  [[nodiscard]] tl::expected<std::size_t, http_refusal>
  put(std::string_view bytes);

  /// Set once the head is read.
  [[nodiscard]] const std::optional<request_head>& head() const;
  [[nodiscard]] bool is_done() const;

  /// Lowers the bound of the body, once the head is read: a longer one is
  /// refused, at once if the head says its length.
  [[nodiscard]] std::optional<http_refusal> bound_body(std::size_t most);

  /// What there is of the body.
  [[nodiscard]] std::string& body();

private:
  struct implementation;
  std::unique_ptr<implementation> implementation_;
};

} // namespace convene::server
