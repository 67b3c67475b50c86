#include <boost/json/serialize.hpp>
#include <catch2/catch.hpp>
#include <convene/lab/mock_model/answer_source.hpp>
#include <convene/lab/mock_model/tokens.hpp>

#include <algorithm>
#include <map>
#include <string>

using namespace convene::host::mock;

namespace {

prompt asks(const std::string& what) {
  return {.model = "m", .said = what, .content = what};
}

answer_source source(const std::string& text, std::size_t counted_max = 1'000) {
  return answer_source{*parse_profile(text, "p.json"), counted_max};
}

answer next(answer_source& from, const prompt& asked,
            const std::string& key = {}) {
  return from.next(asked, key, *from.how().find("m")).value();
}

std::string words(const answer& what) {
  auto out = what.id + what.text + std::to_string(what.first_token_ms)
             + (what.fails ? std::to_string(what.fails->status) : "");
  for (const auto& one : what.tools)
    out += one.name + boost::json::serialize(one.arguments);
  return out;
}

/// What each of some requests gets, each of them made three times.
std::map<std::string, std::string> answers_to(std::vector<int> order) {
  auto from = source(R"({"seed": 5, "tool_calls": 0.4,
    "first_token_ms": {"uniform": {"min": 0, "max": 999}},
    "size_tokens": {"uniform": {"min": 1, "max": 40}},
    "errors": [{"rate": 0.2, "status": 529}]})");
  std::map<std::string, std::string> out;
  std::map<int, int> times;
  for (const auto one : order) {
    auto asked = asks("request " + std::to_string(one));
    asked.tools = {{"f", {}}, {"g", {}}};
    out[std::to_string(one) + '.' + std::to_string(times[one]++)]
      = words(next(from, asked));
  }
  return out;
}

} // namespace

TEST_CASE("requests get the same answers in whatever order they arrive") {
  std::vector<int> order;
  for (int one = 0; one < 40; ++one)
    order.insert(order.end(), 3, one);
  const auto first = answers_to(order);
  std::ranges::reverse(order);
  CHECK(answers_to(order) == first);
  std::ranges::sort(order, {}, [](int one) { return one % 7; });
  CHECK(answers_to(order) == first);
  CHECK(first.at("3.0") != first.at("3.1"));
  CHECK(first.at("3.0") != first.at("4.0"));
}

TEST_CASE("another seed gives other answers") {
  auto one = source(R"({"seed": 1})");
  auto other = source(R"({"seed": 2})");
  CHECK(next(one, asks("a")).text != next(other, asks("a")).text);
}

TEST_CASE("a drawn answer has the size of the profile, and no more than the "
          "caller wants") {
  auto from = source(R"({"size_tokens": 30})");
  const auto whole = next(from, asks("a"));
  CHECK(whole.tokens == 30);
  CHECK(count_tokens(whole.text) == 30);
  CHECK(whole.ends == finish::stop);
  auto short_one = asks("b");
  short_one.tokens_max = 8;
  const auto cut = next(from, short_one);
  CHECK(cut.tokens == 8);
  CHECK(cut.ends == finish::length);
}

TEST_CASE("the rates of errors and of calls are those of the profile") {
  auto from = source(R"({"tool_calls": 0.25, "errors": [
    {"rate": 0.1, "status": 500}, {"rate": 0.05, "hang": true}]})");
  int failed = 0;
  int hung = 0;
  int called = 0;
  auto asked = asks("again");
  asked.tools = {{"f", {}}};
  for (int count = 0; count < 4'000; ++count) {
    const auto got = next(from, asked);
    failed += got.fails && got.fails->how == failure::kind::status ? 1 : 0;
    hung += got.fails && got.fails->how == failure::kind::hang ? 1 : 0;
    called += got.tools.empty() ? 0 : 1;
  }
  CHECK(failed == Approx(400).margin(100));
  CHECK(hung == Approx(200).margin(75));
  CHECK(called == Approx(1'000).margin(150));
}

TEST_CASE("a script is told in order, and its last answer repeats") {
  auto from = source(R"({"models": {"m": {"answers": [
    {"text": "one"}, {"when": "blue", "text": "blue"}, {"text": "two"}]}}})");
  CHECK(next(from, asks("a")).text == "one");
  CHECK(next(from, asks("b")).text == "two");
  CHECK(next(from, asks("is it blue?")).text == "blue");
  CHECK(next(from, asks("c")).text == "two");
}

TEST_CASE("a script may always give the first answer that fits") {
  auto from = source(R"({"models": {"m": {"order": "first", "answers": [
    {"when": "blue", "text": "blue"}, {"text": "any"}, {"text": "never"}]}}})");
  for (int count = 0; count < 3; ++count) {
    CHECK(next(from, asks("red")).text == "any");
    CHECK(next(from, asks("blue")).text == "blue");
  }
}

TEST_CASE("a script by request begins anew for each request") {
  auto from = source(R"({"models": {"m": {"order": "by_request", "answers": [
    {"status": 429}, {"text": "now"}]}}})");
  CHECK(next(from, asks("a")).fails->status == 429);
  CHECK(next(from, asks("b")).fails->status == 429);
  CHECK(next(from, asks("a")).text == "now");
  CHECK(next(from, asks("b")).text == "now");
}

TEST_CASE("answers that are drawn come by their weights") {
  auto from = source(R"({"models": {"m": {"order": "seeded", "answers": [
    {"text": "often", "weight": 9}, {"text": "seldom"}]}}})");
  int seldom = 0;
  for (int count = 0; count < 2'000; ++count)
    seldom += next(from, asks("a")).text == "seldom" ? 1 : 0;
  CHECK(seldom == Approx(200).margin(70));
}

TEST_CASE("a prompt that no answer fits is told so") {
  auto from = source(
    R"({"models": {"m": {"answers": [{"when": "red", "text": "r"}]}}})");
  CHECK(next(from, asks("blue")).fails->status == 500);
}

TEST_CASE("the call's idempotency key is put where a script wants it") {
  auto from = source(R"({"models": {"m": {"answers": [
    {"text": "${idempotency_key}!", "tools": [{"name": "f",
     "arguments": {"key": "${idempotency_key}.1"}}]}]}}})");
  const auto got = next(from, asks("a"), "k:1");
  CHECK(got.text == "k:1!");
  CHECK(got.tools.at(0).arguments.at("key") == "k:1.1");
  CHECK(got.ends == finish::tools);
}

TEST_CASE("different requests are counted up to a bound") {
  auto from = source("{}", 2);
  const auto& any = *from.how().find("m");
  CHECK(from.next(asks("a"), {}, any));
  CHECK(from.next(asks("b"), {}, any));
  CHECK_FALSE(from.next(asks("c"), {}, any));
  CHECK(from.next(asks("a"), {}, any));
  auto same = source(R"({"repeats": "same"})", 1);
  const auto first = next(same, asks("a")).text;
  CHECK(next(same, asks("b")).text != first);
  CHECK(next(same, asks("a")).text == first);
}
