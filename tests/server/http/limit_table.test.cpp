#include <catch2/catch.hpp>
#include <convene/server/http/limit_table.hpp>

using namespace convene::server;

TEST_CASE("limits are set by their names, within their bounds") {
  http_limits limits;
  REQUIRE(set_limit(limits, "body_bytes_max=1000"));
  CHECK(limits.body_bytes_max == 1'000);
  REQUIRE(set_limit(limits, "idle_time_ms=250"));
  CHECK(limits.idle_time == std::chrono::milliseconds{250});
  REQUIRE(set_limit(limits, "requests_per_second=0"));
  for (const auto* const wrong :
       {"body_bytes_max", "body_bytes_max=", "body_bytes_max=-1",
        "body_bytes_max=1k", "body_bytes_max=99999999999999",
        "keepalive_time_ms=30001"}) {
    const auto set = set_limit(limits, wrong);
    REQUIRE_FALSE(set);
    CHECK(set.error().rule == "limit");
    CHECK_THAT(set.error().message, Catch::Contains(" to "));
    CHECK(set.error().value == wrong);
  }
  const auto unknown = set_limit(limits, "bodies=1");
  REQUIRE_FALSE(unknown);
  CHECK_THAT(unknown.error().message,
             Catch::Contains("streams_max, requests_per_second"));
  CHECK(unknown.error().value == "bodies=1");
  CHECK(limits.body_bytes_max == 1'000);
}

TEST_CASE("each limit that is listed can be set to what it is") {
  http_limits limits;
  const auto lines = limit_lines(limits);
  std::size_t count = 0;
  for (std::size_t at = 0; at < lines.size(); ++count) {
    const auto end = lines.find('\n', at);
    CHECK(set_limit(limits, lines.substr(at, end - at)));
    at = end + 1;
  }
  CHECK(count == 24);
  CHECK(limit_lines(limits) == lines);
}
