#include <catch2/catch.hpp>
#include <convene/lab/mock_model/profile.hpp>

using namespace convene::host::mock;
using Catch::Contains;

namespace {

profile read(std::string_view text) {
  auto out = parse_profile(text, "p.json");
  if (!out)
    FAIL(to_string(out.error()));
  return *std::move(out);
}

std::string refusal(std::string_view text) {
  const auto out = parse_profile(text, "p.json");
  REQUIRE_FALSE(out);
  return to_string(out.error());
}

} // namespace

TEST_CASE("without models, any name is one of the profile's speed and size") {
  const auto made = read(R"({"seed": 3, "first_token_ms": 20,
                             "tokens_per_second": {"uniform": {"min": 40, "max": 80}},
                             "size_tokens": 7})");
  CHECK(made.seed == 3);
  CHECK(made.repeats_differ);
  const auto* any = made.find("whatever");
  REQUIRE(any != nullptr);
  CHECK(any->speed.first_token_ms.at(0.5) == 20);
  CHECK(any->speed.tokens_per_second.at(0.5) == 60);
  CHECK(any->size_tokens.at(0.1) == 7);
}

TEST_CASE("a model's own members replace what holds for all") {
  const auto made = read(R"({
    "first_token_ms": 100, "limits": {"requests_per_minute": 60},
    "models": {"quick": {"first_token_ms": 5}, "usual": {},
               "open": {"limits": {}}}})");
  CHECK(made.find("quick")->speed.first_token_ms.at(0.5) == 5);
  CHECK(made.find("quick")->limits.requests_per_minute == 60);
  CHECK(made.find("usual")->speed.first_token_ms.at(0.5) == 100);
  CHECK(made.find("open")->limits.requests_per_minute == 0);
  CHECK(made.find("another") == nullptr);
}

TEST_CASE("scripts have texts, calls, errors, cuts and a pace of their own") {
  const auto made
    = read(R"({"models": {"*": {"order": "by_request", "answers": [
      {"when": "red", "text": "It is.", "finish": "length"},
      {"tools": [{"name": "f", "arguments": {"a": 1}}], "tokens_per_second": 9},
      {"status": 429, "message": "slow down", "retry_after_s": 2},
      {"text": "half", "cut_after_bytes": 40}, {"hang": true}]}}})");
  const auto* any = made.find("m");
  REQUIRE(any != nullptr);
  CHECK(any->order == answer_order::by_request);
  const auto& all = any->answers;
  REQUIRE(all.size() == 5);
  CHECK(all[0].when == "red");
  CHECK(all[0].ends == finish::length);
  CHECK_FALSE(all[0].fails);
  CHECK(all[1].tools.at(0).arguments.at("a") == 1);
  CHECK(all[1].speed->tokens_per_second.at(0.5) == 9);
  CHECK(all[2].fails->status == 429);
  CHECK(all[2].fails->retry_after_s == 2);
  CHECK(all[3].fails->how == failure::kind::cut);
  CHECK(all[3].fails->cut_after_bytes == 40);
  CHECK(all[4].fails->how == failure::kind::hang);
}

TEST_CASE("what is wrong with a profile is said with its place") {
  CHECK_THAT(refusal("{\n  \"sede\": 1}"), Contains("p.json:2:"));
  CHECK_THAT(refusal(R"({"sede": 1})"), Contains("sede"));
  CHECK_THAT(refusal("{"), Contains("p.json:1"));
  CHECK_THAT(refusal("[]"), Contains("p.json:1:1"));
  CHECK_THAT(refusal(R"({"models": {}})"), Contains("/models"));
  CHECK_THAT(refusal(R"({"errors": [{"rate": 2, "status": 500}]})"),
             Contains("/errors/0/rate"));
  CHECK_THAT(refusal(R"({"models": {"m": {"answers": [{"txt": "a"}]}}})"),
             Contains("/models/m/answers/0"));
}

TEST_CASE("what no schema can say is refused, too") {
  CHECK_THAT(refusal(R"({"errors": [{"rate": 0.6, "status": 500},
                                    {"rate": 0.6, "hang": true}]})"),
             Contains("/errors") && Contains("at most 1"));
  CHECK_THAT(refusal(R"({"errors": [{"rate": 0.1, "status": 500},
                                    {"rate": 0.5}]})"),
             Contains("/errors/1: name one of status"));
  CHECK_THAT(refusal(R"({"models": {"m": {"answers": [
               {"status": 500, "cut_after_bytes": 1}]}}})"),
             Contains("/models/m/answers/0: only one of status"));
  CHECK_THAT(refusal(R"({"size_tokens": 100001})"),
             Contains("/size_tokens: an answer has at most 100000 tokens"));
  CHECK_THAT(refusal(
               R"({"models": {"m": {"first_token_ms": {"uniform": {"min": 2,
                                                                "max": 1}}}}})"),
             Contains("/models/m/first_token_ms"));
}

TEST_CASE("a profile names dialects and thoughts") {
  const auto got = parse_profile(
    R"({"dialect": "vllm", "models": {"a": {}, "b": {"dialect": "llama.cpp",
        "answers": [{"thoughts": "hm", "text": "x"}]}}})",
    "p.json");
  REQUIRE(got);
  CHECK(got->find("a")->speaks == dialect::vllm);
  CHECK(got->find("b")->speaks == dialect::llama_cpp);
  CHECK(got->find("b")->answers.at(0).thoughts == "hm");
  CHECK_FALSE(parse_profile(R"({"dialect": "robin"})", "p.json"));
}
