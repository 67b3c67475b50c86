#include <arpa/inet.h>
#include <convene/runtime/outside/http/peer_address.hpp>
#include <convene/runtime/outside/program_net/program_proxy.hpp>
#include <convene/runtime/outside/program_net/proxy_place.hpp>
#include <convene/runtime/outside/program_net/proxy_request.hpp>
#include <convene/runtime/outside/program_net/relay.hpp>
#include <ifaddrs.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

namespace convene::host {
namespace {

constexpr std::size_t head_bytes_max = std::size_t{16} << 10;
constexpr int addresses_max = 16;
constexpr std::chrono::seconds head_longest{30};
constexpr std::chrono::seconds connect_longest{20};

/// Shared by the proxy's threads.
struct proxy_state {
  descriptor listener;
  descriptor stop; ///< readable at the end
  proxy_rules rules;
  std::atomic<std::size_t> connections = 0;
};

using proxy_pointer = std::shared_ptr<proxy_state>;

/// The first four bytes of IPv4, wherever an address has them; false: none.
bool ipv4_in(const sockaddr& address, std::uint32_t& into) {
  if (address.sa_family == AF_INET) {
    const auto& plain = reinterpret_cast<const sockaddr_in&>(address);
    into = ntohl(plain.sin_addr.s_addr);
    return true;
  }
  return false;
}

bool is_private(const sockaddr& address) {
  if (std::uint32_t number = 0; ipv4_in(address, number))
    return number >> 24 == 10 || number >> 20 == 0xac1 || number >> 16 == 0xc0a8
           || number >> 22 == 0x191 || number >> 17 == 0x6309; // 198.18/15
  if (address.sa_family != AF_INET6)
    return false;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address);
  return (six.sin6_addr.s6_addr[0] & 0xfe) == 0xfc;
}

/// Whether machines in a cloud ask this address for their keys; those that are
/// link-local, such as 169.254.169.254, are reached by no rule already.
bool is_metadata(const sockaddr& address) {
  constexpr std::uint32_t alibaba = 0x6464'64c8; // 100.100.100.200
  constexpr std::uint32_t azure = 0xa83f'8110;   // 168.63.129.16
  std::uint32_t number = 0;
  if (ipv4_in(address, number))
    return number == alibaba || number == azure;
  if (address.sa_family != AF_INET6)
    return false;
  const auto& six = reinterpret_cast<const sockaddr_in6&>(address).sin6_addr;
  const std::string_view bytes{reinterpret_cast<const char*>(six.s6_addr),
                               sizeof six.s6_addr};
  using namespace std::string_view_literals;
  return bytes.starts_with("\xfd\x00\x0e\xc2\0\0\0\0"sv)    // fd00:ec2::
         || bytes.starts_with("\xfd\x20\x00\xce\0\0\0\0"sv) // fd20:ce::
         || bytes.starts_with("\xfd\x00\x00\x42\0\0\0\0"sv) // fd00:42::
         // by a translator
         || bytes == "\0\x64\xff\x9b\0\0\0\0\0\0\0\0\xa8\x3f\x81\x10"sv;
}

/// Whether an interface of this machine has the address.
bool is_own_address(const sockaddr& address) {
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0)
    return true; // nothing is known: better not
  const auto text = address_text(address);
  bool found = false;
  for (const auto* each = all; each != nullptr && !found; each = each->ifa_next)
    found = each->ifa_addr != nullptr
            && each->ifa_addr->sa_family == address.sa_family
            && address_text(*each->ifa_addr) == text;
  freeifaddrs(all);
  return found;
}

void answer(const proxy_pointer& state, int client, std::string_view status,
            const std::string& why) {
  const auto body = "convene: " + why + '\n';
  static_cast<void>(send_all(
    client,
    "HTTP/1.1 " + std::string{status}
      + "\r\nContent-Type: text/plain\r\nConnection: close\r\nContent-Length: "
      + std::to_string(body.size()) + "\r\n\r\n" + body,
    state->stop.get()));
}

/// What a client sends up to the end of the head; empty: it did not.
std::string read_head(const proxy_pointer& state, int client,
                      std::size_t& end) {
  const auto until = std::chrono::steady_clock::now() + head_longest;
  std::string all;
  std::array<char, 4096> part; // NOLINT: filled by recv
  while (all.size() < head_bytes_max) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
      until - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !wait_for(client, POLLIN, state->stop.get(), left))
      return {};
    const auto got = recv(client, part.data(), part.size(), 0);
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR))
      return {};
    if (got > 0)
      all.append(part.data(), static_cast<std::size_t>(got));
    if (const auto at = all.find("\r\n\r\n"); at != all.npos) {
      end = at + 4;
      return all;
    }
  }
  return {};
}

descriptor connected(const proxy_pointer& state, const addrinfo& to) {
  descriptor made{
    socket(to.ai_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!made)
    return {};
  if (connect(made.get(), to.ai_addr, to.ai_addrlen) == 0)
    return made;
  int failed = 0;
  socklen_t size = sizeof failed;
  if (errno != EINPROGRESS
      || !wait_for(made.get(), POLLOUT, state->stop.get(), connect_longest)
      || getsockopt(made.get(), SOL_SOCKET, SO_ERROR, &failed, &size) != 0
      || failed != 0)
    return {};
  return made;
}

/// A connection to what is asked for; none: `why` is the answer's status.
descriptor connected(const proxy_pointer& state, const proxy_request& to,
                     std::string_view& why) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  why = "502 Bad Gateway";
  if (getaddrinfo(to.host.c_str(), std::to_string(to.port).c_str(), &hints,
                  &found)
      != 0)
    return {};
  const std::unique_ptr<addrinfo, decltype(&freeaddrinfo)> all{found,
                                                               freeaddrinfo};
  int tried = 0;
  for (const auto* each = found; each != nullptr && tried < addresses_max;
       each = each->ai_next, ++tried) {
    if (!state->rules.may_connect(*each->ai_addr)) {
      why = "403 Forbidden";
      continue;
    }
    if (auto made = connected(state, *each))
      return made;
    why = "502 Bad Gateway";
  }
  return {};
}

void serve_client(const proxy_pointer& state, const descriptor& client) {
  std::size_t end = 0;
  const auto all = read_head(state, client.get(), end);
  if (all.empty())
    return;
  const auto request = read_proxy_request(std::string_view{all}.substr(0, end));
  if (!request)
    return answer(state, client.get(), "400 Bad Request",
                  request.error().message);
  const auto named = request->host + ':' + std::to_string(request->port);
  if (!state->rules.may_reach(request->host, request->port))
    return answer(state, client.get(), "403 Forbidden",
                  named + " is not allowed; add --allow program-net=" + named);
  std::string_view why;
  const auto server = connected(state, *request, why);
  if (!server)
    return answer(state, client.get(), why,
                  why.starts_with('4')
                    ? named + " has an address that is not allowed"
                    : named + " cannot be reached");
  const auto rest = std::string_view{all}.substr(end);
  const auto stop = state->stop.get();
  if (request->is_tunnel
        ? send_all(client.get(), "HTTP/1.1 200 Connection established\r\n\r\n",
                   stop)
        : send_all(server.get(), request->head, stop))
    if (send_all(server.get(), rest, stop))
      relay({client.get(), server.get(), stop});
}

void accept_clients(const proxy_pointer& state) {
  constexpr std::chrono::hours longest{1};
  constexpr std::chrono::milliseconds pause{20};
  const auto is_over = [&state](std::chrono::milliseconds after) {
    pollfd stop{state->stop.get(), POLLIN, 0};
    return poll(&stop, 1, static_cast<int>(after.count())) > 0;
  };
  for (;;) {
    if (!wait_for(state->listener.get(), POLLIN, state->stop.get(), longest)) {
      if (is_over(std::chrono::milliseconds{0}))
        return;
      continue;
    }
    auto place = proxy_place::take(state->connections);
    descriptor client;
    if (place)
      client = descriptor{accept4(state->listener.get(), nullptr, nullptr,
                                  SOCK_CLOEXEC | SOCK_NONBLOCK)};
    if (!client) { // no place, or no descriptor: the client waits
      place.reset();
      if (is_over(pause))
        return;
      continue;
    }
    try {
      std::thread{[state, client = std::move(client),
                   place = *std::move(place)]() mutable {
        serve_client(state, client);
        client.reset(); // before another one gets the place
      }}.detach();
    } catch (const std::system_error&) {
      // no thread: the client is let go
    }
  }
}

} // namespace

bool is_beyond_this_machine(const sockaddr& address) {
  return (is_public_address(address) || is_private(address))
         && !is_metadata(address) && !is_own_address(address);
}

std::shared_ptr<void> serve_proxy(descriptor listener, proxy_rules rules) {
  auto state = std::make_shared<proxy_state>();
  state->listener = std::move(listener);
  state->stop = descriptor{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
  state->rules = std::move(rules);
  if (!state->listener || !state->stop)
    return nullptr;
  try {
    std::thread{[state] { accept_clients(state); }}.detach();
  } catch (const std::system_error&) {
    return nullptr;
  }
  return {static_cast<void*>(state.get()), [state](void*) {
            const std::uint64_t one = 1;
            static_cast<void>(write(state->stop.get(), &one, sizeof one)
                              == sizeof one);
          }};
}

} // namespace convene::host
