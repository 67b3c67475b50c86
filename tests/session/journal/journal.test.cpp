#include <catch2/catch.hpp>
#include <convene/session/journal/journal.hpp>
#include <support/events.hpp>

#include <set>

using namespace convene;
using namespace convene::session;
using namespace convene::test;

namespace {

/// Lets pass what does not say "bad".
class no_bad_words final : public protocol::event_gate {
public:
  bool passes(const protocol::event_head&,
              const protocol::map_session_started&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::map_turn_dispatched&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::map_turn_completed&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::map_broadcast_sent&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::map_broadcast_received&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::stage_changed&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::plan_created&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::step_added&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::decision_input&) const override {
    return false;
  }
  bool passes(const protocol::event_head&,
              const protocol::resource_written&) const override {
    return false;
  }
  std::string refusal(std::string_view line) const override {
    return line.find("bad") == std::string_view::npos ? "" : "a bad word";
  }
};

const protocol::uuid key{7, 11};
const std::string session_id = "00000000-0000-4000-8000-000000000002";

} // namespace

TEST_CASE("a journal's ids depend on its key and on what it said before") {
  effects one;
  effects two;
  journal first{key, session_id, nullptr};
  journal second{key, session_id, nullptr};
  first.open(one, 5);
  second.open(two, 5);
  for (auto* log : {&first, &second}) {
    log->log_input({.input = "suspend", .reason = "why"});
    log->log_input({.input = "resume"});
  }
  CHECK(one.events.view() == two.events.view());
  CHECK(first.next_id() == second.next_id());
  journal other{{7, 12}, session_id, nullptr};
  CHECK(other.token_of(1) != first.token_of(1));
}

TEST_CASE("events, tokens and other ids never meet") {
  effects out;
  journal log{key, session_id, nullptr};
  log.open(out, 5);
  std::set<std::string> ids;
  for (std::uint32_t n = 0; n < 50; ++n) {
    ids.insert(to_string(log.next_id()));
    ids.insert(to_string(log.token_of(n)));
    log.log_input({.input = "suspend"});
  }
  for (const auto& line : split_lines(out.events.view()))
    ids.insert(
      std::string{protocol::text_of(parse_event(line).whole, "event_id")});
  CHECK(ids.size() == 150);
}

TEST_CASE("a journal's time never goes back and is never too large") {
  effects out;
  journal log{key, session_id, nullptr};
  log.open(out, 5000);
  log.open(out, 4000);
  CHECK(log.now() == 5000);
  log.open(out, protocol::timestamp_max + 1);
  CHECK(log.now() == protocol::timestamp_max);
}

TEST_CASE("a simple input names the participant and the reason it has") {
  effects out;
  journal log{key, session_id, nullptr};
  CHECK(log.is_blank());
  log.open(out, 5);
  log.log_input(
    {.input = "participant_down", .who = {"a", "role-a"}, .reason = "gone"});
  log.log_input({.input = "resume"});
  CHECK_FALSE(log.is_blank());
  const auto lines = split_lines(out.events.view());
  REQUIRE(lines.size() == 2);
  const auto down = parse_event(lines[0]);
  CHECK(down.type == "session_input");
  CHECK(down.at("participant_id") == "a");
  CHECK(down.at("reason") == "gone");
  const auto resumed = parse_event(lines[1]).payload;
  CHECK_FALSE(resumed.contains("participant_id"));
  CHECK_FALSE(resumed.contains("reason"));
}

TEST_CASE("an event that the gate refuses is thrown, and later left out") {
  const no_bad_words gate;
  effects out;
  journal log{key, session_id, &gate};
  log.open(out, 5);
  log.log_input({.input = "suspend", .reason = "good"});
  const auto here = log.here();
  try {
    log.log_input({.input = "suspend", .reason = "bad"});
    FAIL("it passed");
  } catch (const refused_event& refused) {
    CHECK(refused.why == "a bad word");
  }
  log.rewind(here);
  CHECK(split_lines(out.events.view()).size() == 1);
  CHECK(out.event_count == 1);
  log.omit_refused();
  log.log_input({.input = "suspend", .reason = "bad"});
  log.log_input({.input = "suspend", .reason = "fine"});
  CHECK(split_lines(out.events.view()).size() == 2);
  CHECK(out.event_count == 2);
  log.drop_events(here);
  CHECK(split_lines(out.events.view()).size() == 1);
  CHECK(out.event_count == 1);
}

TEST_CASE("what is taken back has never been said") {
  effects out;
  effects same;
  journal log{key, session_id, nullptr};
  journal other{key, session_id, nullptr};
  log.open(out, 5);
  other.open(same, 5);
  log.log_input({.input = "suspend", .reason = "kept"});
  other.log_input({.input = "suspend", .reason = "kept"});
  const auto here = log.here();
  const auto token = log.next_id();
  ++log.counts().turns;
  log.deliver(0).token = token;
  log.notify(0, token, "closed", "why");
  log.log_input({.input = "suspend", .reason = "gone"});
  log.finish({});
  CHECK(log.delivered_since(here, token));
  CHECK_FALSE(log.delivered_since(log.here(), token));
  log.rewind(here);
  CHECK(out.deliveries.empty());
  CHECK(out.notices.empty());
  CHECK_FALSE(out.finished);
  CHECK(log.counts().turns == 0);
  log.log_input({.input = "resume"});
  other.log_input({.input = "resume"});
  CHECK(out.events.view() == same.events.view());
  CHECK(log.next_id() == other.next_id());
}

TEST_CASE("what somebody used counts for them and for the session") {
  effects out;
  journal log{key, session_id, nullptr};
  log.open(out, 5);
  log.count_usage(1, {1, 2, 3});
  log.count_usage(0, {});
  log.open(out, 6);
  log.count_usage(1, {10, 0, 0});
  log.count_usage(2, {0, 0, 7});
  CHECK(log.counts().usage == protocol::usage{11, 2, 10});
  CHECK(log.used_by() == usage_by_participant{{1, {11, 2, 3}}, {2, {0, 0, 7}}});
}

TEST_CASE("what was used since a mark is taken back with the rest") {
  effects out;
  journal log{key, session_id, nullptr};
  log.open(out, 5);
  log.count_usage(1, {1, 2, 3});
  const auto here = log.here();
  log.count_usage(1, {10, 0, 0});
  log.count_usage(1, {10, 0, 0});
  log.count_usage(2, {0, 0, 7});
  log.rewind(here);
  CHECK(log.counts().usage == protocol::usage{1, 2, 3});
  CHECK(log.used_by() == usage_by_participant{{1, {1, 2, 3}}});
}
