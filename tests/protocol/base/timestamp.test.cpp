#include <catch2/catch.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <rapidcheck.h>

#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace convene::protocol;

TEST_CASE("a time is written in UTC with milliseconds") {
  CHECK(format_timestamp(0) == "1970-01-01T00:00:00.000Z");
  CHECK(format_timestamp(1'709'210'096'789) == "2024-02-29T12:34:56.789Z");
  CHECK(format_timestamp(timestamp_max) == "9999-12-31T23:59:59.999Z");
}

TEST_CASE("times beyond what the text can hold are clamped") {
  CHECK(format_timestamp(-1) == format_timestamp(0));
  CHECK(format_timestamp(std::numeric_limits<timestamp_ms>::min())
        == format_timestamp(0));
  CHECK(format_timestamp(std::numeric_limits<timestamp_ms>::max())
        == format_timestamp(timestamp_max));
}

TEST_CASE("every time that can be written reads back") {
  CHECK(rc::check([] {
    const auto time = *rc::gen::inRange<timestamp_ms>(0, timestamp_max + 1);
    RC_ASSERT(parse_timestamp(format_timestamp(time)) == time);
  }));
}

TEST_CASE("zones, fractions and both cases are understood") {
  struct sample {
    std::string text;
    timestamp_ms time;
  };
  const auto [text, time] = GENERATE(values<sample>({
    {"1970-01-01T00:00:00Z", 0},
    {"1970-01-01t00:00:00z", 0},
    {"1970-01-01T01:00:00+01:00", 0},
    {"1969-12-31T23:30:00-00:30", 0},
    {"1970-01-01T00:00:00.5Z", 500},
    {"1970-01-01T00:00:00.0019Z", 1},
    {"1970-01-01T00:00:00.123456789012345678901234567890Z", 123},
    {"2024-02-29T12:34:56.789Z", 1'709'210'096'789},
    {"2016-12-31T23:59:60Z", 1'483'228'800'000},
    {"2017-01-01T01:59:60+02:00", 1'483'228'800'000},
    {"1969-12-31T23:59:59Z", -1'000},
  }));
  CAPTURE(text);
  CHECK(parse_timestamp(text) == time);
}

TEST_CASE("what is no date-time with a zone is refused") {
  for (const auto* text : {"",
                           "2024-01-01",
                           "2024-01-01T00:00:00",
                           "2024-01-01T00:00Z",
                           "2024-13-01T00:00:00Z",
                           "2024-00-01T00:00:00Z",
                           "2024-01-32T00:00:00Z",
                           "2023-02-29T00:00:00Z",
                           "2024-01-00T00:00:00Z",
                           "2024-01-01T24:00:00Z",
                           "2024-01-01T00:60:00Z",
                           "2024-01-01T00:00:61Z",
                           "2024-01-01T12:00:60Z",
                           "2024-01-01T00:00:00.Z",
                           "2024-01-01T00:00:00,5Z",
                           "2024-01-01T00:00:00ZZ",
                           "2024-01-01T00:00:00+0100",
                           "2024-01-01T00:00:00+24:00",
                           "2024-01-01T00:00:00+01:60",
                           "2024-01-01T00:00:00+01",
                           "2024-01-01 00:00:00Z",
                           "24-01-01T00:00:00Z",
                           "+024-01-01T00:00:00Z",
                           "2024-1-01T00:00:00Z ",
                           " 2024-01-01T00:00:00Z",
                           "2024/01/01T00:00:00Z"}) {
    CAPTURE(text);
    CHECK_FALSE(parse_timestamp(text));
  }
}

TEST_CASE("a time is read the same whatever was read before it") {
  struct sample {
    std::string text;
    std::optional<timestamp_ms> time;
  };
  const std::vector<sample> samples{
    {"2024-02-29T12:34:56.789Z", 1'709'210'096'789},
    {"2024-02-29T12:34:56.001Z", 1'709'210'096'001},
    {"2024-02-29T12:34:56.0x1Z", std::nullopt},
    {"2024-02-29T12:34:56.001z", 1'709'210'096'001},
    {"2024-02-29t12:34:56.001Z", 1'709'210'096'001},
    {"2024-02-29T12:34:57.001Z", 1'709'210'097'001},
    {"2024-02-30T12:34:56.001Z", std::nullopt},
    {"2016-12-31T23:59:60.500Z", 1'483'228'800'500},
    {"2016-12-31T22:59:60.500Z", std::nullopt},
    {"1969-12-31T23:59:59.250Z", -750},
  };
  for (const auto& before : samples)
    for (const auto& [text, time] : samples) {
      CAPTURE(before.text, text);
      CHECK(parse_timestamp(before.text) == before.time);
      CHECK(parse_timestamp(text) == time);
      CHECK(parse_timestamp(text) == time);
    }
}

TEST_CASE("no bytes make the reader fail otherwise than by refusing") {
  CHECK(rc::check([](std::string noise, std::uint8_t at) {
    std::string text = "2024-02-29T12:34:56.789+01:30";
    text.replace(at % text.size(), 1, noise);
    if (const auto time = parse_timestamp(text); time && *time >= 0)
      RC_ASSERT(parse_timestamp(format_timestamp(*time)) == *time);
  }));
}
