#include <catch2/catch.hpp>
#include <convene/lab/mock_endpoint/caller_rates.hpp>

#include <algorithm>
#include <string>

using namespace convene::server;
using convene::host::mock::rate_limits;
using convene::host::mock::wire_form;
using namespace std::chrono_literals;

namespace {

const auto start = caller_rates::time{} + 1h;
constexpr rate_limits two_requests{.requests_per_minute = 2};

std::string header(const caller_rates::verdict& of, std::string_view name) {
  const auto found = std::ranges::find(
    of.told, name, &caller_rates::headers::value_type::first);
  return found == of.told.end() ? "missing" : found->second;
}

} // namespace

TEST_CASE("each caller and each model has a rate of its own") {
  caller_rates rates;
  const auto take = [&](std::string_view model, std::string_view caller) {
    return rates
      .take(two_requests, wire_form::openai, model, caller, 1, start, 0)
      .is_taken;
  };
  CHECK(take("m", "ann"));
  CHECK(take("m", "ann"));
  CHECK_FALSE(take("m", "ann"));
  CHECK(take("m", "bob"));
  CHECK(take("n", "ann"));
}

TEST_CASE("who comes too often is told in the provider's headers when to come "
          "again") {
  caller_rates rates;
  const auto take = [&](wire_form form) {
    return rates.take(two_requests, form, "m", "ann", 1, start, 0);
  };
  const auto first = take(wire_form::openai);
  CHECK(header(first, "x-ratelimit-limit-requests") == "2");
  CHECK(header(first, "x-ratelimit-remaining-requests") == "1");
  CHECK(header(first, "x-ratelimit-reset-requests") == "30s");
  CHECK(header(first, "retry-after") == "missing");
  CHECK(take(wire_form::openai).is_taken);
  const auto openai = take(wire_form::openai);
  CHECK(openai.exceeded == "requests");
  CHECK(header(openai, "retry-after") == "30");
  CHECK(header(openai, "retry-after-ms") == "30000");
  CHECK(header(openai, "x-ratelimit-reset-requests") == "1m0s");
  const auto anthropic = take(wire_form::anthropic);
  CHECK(header(anthropic, "anthropic-ratelimit-requests-remaining") == "0");
  CHECK(header(anthropic, "anthropic-ratelimit-requests-reset")
        == "1970-01-01T00:01:00.000Z");
  CHECK(header(anthropic, "retry-after") == "30");
}

TEST_CASE("tokens of prompts and answers count, and no prompt is too large for "
          "a full bucket") {
  caller_rates rates;
  constexpr rate_limits tokens{.tokens_per_minute = 600};
  const auto take = [&](std::int64_t count, caller_rates::time now) {
    return rates.take(tokens, wire_form::openai, "m", "ann", count, now, 0);
  };
  CHECK(take(100, start).is_taken);
  rates.spend(tokens, "m", "ann", 500);
  const auto refused = take(10, start);
  CHECK(refused.exceeded == "tokens");
  CHECK(refused.wait == 1s);
  CHECK(take(5'000, start + 60s).is_taken);
  CHECK_FALSE(take(1, start + 60s).is_taken);
}

TEST_CASE("without limits nothing is counted and nothing told") {
  caller_rates rates;
  const auto got = rates.take({}, wire_form::openai, "m", "ann", 1, start, 0);
  CHECK(got.is_taken);
  CHECK(got.told.empty());
}

TEST_CASE("callers beyond the bound share one account for each model of the "
          "profile, whatever names they ask for") {
  caller_rates rates;
  constexpr static rate_limits other{.requests_per_minute = 1};
  const auto take = [&rates](const rate_limits& of, std::size_t number) {
    const auto name = std::to_string(number);
    return rates.take(of, wire_form::openai, "m" + name, name, 1, start, 0)
      .is_taken;
  };
  for (std::size_t i = 0; i < caller_rates::callers_max; ++i)
    REQUIRE(take(two_requests, i));
  CHECK(take(two_requests, caller_rates::callers_max));
  CHECK(take(two_requests, caller_rates::callers_max + 1));
  CHECK_FALSE(take(two_requests, caller_rates::callers_max + 2));
  CHECK(take(two_requests, 0));
  CHECK(take(other, caller_rates::callers_max + 3));
}
