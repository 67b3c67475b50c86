#include <catch2/catch.hpp>
#include <convene/protocol/base/token_bucket.hpp>

using convene::protocol::token_bucket;
using namespace std::chrono_literals;

namespace {

constexpr token_bucket::time start{};
const token_bucket one_a_second{60, 60, 1min};

} // namespace

TEST_CASE("a bucket is full at first, and fills evenly up to its capacity") {
  auto bucket = one_a_second;
  bucket.fill(start);
  CHECK(bucket.remaining() == 60);
  CHECK(bucket.is_full());
  bucket.take(60);
  CHECK_FALSE(bucket.has(1));
  CHECK(bucket.until(1) == 1s);
  CHECK(bucket.until(1'000) == 60s);
  bucket.fill(start + 5s);
  CHECK(bucket.remaining() == 5);
  CHECK_FALSE(bucket.is_full());
  bucket.fill(start + 1h);
  CHECK(bucket.remaining() == 60);
}

TEST_CASE("taking more than there is makes the next caller wait longer") {
  auto bucket = one_a_second;
  bucket.fill(start);
  bucket.take(90);
  CHECK(bucket.remaining() == 0);
  CHECK(bucket.until(1) >= 31s);
  CHECK(bucket.until(1) < 32s);
}

TEST_CASE("a time before the last one fills nothing, now or later") {
  auto bucket = one_a_second;
  bucket.fill(start + 10s);
  bucket.take(60);
  bucket.fill(start);
  CHECK(bucket.until(1) == 1s);
  bucket.fill(start + 11s);
  CHECK(bucket.remaining() == 1);
}
