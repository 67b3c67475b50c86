#include <catch2/catch.hpp>
#include <convene/lab/mock_endpoint/paced_answer.hpp>

using namespace convene::server;
using namespace convene::host::mock;
using namespace std::chrono_literals;

namespace {

answer twenty_tokens() {
  return {.text = std::string(80, 'x'), .tokens = 20};
}

stream_source::part read(stream_source& from, std::size_t most = 1 << 20) {
  return from.read(most, [] {});
}

} // namespace

TEST_CASE("the n-th token is due by the first one's time and the rate") {
  answer what{.first_token_ms = 100, .tokens_per_second = 50};
  CHECK(due_after(what, 0) == 100ms);
  CHECK(due_after(what, 5) == 200ms);
  what.tokens_per_second = 0;
  CHECK(due_after(what, 5) == 100ms);
}

TEST_CASE("without a pace all of an answer comes at once, in parts") {
  const auto begun = paced_answer::clock::now();
  paced_answer whole{{.model = "m"}, twenty_tokens(), begun, nullptr};
  const auto part = read(whole);
  CHECK(part.is_last);
  CHECK(part.bytes.ends_with("data: [DONE]\n\n"));
  paced_answer slow{{.model = "m"}, twenty_tokens(), begun, nullptr};
  CHECK_FALSE(read(slow, 100).is_last);
}

TEST_CASE("what is not due is waited for") {
  auto what = twenty_tokens();
  what.first_token_ms = 3'600'000;
  what.tokens_per_second = 1;
  const auto now = paced_answer::clock::now();
  paced_answer early{{.model = "m"}, what, now, nullptr};
  const auto nothing = read(early);
  CHECK(nothing.bytes.empty());
  CHECK_FALSE(nothing.is_last);
  CHECK(nothing.again_after > 30min);
  CHECK(nothing.again_after <= 1h);
  // Four seconds late: five tokens are due, and the sixth is waited for. On a
  // machine that took until then to read them, once more.
  stream_source::part some;
  stream_source::part more;
  for (auto late_at = now;
       some.bytes.empty() || paced_answer::clock::now() - late_at >= 500ms;) {
    late_at = paced_answer::clock::now();
    paced_answer late{{.model = "m"}, what, late_at - 1h - 4500ms, nullptr};
    some = read(late);
    more = read(late);
  }
  CHECK_FALSE(some.is_last);
  std::size_t tokens = 0;
  for (auto at = some.bytes.find("xxxx"); at != some.bytes.npos;
       at = some.bytes.find("xxxx", at + 1))
    ++tokens;
  CHECK(tokens == 5);
  CHECK(more.again_after.count() > 0);
}

TEST_CASE("an answer that is to be cut ends before its bytes are over") {
  auto what = twenty_tokens();
  what.fails = failure{.how = failure::kind::cut, .cut_after_bytes = 700};
  paced_answer cut{{.model = "m"}, what, paced_answer::clock::now(), nullptr};
  const auto part = read(cut);
  CHECK(part.bytes.size() <= 700);
  CHECK_FALSE(part.bytes.empty());
  CHECK_FALSE(part.is_last);
  CHECK(read(cut).is_cut);
  cut_body body{"0123456789", 4};
  CHECK(read(body).bytes == "0123");
  CHECK(read(body).is_cut);
}
