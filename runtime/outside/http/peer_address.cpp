#include <arpa/inet.h>
#include <convene/runtime/outside/http/peer_address.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cstring>

namespace convene::host {
namespace {

struct ipv4_block {
  std::uint32_t first;
  unsigned bits;
};

constexpr std::uint32_t ipv4(unsigned a, unsigned b, unsigned c, unsigned d) {
  return (a << 24) | (b << 16) | (c << 8) | d;
}

// Special purpose addresses, RFC 6890 and IANA's registry.
constexpr std::array<ipv4_block, 16> not_public_ipv4{{
  {ipv4(0, 0, 0, 0), 8},
  {ipv4(10, 0, 0, 0), 8},
  {ipv4(100, 64, 0, 0), 10},
  {ipv4(127, 0, 0, 0), 8},
  {ipv4(169, 254, 0, 0), 16},
  {ipv4(172, 16, 0, 0), 12},
  {ipv4(192, 0, 0, 0), 24},
  {ipv4(192, 0, 2, 0), 24},
  {ipv4(192, 88, 99, 0), 24},
  {ipv4(192, 168, 0, 0), 16},
  {ipv4(198, 18, 0, 0), 15},
  {ipv4(198, 51, 100, 0), 24},
  {ipv4(203, 0, 113, 0), 24},
  {ipv4(224, 0, 0, 0), 4},
  {ipv4(240, 0, 0, 0), 4},
  {ipv4(255, 255, 255, 255), 32},
}};

bool is_public_ipv4(std::uint32_t address) noexcept {
  return std::ranges::none_of(not_public_ipv4, [address](auto block) {
    return ((address ^ block.first) >> (32 - block.bits)) == 0;
  });
}

bool begins_with(const in6_addr& address,
                 std::initializer_list<unsigned> bytes) {
  return std::equal(bytes.begin(), bytes.end(), address.s6_addr);
}

bool is_public_ipv6(const in6_addr& address) noexcept {
  const auto* bytes = address.s6_addr;
  // A translator's prefix (RFC 6052): the last four bytes are connected to.
  if (begins_with(address, {0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0}))
    return is_public_ipv4(ipv4(bytes[12], bytes[13], bytes[14], bytes[15]));
  return (bytes[0] & 0xe0) == 0x20 // 2000::/3 is what is routed
         && !(begins_with(address, {0x20, 0x01}) && (bytes[2] & 0xfe) == 0)
         && !begins_with(address, {0x20, 0x01, 0x0d, 0xb8})
         && !begins_with(address, {0x20, 0x02})
         && !(begins_with(address, {0x3f, 0xff}) && (bytes[2] & 0xf0) == 0);
}

template <class Address>
Address copy_as(const sockaddr& what) noexcept {
  Address copy{};
  std::memcpy(&copy, &what, sizeof copy);
  return copy;
}

} // namespace

bool is_public_address(const sockaddr& what) noexcept {
  if (what.sa_family == AF_INET)
    return is_public_ipv4(ntohl(copy_as<sockaddr_in>(what).sin_addr.s_addr));
  return what.sa_family == AF_INET6
         && is_public_ipv6(copy_as<sockaddr_in6>(what).sin6_addr);
}

std::string address_text(const sockaddr& what) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (what.sa_family == AF_INET) {
    const auto address = copy_as<sockaddr_in>(what);
    inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
  } else if (what.sa_family == AF_INET6) {
    const auto address = copy_as<sockaddr_in6>(what);
    inet_ntop(AF_INET6, &address.sin6_addr, text.data(), text.size());
  }
  return text.data();
}

} // namespace convene::host
