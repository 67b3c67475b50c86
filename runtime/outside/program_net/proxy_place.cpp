#include <convene/runtime/log/files/descriptor_limit.hpp>
#include <convene/runtime/outside/program_net/proxy_place.hpp>

#include <algorithm>
#include <utility>

namespace convene::host {
namespace {

constexpr std::size_t own_max = 64;
constexpr std::size_t own_assured = 4;
constexpr std::size_t all_max = 512;

/// Connections of all proxies.
std::atomic<std::size_t>& all_taken() {
  static std::atomic<std::size_t> count = 0;
  return count;
}

} // namespace

std::size_t proxy_connections_max() {
  return std::clamp(descriptor_limit() / 32, own_assured, all_max);
}

std::optional<proxy_place> proxy_place::take(std::atomic<std::size_t>& own) {
  const auto held = own.load();
  const auto most = proxy_connections_max();
  const auto free = held < own_assured ? most : most - most / 4;
  auto all = all_taken().load();
  do
    if (held >= own_max || all >= free)
      return std::nullopt;
  while (!all_taken().compare_exchange_weak(all, all + 1));
  return proxy_place{own};
}

proxy_place::proxy_place(std::atomic<std::size_t>& own) noexcept : own_{&own} {
  ++own;
}

proxy_place::proxy_place(proxy_place&& other) noexcept
  : own_{std::exchange(other.own_, nullptr)} {
  // nop
}

proxy_place& proxy_place::operator=(proxy_place&& other) noexcept {
  std::swap(own_, other.own_);
  return *this;
}

proxy_place::~proxy_place() {
  if (own_ == nullptr)
    return;
  --*own_;
  --all_taken();
}

} // namespace convene::host
