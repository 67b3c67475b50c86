#include <catch2/catch.hpp>
#include <convene/runtime/log/event_log/crc32c.hpp>

#include <random>
#include <string>

using namespace convene::host;

TEST_CASE("crc32c gives the published check values, either way") {
  std::string rising;
  std::string falling;
  for (int i = 0; i < 32; ++i) {
    rising += static_cast<char>(i);
    falling += static_cast<char>(31 - i);
  }
  const auto [bytes, expected]
    = GENERATE_COPY(table<std::string, std::uint32_t>({
      {"", 0},
      {"a", 0xc1d04330},
      {"123456789", 0xe3069283},
      {std::string(32, '\0'), 0x8a9136aa},
      {std::string(32, '\xff'), 0x62a8ab43},
      {rising, 0x46dd794e},
      {falling, 0x113fdb5c},
    }));
  CHECK(crc32c(bytes) == expected);
  CHECK(crc32c_by_tables(bytes) == expected);
}

TEST_CASE("instruction and tables agree on any bytes, at any alignment") {
  const auto seed = std::random_device{}();
  CAPTURE(seed);
  std::minstd_rand random{seed};
  std::string bytes(20'000, '\0');
  for (auto& byte : bytes)
    byte = static_cast<char>(random());
  for (int i = 0; i < 2000; ++i) {
    const auto start = random() % 64;
    const std::string_view part{bytes.data() + start, random() % 19'900};
    const auto before = static_cast<std::uint32_t>(random());
    REQUIRE(crc32c(part, before) == crc32c_by_tables(part, before));
  }
}

TEST_CASE("the crc of two parts is the crc of the whole") {
  const std::string_view whole = "a session is kept in groups of events";
  for (std::size_t cut = 0; cut <= whole.size(); ++cut)
    CHECK(crc32c(whole.substr(cut), crc32c(whole.substr(0, cut)))
          == crc32c(whole));
}
