#include <catch2/catch.hpp>
#include <convene/lab/mock_endpoint/minute_bucket.hpp>

using convene::server::minute_bucket;
using namespace std::chrono_literals;

TEST_CASE("a bucket is full at first, and fills evenly within a minute") {
  const auto start = minute_bucket::time{} + 1h;
  minute_bucket bucket{60};
  bucket.fill(start);
  CHECK(bucket.remaining() == 60);
  bucket.take(60);
  CHECK_FALSE(bucket.has(1));
  CHECK(bucket.until(1) == 1s);
  CHECK(bucket.until(1'000) == 60s);
  bucket.fill(start + 5s);
  CHECK(bucket.remaining() == 5);
  bucket.fill(start + 1h);
  CHECK(bucket.remaining() == 60);
}

TEST_CASE("who takes more than there is lets the next one wait the longer") {
  const auto start = minute_bucket::time{} + 1h;
  minute_bucket bucket{60};
  bucket.fill(start);
  bucket.take(90);
  CHECK(bucket.remaining() == 0);
  CHECK(bucket.until(1) >= 31s);
  CHECK(bucket.until(1) < 32s);
}
