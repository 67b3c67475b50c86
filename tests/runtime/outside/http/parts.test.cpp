#include <arpa/inet.h>
#include <catch2/catch.hpp>
#include <convene/runtime/log/files/late_library.hpp>
#include <convene/runtime/outside/http/peer_address.hpp>
#include <convene/runtime/outside/http/retry_after.hpp>
#include <convene/runtime/outside/http/url.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include <cstring>

using namespace convene::host;

namespace {

bool is_public(const char* text) {
  sockaddr_storage where{};
  sockaddr_in v4{};
  sockaddr_in6 v6{};
  if (inet_pton(AF_INET, text, &v4.sin_addr) == 1) {
    v4.sin_family = AF_INET;
    std::memcpy(&where, &v4, sizeof v4);
  } else {
    REQUIRE(inet_pton(AF_INET6, text, &v6.sin6_addr) == 1);
    v6.sin6_family = AF_INET6;
    std::memcpy(&where, &v6, sizeof v6);
  }
  CHECK(address_text(reinterpret_cast<const sockaddr&>(where)) == text);
  return is_public_address(reinterpret_cast<const sockaddr&>(where));
}

} // namespace

TEST_CASE("a library or a function that is missing is named in the error") {
  int (*magnitude)(int) = nullptr;
  REQUIRE(load_library("libc.so.6", {late("abs", magnitude)}));
  CHECK(magnitude(-3) == 3);
  const auto no_library = load_library("libnowhere.so.7", {});
  REQUIRE_FALSE(no_library);
  CHECK(no_library.error().rule == "library_missing");
  CHECK_THAT(no_library.error().message, Catch::Contains("libnowhere.so.7"));
  const auto no_function = load_library("libc.so.6",
                                        {late("no_such_function", magnitude)});
  REQUIRE_FALSE(no_function);
  CHECK_THAT(no_function.error().message, Catch::Contains("no_such_function"));
}

TEST_CASE("an address is public only if the internet routes it") {
  for (const auto* inside : {"0.0.0.0",
                             "10.1.2.3",
                             "100.64.0.1",
                             "100.127.255.255",
                             "127.0.0.1",
                             "127.255.255.255",
                             "169.254.169.254",
                             "172.16.0.1",
                             "172.31.255.255",
                             "192.168.0.1",
                             "198.18.0.1",
                             "224.0.0.1",
                             "239.1.1.1",
                             "240.0.0.1",
                             "255.255.255.255",
                             "::",
                             "::1",
                             "::ffff:8.8.8.8",
                             "::ffff:127.0.0.1",
                             "fc00::1",
                             "fdff::1",
                             "fe80::1",
                             "fec0::1",
                             "ff02::1",
                             "2001:db8::1",
                             "2002:7f00:1::",
                             "2001::1",
                             "64:ff9b::7f00:1",
                             "64:ff9b:1::1",
                             "100::1"})
    CHECK_FALSE(is_public(inside));
  for (const auto* outside :
       {"1.1.1.1", "9.255.255.255", "11.0.0.0", "100.63.255.255", "100.128.0.0",
        "126.255.255.255", "128.0.0.0", "172.15.255.255", "172.32.0.0",
        "192.167.255.255", "223.255.255.255", "2606:4700::1111",
        "2a00:1450:4001::1", "64:ff9b::808:808"})
    CHECK(is_public(outside));
  CHECK_FALSE(is_public_address(sockaddr{.sa_family = AF_UNIX, .sa_data = {}}));
}

TEST_CASE("Retry-After is seconds or a date") {
  constexpr std::int64_t now = 1445412460; // 2015-10-21 07:27:40
  CHECK(retry_after_ms("0", now) == 0);
  CHECK(retry_after_ms("120", now) == 120'000);
  CHECK(retry_after_ms("20", now) == 20'000);
  CHECK(retry_after_ms("1.5", now) == 1'500);
  CHECK(retry_after_ms("0.0001", now) == 1);
  CHECK(retry_after_ms("Wed, 21 Oct 2015 07:28:00 GMT", now) == 20'000);
  CHECK(retry_after_ms("Wed, 21 Oct 2015 07:27:00 GMT", now) == 0);
  for (const auto* endless : {"86401", "99999999999999999999999999"})
    CHECK(retry_after_ms(endless, now) == 86'400'000);
  for (const auto* wrong :
       {"", "soon", "-1", "1.5.2", ".", "7 s", "1e3", "\xff"})
    CHECK(retry_after_ms(wrong, now) == std::nullopt);
  CHECK(milliseconds_of("250") == 250);
  CHECK(milliseconds_of("250.4") == 251);
  CHECK(milliseconds_of("99999999999999") == 86'400'000);
  CHECK(milliseconds_of("soon") == std::nullopt);
}

TEST_CASE("a URL's origin is read as libcurl reads it") {
  CHECK(origin_of("https://API.example.org/v1?k=1").value()
        == url_origin{"https", "api.example.org", 443});
  CHECK(origin_of("http://[::1]:8080").value()
        == url_origin{"http", "[::1]", 8080});
  CHECK(origin_of("http://0x7f.1/").value()
        == url_origin{"http", "127.0.0.1", 80});
  CHECK(to_string(origin_of("http://a.b/secret").value()) == "http://a.b:80");
  for (const auto* wrong : {"", "example.org", "http://", "http://a b/",
                            "http://u@a/", "http://u:p@a/", "http://a:99999/"})
    CHECK(origin_of(wrong).error().rule == "url_invalid");
  for (const auto* wrong : {"ftp://a/", "file:///x", "unix:/x"})
    CHECK(origin_of(wrong).error().rule == "scheme_refused");
}
