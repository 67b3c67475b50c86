#include <catch2/catch.hpp>
#include <convene/protocol/text/text_rules.hpp>

using namespace convene::protocol;

// The two lists follow what ajv-formats 2.1.1 accepts and refuses.
TEST_CASE("a date-time may lack its zone and spell it in several ways") {
  for (const auto* text :
       {"2026-01-31T00:00:00Z", "2026-01-31T00:00:00.000Z",
        "2026-01-31T00:00:00+08:00", "2026-01-31T00:00:00-0800",
        "2026-01-31T00:00:00+08", "2026-01-31t00:00:00z",
        "2026-01-31 00:00:00Z", "2016-12-31T23:59:60Z", "2026-01-31T00:00:00",
        "2024-02-29T00:00:00.123456789", "0000-01-01T00:00:00Z"}) {
    CAPTURE(text);
    CHECK(is_date_time(text));
  }
}

TEST_CASE("what no calendar or clock has is no date-time") {
  for (const auto* text : {"",
                           "2026-01-31",
                           "2026-01-31T24:00:00Z",
                           "2026-02-29T00:00:00Z",
                           "2026-01-31T00:00Z",
                           "2026-13-01T00:00:00Z",
                           "2026-00-01T00:00:00Z",
                           "2026-01-00T00:00:00Z",
                           "2026-01-31T00:60:00Z",
                           "2026-01-31T00:00:60Z",
                           "2026-01-31T23:59:61Z",
                           "2026-01-31T00:00:00.Z",
                           "2026-01-31T00:00:00+8",
                           "2026-01-31T00:00:00+08:0",
                           "2026-01-31T00:00:00+08-00",
                           "2026-01-31T00:00:00ZZ",
                           "2026-01-31x00:00:00Z",
                           "2026-01-31T00:00:0aZ",
                           " 2026-01-31T00:00:00Z",
                           "26-01-31T00:00:00Z",
                           "2026-01-31T00:00:00 Z"}) {
    CAPTURE(text);
    CHECK_FALSE(is_date_time(text));
  }
}

TEST_CASE("an event type is dotted lower-case words") {
  for (const auto* text : {"a", "plan", "plan.created", "a1.b2.c"})
    CHECK(is_event_type(text));
  for (const auto* text :
       {"", ".", "a.", ".a", "a..b", "1a", "a.1b", "Plan", "a.B", "a_b", "a-b",
        "MAPTurnDispatched", "plan.status_changed", "a b", "\xc3\xa9"}) {
    CAPTURE(text);
    CHECK_FALSE(is_event_type(text));
  }
}

TEST_CASE("a semantic version may have marks behind three numbers") {
  for (const auto* text :
       {"0.0.0", "1.20.300", "1.0.0-a", "1.0.0-0.a.-.0a", "1.0.0+01.b",
        "1.0.0-x-y.1+z", "123456789012345678901.0.0", "1.0.0-00a"})
    CHECK(is_semantic_version(text));
  for (const auto* text :
       {"", "1", "1.0", "01.0.0", "1.0.00", "1.0.0-", "1.0.0+", "1.0.0-01",
        "1.0.0-a..b", "1.0.0+a..b", "1.0.0+a+b", "1.0.0-a_b", "v1.0.0",
        "1.0.0 ", "1.0.0.0", "-1.0.0", "+1.0.0"}) {
    CAPTURE(text);
    CHECK_FALSE(is_semantic_version(text));
  }
}

TEST_CASE("a version is three numbers") {
  for (const auto* text : {"1.0.0", "01.002.3", "123456789012345678901.0.0"})
    CHECK(is_version(text));
  for (const auto* text : {"", "1", "1.0", "1.0.0.0", "1..0", "1.0.", ".0.0",
                           "1.0.0-rc1", "v1.0.0", "1.0.x", "1.0.0\n"}) {
    CAPTURE(text);
    CHECK_FALSE(is_version(text));
  }
}

TEST_CASE("the protocol has eleven duties") {
  CHECK(is_cross_cutting("error-handling"));
  CHECK(is_cross_cutting("transaction"));
  CHECK_FALSE(is_cross_cutting("error_handling"));
  CHECK_FALSE(is_cross_cutting(""));
}
