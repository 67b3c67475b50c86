#include <catch2/catch.hpp>
#include <convene/protocol/text/format.hpp>

#include <tuple>

using namespace convene::protocol::validation;

TEST_CASE("formats hold beyond the public suite") {
  const auto [format, valid, text]
    = GENERATE(table<const char*, bool, std::string_view>({
      {"uuid", true, "2F1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1"},
      {"uuid", false, "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9dg"},
      {"uuid", false, "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d"},
      {"uuid", false, "2f1f2a6705d3c-4f0e-9a8e-52a0a6f0c9d1"},
      {"uuid", false, "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d\xb1"},
      {"uuid", false, "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9@`"},
      {"date-time", true, "2024-02-29T00:00:00Z"},
      {"date-time", false, "2023-02-29T00:00:00Z"},
      {"date-time", false, "1900-02-29T00:00:00Z"},
      {"date-time", true, "2000-02-29T00:00:00Z"},
      {"date-time", false, "2026-11-31T00:00:00Z"},
      {"date-time", true, "2026-08-31T00:00:00Z"},
      {"date-time", false, "2026-00-10T00:00:00Z"},
      {"date-time", false, "2026-01-00T00:00:00Z"},
      {"date-time", false, "2026-01-01T24:00:00Z"},
      {"date-time", false, "2026-01-01 00:00:00Z"},
      {"date-time", false, "2026-01-01T00:00:00"},
      {"date-time", false, "2026-01-01T00:00:00.Z"},
      {"date-time", true, "1998-12-31T15:59:60-08:00"},
      {"date-time", false, "1998-12-31T22:59:60Z"},
      {"date-time", false, "2026-01-01T00:00:00+0100"},
      {"date", false, "2026-13-01"},
      {"time", false, "08:30:06"},
      {"time", true, "23:59:60Z"},
      {"ipv4", false, "01.2.3.4"},
      {"ipv4", false, "1.2.3."},
      {"ipv6", true, "::ffff:192.168.0.1"},
      {"ipv6", false, "1::2::3"},
      {"ipv6", false, "1:2:3:4:5:6:7"},
      {"ipv6", true, "1:2:3:4:5:6:7:8"},
      {"ipv6", false, "::1%eth0"},
      {"ipv6", false, "1.2.3.4::"},
      {"hostname", false, ""},
      {"hostname", false, "a..b"},
      {"hostname", false, "a-"},
      {"email", true, "\"a b\\\"@\"@example.org"},
      {"email", false, "\"a\"b\"@example.org"},
      {"email", true, "a@[127.0.0.1]"},
      {"email", true, "a@[IPv6:::1]"},
      {"email", false, ".a@example.org"},
      {"email", false, "a..b@example.org"},
      {"email", false, "\xc3\xa4@example.org"},
      {"uri", false, "http://[::1"},
      {"uri", true, "http://[v1.a:b]:80/"},
      {"uri", false, "http://a:b/"},
      {"uri", false, "http://a/%zz"},
      {"uri", false, "http://a/\xc3\xa4"},
      {"uri", false, "1http://a"},
      {"uri-reference", false, "1:a"},
      {"uri-reference", true, ""},
      {"uri-template", true, "/{?a,b*,c:20}"},
      {"uri-template", false, "/{a:0}"},
      {"uri-template", false, "/}a"},
      {"uri-template", false, "/{}"},
      {"uri-template", true, "/{a.b}"},
      {"uri-template", false, "/{a.}"},
      {"uri-template", false, "/{.a.b,.c}"},
      {"uri-template", false, "/{a..b}"},
      {"uri-template", false, "/'{a}"},
      {"json-pointer", false, "/a~"},
      {"relative-json-pointer", false, "01/a"},
      {"relative-json-pointer", false, "0##"},
      {"regex", false, "\\Z"},
      {"regex", true, "(?=a)b"},
    }));
  INFO(format << ": " << text);
  const auto check = find_format(format);
  REQUIRE(check != nullptr);
  CHECK(check(text) == valid);
}

TEST_CASE("every byte that is no hexadecimal digit spoils a UUID anywhere") {
  const std::string good = "2f1f2a67-5d3c-4f0e-9a8e-52a0a6f0c9d1";
  for (std::size_t at = 0; at < good.size(); ++at)
    for (int byte = 0; byte < 256; ++byte) {
      auto text = good;
      text[at] = static_cast<char>(byte);
      const bool is_dash = good[at] == '-';
      const bool hex = byte < 128 && std::isxdigit(byte) != 0;
      REQUIRE(is_uuid(text) == (is_dash ? byte == '-' : hex));
    }
}

TEST_CASE("an unknown format is no check") {
  CHECK(find_format("colour") == nullptr);
  CHECK(find_format("") == nullptr);
}
