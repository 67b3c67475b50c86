#include <catch2/catch.hpp>
#include <convene/protocol/base/hex.hpp>

#include <array>

using namespace convene::protocol;

TEST_CASE("bytes and numbers are written as digits in lower case") {
  constexpr std::array<std::uint8_t, 4> bytes{0x00, 0x1f, 0xa0, 0xff};
  CHECK(hex_of(bytes) == "001fa0ff");
  CHECK(hex_of(std::span<const std::uint8_t>{}).empty());
  CHECK(hex_of(0x2a, 8) == "0000002a");
  CHECK(hex_of(0x1'2345, 4) == "2345");
  CHECK(hex_of(~std::uint64_t{0}, 16) == "ffffffffffffffff");
}

TEST_CASE("a digest has exactly its digits, in lower case") {
  CHECK(is_lower_hex("09af", 4));
  CHECK(is_lower_hex("", 0));
  for (const auto* other : {"09a", "09aff", "09aF", "09ag", "-9af", "0x9a"})
    CHECK_FALSE(is_lower_hex(other, 4));
}

TEST_CASE("a number in hexadecimal is nothing but its digits") {
  CHECK(parse_hex("0") == 0U);
  CHECK(parse_hex("00fF") == 0xffU);
  CHECK(parse_hex("ffffffffffffffff") == ~std::uint64_t{0});
  for (const auto* other :
       {"", " 1", "1 ", "-1", "+1", "0x1", "1g", "00000000000000001"})
    CHECK_FALSE(parse_hex(other));
}
