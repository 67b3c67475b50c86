#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <convene/runtime/outside/program_net/program_proxy.hpp>
#include <convene/runtime/outside/program_net/proxy_place.hpp>
#include <convene/runtime/outside/program_net/proxy_request.hpp>
#include <ifaddrs.h>
#include <netinet/in.h>

#include <algorithm>
#include <atomic>
#include <string>
#include <vector>

using namespace convene;

namespace {

bool is_beyond(const std::string& text) {
  sockaddr_in four{};
  sockaddr_in6 six{};
  four.sin_family = AF_INET;
  six.sin6_family = AF_INET6;
  if (inet_pton(AF_INET, text.c_str(), &four.sin_addr) == 1)
    return host::is_beyond_this_machine(reinterpret_cast<sockaddr&>(four));
  REQUIRE(inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1);
  return host::is_beyond_this_machine(reinterpret_cast<sockaddr&>(six));
}

} // namespace

TEST_CASE("programs connect to no address of this machine") {
  for (const auto* text :
       {"127.0.0.1", "127.255.0.9", "0.0.0.0", "169.254.169.254", "224.0.0.1",
        "255.255.255.255", "192.0.2.1", "::1", "::", "::ffff:127.0.0.1",
        "::127.0.0.1", "64:ff9b::7f00:1", "fe80::1", "ff02::1"}) {
    INFO(text);
    CHECK_FALSE(is_beyond(text));
  }
  for (const auto* text :
       {"10.9.8.254", "172.16.250.1", "192.168.250.7", "100.127.250.3",
        "198.19.250.5", "8.8.8.8", "2600::1", "fd12:3456::1"}) {
    INFO(text);
    CHECK(is_beyond(text));
  }
  ifaddrs* all = nullptr;
  REQUIRE(getifaddrs(&all) == 0);
  for (const auto* each = all; each != nullptr; each = each->ifa_next)
    if (each->ifa_addr != nullptr)
      CHECK_FALSE(host::is_beyond_this_machine(*each->ifa_addr));
  freeifaddrs(all);
}

TEST_CASE("programs connect to no address that has a cloud's keys") {
  for (const auto* text :
       {"169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16",
        "192.0.0.192", "fd00:ec2::254", "fd00:ec2::23", "fd20:ce::254",
        "fd00:42::42", "fe80::a9fe:a9fe", "64:ff9b::a83f:8110",
        "64:ff9b::6464:64c8", "::ffff:100.100.100.200"}) {
    INFO(text);
    CHECK_FALSE(is_beyond(text));
  }
  for (const auto* text :
       {"100.100.100.201", "168.63.129.17", "fd00:ec3::254", "fd00:43::42"}) {
    INFO(text);
    CHECK(is_beyond(text));
  }
}

TEST_CASE("a proxy reads requests for tunnels and for URLs") {
  const auto tunnel = host::read_proxy_request(
    "CONNECT Example.ORG:443 HTTP/1.1\r\nHost: other\r\n\r\n");
  REQUIRE(tunnel);
  CHECK(tunnel->host == "example.org");
  CHECK(tunnel->port == 443);
  CHECK(tunnel->is_tunnel);
  const auto six
    = host::read_proxy_request("CONNECT [2600::1]:8443 HTTP/1.1\r\n\r\n");
  REQUIRE(six);
  CHECK(six->host == "2600::1");
  const auto url = host::read_proxy_request(
    "GET http://a.example?q=http://b.example/ HTTP/1.1\r\nHost: a.example\r\n"
    "Proxy-Authorization: x\r\nConnection: keep-alive\r\nAccept: y\r\n\r\n");
  REQUIRE(url);
  CHECK(url->host == "a.example");
  CHECK(url->port == 80);
  CHECK(url->head
        == "GET /?q=http://b.example/ HTTP/1.1\r\nHost: a.example\r\n"
           "Accept: y\r\nConnection: close\r\n\r\n");
}

TEST_CASE("a proxy refuses requests that could be read in two ways") {
  for (const std::string line :
       {"", "GET", "GET / HTTP/1.1", "GET //a.example/ HTTP/1.1",
        "GET https://a.example/ HTTP/1.1", "GET http:/a.example/ HTTP/1.1",
        "GET http://user@a.example/ HTTP/1.1",
        "GET http://a.example\\@b.example/ HTTP/1.1",
        "GET http://a.example:80:81/ HTTP/1.1", "GET http:///x HTTP/1.1",
        "GET http://a.example/ HTTP/2", "CONNECT a.example HTTP/1.1",
        "CONNECT a.example:0 HTTP/1.1", "CONNECT a.example:443/ HTTP/1.1",
        "CONNECT http://a.example:443 HTTP/1.1",
        "CONNECT a%2eexample:1 HTTP/1.1", "CONNECT :443 HTTP/1.1",
        "CONNECT a.example:443 extra HTTP/1.1"}) {
    INFO(line);
    CHECK_FALSE(host::read_proxy_request(line + "\r\n\r\n"));
  }
}

TEST_CASE(
  "connections of all proxies are bounded, and some are left for each") {
  using places = std::vector<host::proxy_place>;
  constexpr std::size_t proxies = 20;
  std::vector<std::atomic<std::size_t>> counts(proxies);
  places all;
  const auto fill = [&](std::atomic<std::size_t>& own) {
    std::size_t taken = 0;
    while (auto place = host::proxy_place::take(own)) {
      all.push_back(*std::move(place));
      ++taken;
    }
    return taken;
  };
  const auto most = host::proxy_connections_max();
  for (auto& each : counts)
    CHECK(fill(each) <= 64);
  CHECK(all.size() <= most);
  CHECK(all.size() > most / 2);
  std::atomic<std::size_t> late = 0;
  CHECK(fill(late) == std::min<std::size_t>(4, most - all.size()));
  all.clear();
  CHECK(counts.front() == 0);
  CHECK(fill(late) == std::min<std::size_t>(64, most - most / 4));
}
