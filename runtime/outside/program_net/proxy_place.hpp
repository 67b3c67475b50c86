#pragma once

#include <atomic>
#include <cstddef>
#include <optional>

namespace convene::host {

/// How many connections the proxies of this process carry at most, all
/// together: each needs two descriptors and a thread.
[[nodiscard]] std::size_t proxy_connections_max();

/// The place of one connection among those of its proxy and of all proxies,
/// until it is destroyed. Thread-safe.
class proxy_place {
public:
  /// None: the proxy has 64 connections, or all proxies have as many as they
  /// may. The last quarter is for proxies that have fewer than 4.
  [[nodiscard]] static std::optional<proxy_place>
  take(std::atomic<std::size_t>& own);

  proxy_place(proxy_place&& other) noexcept;
  proxy_place& operator=(proxy_place&& other) noexcept;
  ~proxy_place();

private:
  explicit proxy_place(std::atomic<std::size_t>& own) noexcept;

  std::atomic<std::size_t>* own_; // null: moved from
};

} // namespace convene::host
