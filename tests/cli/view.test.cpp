#include "run_fixture.hpp"

#include <convene/cli/pages/log_view.hpp>
#include <convene/protocol/json/json_text.hpp>

using namespace convene::tests;
using Catch::Contains;
using convene::cli::log_view;
using convene::cli::to_html;

namespace {

/// Adds an event of a session; the rule of the bound that it met, if any.
std::string add(log_view& to, const std::string& session) {
  const auto text = R"({"session_id": ")" + session + "\"}";
  const auto event = convene::protocol::parse_json(text);
  REQUIRE(event);
  const auto added = to.add(event->as_object(), text);
  return added ? "" : added.error().rule;
}

} // namespace

TEST_CASE("what is too much for a page is refused by the name of the bound") {
  log_view events{{.events_max = 2}};
  CHECK(add(events, "a").empty());
  CHECK(add(events, "a").empty());
  CHECK(add(events, "a") == "view_events_max");
  log_view sessions{{.sessions_max = 1}};
  CHECK(add(sessions, "a").empty());
  CHECK(add(sessions, "b") == "view_sessions_max");
  CHECK(add(sessions, "a").empty());
  // One who is named twice has one bar.
  const std::string asked
    = R"({"session_id": "a", "event_type": "MAPBroadcastSent", "payload": )"
      R"({"broadcast_id": "b", "target_participants": ["x", "x", "y"]}})";
  log_view bars{{.bars_max = 2}};
  const auto event = convene::protocol::parse_json(asked);
  CHECK(bars.add(event->as_object(), asked));
  const auto other = convene::protocol::parse_json(
    R"({"session_id": "a", "event_type": "MAPTurnDispatched"})");
  const auto refused = bars.add(other->as_object(), "{}");
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "view_bars_max");
  log_view bytes{{.bytes_max = 100}};
  // A block is counted when it is full.
  CHECK(add(bytes, "a").empty());
  CHECK(add(bytes, std::string(600'000, 'x')).empty());
  CHECK(add(bytes, "a") == "view_bytes_max");
}

TEST_CASE("a page has no text of its log as markup") {
  const std::string evil = "</script><script>alert(1)</script></title>";
  log_view view;
  CHECK(add(view, evil).empty());
  const auto html = to_html(std::move(view).page(evil, {evil}));
  CHECK_FALSE(Contains("<script>alert").match(html));
  CHECK_THAT(html, Contains("<title>convene: &lt;/script>&lt;script>"));
}

TEST_CASE("a log of any state is made a page, and what is wrong with it said") {
  const run_fixture at{answers};
  REQUIRE(at.run_with({"--seed", "1"}).code == 0);
  const auto page = (at.folder / "page.html").string();
  const auto made = run({"view", at.out, "--out", page, "--json"});
  CHECK(made.code == 0);
  CHECK_THAT(made.out, Contains("\"sessions\": 1"));
  CHECK_THAT(read_bytes(page), Contains("Content-Security-Policy"));
  const auto again = run({"view", at.out, "--out", page});
  CHECK(again.code == 2);
  CHECK_THAT(again.err, Contains("is there already"));
  const auto log = at.out + "/events.jsonl";
  auto damaged = read_bytes(log);
  damaged.replace(damaged.rfind("\"status\""), 8, "\"statuz\"");
  write_bytes(log, damaged);
  const auto told = run({"view", log, "--out", page + "2"});
  CHECK(told.code == 1);
  CHECK_THAT(told.err, Contains("damaged"));
  CHECK(run({"view", page, "--out", page + "3"}).code == 2);
}
