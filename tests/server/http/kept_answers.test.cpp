#include <catch2/catch.hpp>
#include <convene/server/http/kept_answers.hpp>
#include <convene/server/http/request_rate.hpp>

using namespace convene::server;
using std::chrono::hours;
using std::chrono::milliseconds;

namespace {

const kept_answers::time start{};

bool carries_out(const kept_answers::state& state) {
  return std::holds_alternative<kept_answers::carry_out>(state);
}

} // namespace

TEST_CASE("a request with a key is carried out once, and answered again") {
  kept_answers kept;
  REQUIRE(carries_out(kept.begin("k", "one", start)));
  CHECK(std::holds_alternative<kept_answers::in_flight>(
    kept.begin("k", "one", start)));
  CHECK(std::holds_alternative<kept_answers::other_request>(
    kept.begin("k", "two", start)));
  kept.end("k", {.status = 201, .body = "made"}, start);
  const auto again = kept.begin("k", "one", start + hours{23});
  REQUIRE(std::holds_alternative<response>(again));
  CHECK(std::get<response>(again).status == 201);
  CHECK(std::get<response>(again).body == "made");
  CHECK(std::holds_alternative<kept_answers::other_request>(
    kept.begin("k", "two", start)));
  CHECK(carries_out(kept.begin("other", "one", start)));
  CHECK(carries_out(kept.begin("k", "one", start + hours{24})));
}

TEST_CASE("what was not carried out can be tried again") {
  kept_answers kept;
  for (const unsigned status : {400U, 401U, 403U, 429U, 500U, 503U}) {
    REQUIRE(carries_out(kept.begin("k", "one", start)));
    kept.end("k", {.status = status}, start);
  }
  REQUIRE(carries_out(kept.begin("k", "one", start)));
}

TEST_CASE("a key that a request has wrongly is free for the right one") {
  kept_answers kept;
  REQUIRE(carries_out(kept.begin("k", "other", start)));
  kept.end("k", {.status = 409, .is_of_key = false}, start,
           error_form::openwop);
  CHECK(carries_out(kept.begin("k", "one", start)));
}

TEST_CASE("of OpenWOP's endpoints what fails is kept, too") {
  kept_answers kept;
  REQUIRE(carries_out(kept.begin("k", "one", start)));
  kept.end("k", {.status = 503}, start, error_form::openwop);
  CHECK(std::holds_alternative<response>(kept.begin("k", "one", start)));
}

TEST_CASE("beyond its bounds, the oldest answers are forgotten") {
  kept_answers few{{.answers_max = 2}};
  for (const auto* const key : {"a", "b", "c"}) {
    REQUIRE(carries_out(few.begin(key, "", start)));
    few.end(key, {}, start);
  }
  CHECK(carries_out(few.begin("a", "", start)));
  CHECK(std::holds_alternative<response>(few.begin("b", "", start)));
  CHECK(carries_out(few.begin("d", "", start)));
  CHECK(
    std::holds_alternative<kept_answers::too_many>(few.begin("e", "", start)));

  kept_answers small{{.bytes_max = 1'000}};
  for (const auto* const key : {"a", "b"}) {
    REQUIRE(carries_out(small.begin(key, "", start)));
    small.end(key, {.body = std::string(600, 'x')}, start);
  }
  CHECK(carries_out(small.begin("a", "", start)));
  CHECK(std::holds_alternative<response>(small.begin("b", "", start)));
}

TEST_CASE("each caller may make so many requests a second") {
  request_rate rate{10};
  const request_rate::time now{};
  for (int count = 0; count < 20; ++count)
    CHECK(rate.take("a", now) == milliseconds{0});
  CHECK(rate.take("a", now) == milliseconds{100});
  CHECK(rate.take("b", now) == milliseconds{0});
  CHECK(rate.take("a", now + milliseconds{99}) > milliseconds{0});
  CHECK(rate.take("a", now + milliseconds{200}) == milliseconds{0});
  request_rate any{0};
  for (int count = 0; count < 1'000; ++count)
    CHECK(any.take("a", now) == milliseconds{0});
}

TEST_CASE("addresses beyond the bound share one rate, the others keep theirs") {
  request_rate rate{1};
  const request_rate::time now{};
  for (std::size_t count = 0; count < request_rate::callers_max; ++count)
    REQUIRE(rate.take(std::to_string(count), now) == milliseconds{0});
  CHECK(rate.take("x", now) == milliseconds{0});
  CHECK(rate.take("y", now) == milliseconds{0});
  CHECK(rate.take("z", now) > milliseconds{0});
  CHECK(rate.take("1", now) == milliseconds{0});
  // Whoever has been silent long enough is forgotten.
  CHECK(rate.take("z", now + milliseconds{1'000}) == milliseconds{0});
}

TEST_CASE("an IPv6 address counts as its network") {
  CHECK(counted_address("192.0.2.1") == "192.0.2.1");
  CHECK(counted_address("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::");
  CHECK(counted_address("2001:db8:1:2::7") == "2001:db8:1:2::");
  CHECK(counted_address("2001:db8::a:b:c:d") == "2001:db8::");
  CHECK(counted_address("2001:db8::b:b:c:d") == "2001:db8::");
  CHECK(counted_address("::1") == "::");
  CHECK(counted_address("::ffff:192.0.2.1") == "::ffff:192.0.2.1");
}
