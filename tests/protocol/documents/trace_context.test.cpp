#include <catch2/catch.hpp>
#include <convene/protocol/documents/trace_context.hpp>
#include <convene/protocol/documents/trace_ids.hpp>

using namespace convene::protocol;

namespace {

const std::string session_id = "650e8400-e29b-41d4-a716-446655443002";
const std::string trace_hex = "4bf92f3577b34da6a3ce929d0e0e4736";
const std::string usual = "00-" + trace_hex + "-00f067aa0ba902b7-01";

constexpr traced_attempt first_call{.participant = "ann",
                                    .token = "t1",
                                    .position = "1.0"};

/// `count` members, each with a key of its own.
std::string members(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i)
    text += (i == 0 ? "k" : ",k") + std::to_string(i) + "=v";
  return text;
}

} // namespace

TEST_CASE("a traceparent is read, and written as it was") {
  const auto read = parse_traceparent(usual);
  REQUIRE(read);
  CHECK(read->trace
        == uuid{.high = 0x4bf92f3577b34da6, .low = 0xa3ce929d0e0e4736});
  CHECK(read->span == 0x00f067aa0ba902b7);
  CHECK(read->flags == 1);
  CHECK(to_traceparent(*read) == usual);
}

TEST_CASE("a traceparent of a later version counts as far as it is known") {
  const auto same = parse_traceparent(usual);
  const auto later = "cc-" + usual.substr(3);
  CHECK(parse_traceparent(later) == same);
  CHECK(parse_traceparent(later + "-what-the-future-holds") == same);
  CHECK_FALSE(parse_traceparent(later + ".what"));
  CHECK_FALSE(
    parse_traceparent(later + '-' + std::string(traceparent_bytes_max, 'a')));
  CHECK(parse_traceparent(usual.substr(0, 53) + "ff")->flags == 3);
}

TEST_CASE("what is no traceparent is not read") {
  const auto wrong
    = GENERATE_COPY(std::string{}, std::string{"00-"}, usual + "-", usual + "0",
                    usual.substr(0, 54), "ff-" + usual.substr(3),
                    "0x-" + usual.substr(3),
                    "00-" + std::string(32, '0') + "-00f067aa0ba902b7-01",
                    "00-" + trace_hex + '-' + std::string(16, '0') + "-01",
                    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
                    "00_" + trace_hex + "-00f067aa0ba902b7-01",
                    "00-" + trace_hex + "_00f067aa0ba902b7-01",
                    "00-" + trace_hex + "-00f067aa0ba902b7_01",
                    "00-" + trace_hex + "-00f067aa0ba902b7-0g", " " + usual);
  INFO(wrong);
  CHECK_FALSE(parse_traceparent(wrong));
  const auto refused = check_trace_context({.traceparent = wrong}, "/at");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().pointer == "/at/traceparent");
  CHECK(refused.error().rule == "traceparent");
}

TEST_CASE("a tracestate is a list of members whose keys are their own") {
  for (const auto& good :
       {std::string{}, std::string{"a=b"}, std::string{"a=b , c=d,,e=f"},
        std::string{"fw529a3039@dt=FfIzLHVTLC,a/b_c-d*e=1 2"},
        members(tracestate_members_max)}) {
    INFO(good);
    CHECK(is_tracestate(good));
  }
  for (const auto& wrong :
       {std::string{"a"}, std::string{"=b"}, std::string{"a="},
        std::string{"A=b"}, std::string{"a=b=c"}, std::string{"a=b,a=c"},
        std::string{"a@b@c=d"}, std::string{"a=b\x7f"},
        members(tracestate_members_max + 1), "a=" + std::string(257, 'v'),
        std::string(tracestate_bytes_max + 1, ' ')}) {
    INFO(wrong);
    CHECK_FALSE(is_tracestate(wrong));
    const auto refused
      = check_trace_context({.traceparent = usual, .tracestate = wrong}, "");
    REQUIRE_FALSE(refused);
    CHECK(refused.error().rule == "tracestate");
  }
}

TEST_CASE("an attempt hands on its span in the caller's trace") {
  const trace_context caller{.traceparent = usual, .tracestate = "a=b,c=d"};
  const auto made = trace_context_of(session_id, caller, first_call);
  const auto read = parse_traceparent(made.traceparent);
  REQUIRE(read);
  CHECK(read->trace == parse_traceparent(usual)->trace);
  CHECK(read->span == action_span(session_id, first_call));
  CHECK(read->flags == 1);
  const auto own = to_string(trace_ids{session_id}.trace());
  CHECK(made.tracestate == "mplp=" + own + ",a=b,c=d");
  CHECK(is_tracestate(made.tracestate));
}

TEST_CASE("without a caller it is the session's own trace, and sampled") {
  const auto made = trace_context_of(session_id, std::nullopt, first_call);
  const auto read = parse_traceparent(made.traceparent);
  REQUIRE(read);
  CHECK(read->trace == trace_ids{session_id}.trace());
  CHECK(read->flags == 1);
}

TEST_CASE("each attempt has a span of its own, and the same each time") {
  const auto id = action_span(session_id, first_call);
  CHECK(id != 0);
  CHECK(id == action_span(session_id, first_call));
  auto other = first_call;
  other.number = 2;
  CHECK(id != action_span(session_id, other));
  other = first_call;
  other.participant = "bob";
  CHECK(id != action_span(session_id, other));
  other = first_call;
  other.token = "t2";
  CHECK(id != action_span(session_id, other));
  other = first_call;
  other.position = "1.1";
  CHECK(id != action_span(session_id, other));
  CHECK(id != action_span("another", first_call));
}

TEST_CASE("what is handed on keeps to the bounds of a tracestate") {
  const trace_context caller{
    .traceparent = usual,
    .tracestate = "mplp=of-the-caller," + members(tracestate_members_max - 1)};
  REQUIRE(is_tracestate(caller.tracestate));
  const auto made = trace_context_of(session_id, caller, first_call);
  CHECK(is_tracestate(made.tracestate));
  CHECK(made.tracestate.find("of-the-caller") == std::string::npos);
  CHECK_THAT(made.tracestate, Catch::EndsWith(",k30=v"));
  const trace_context full{.traceparent = usual,
                           .tracestate = members(tracestate_members_max)};
  CHECK(
    is_tracestate(trace_context_of(session_id, full, first_call).tracestate));
}
