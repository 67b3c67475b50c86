#include "run_fixture.hpp"

#include <convene/cli/commands/view/log_view.hpp>
#include <convene/protocol/json/json_text.hpp>

#include <cstddef>
#include <filesystem>

using namespace convene::tests;
using Catch::Contains;
using convene::cli::log_view;

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
  const auto page = std::move(view).page({evil}, {evil});
  REQUIRE(page);
  std::string html;
  REQUIRE(page->read([&html](std::string_view piece) { html += piece; }));
  CHECK(html.size() == page->bytes());
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

TEST_CASE("two runs are compared, and the first event that differs is told") {
  const run_fixture one{answers};
  REQUIRE(one.run_with({"--seed", "1"}).code == 0);
  const run_fixture again{answers};
  REQUIRE(again.run_with({"--seed", "2"}).code == 0);
  const auto page = (one.folder / "page.html").string();
  const auto alike = run({"view", one.out, "--with", again.out, "--out", page});
  CHECK(alike.code == 0);
  CHECK_THAT(alike.out,
             Contains("2 sessions\n"
                      "The runs are alike, except for times and ids"));
  // Both folders have one name, so the page has their paths.
  CHECK_THAT(read_bytes(page),
             Contains("<title>convene: " + one.out + " and " + again.out));

  auto fewer = answers;
  fewer.replace(fewer.find("\"rounds\": 3"), 11, "\"rounds\": 2");
  const run_fixture other{fewer};
  REQUIRE(other.run_with({"--seed", "1"}).code == 0);
  const auto log = read_bytes(one.out + "/events.jsonl");
  const std::string turn = R"("event_type":"MAPTurnDispatched")";
  auto third = log.find(turn, log.find(turn, log.find(turn) + 1) + 1);
  REQUIRE(third != log.npos);
  std::size_t number = 0;
  for (auto at = log.find(R"("event_type":)"); at <= third;
       at = log.find(R"("event_type":)", at + 1))
    ++number;
  const auto told
    = run({"view", one.out, "--with", other.out, "--out", page + "2"});
  CHECK_THAT(told.out, Contains("The first difference: event "
                                + std::to_string(number) + " of session ")
                         && Contains("; the sessions were set up differently"));
  const auto as_json = run(
    {"view", one.out, "--with", other.out, "--out", page + "3", "--json"});
  const auto document = convene::protocol::parse_json(as_json.out);
  REQUIRE(document);
  const auto& pair = document->at("compared").at(0);
  CHECK(pair.at("alike") == false);
  CHECK(pair.at("set_up_alike") == false);
  CHECK(pair.at("differs_at").to_number<std::size_t>() == number);
}

TEST_CASE("of two runs each is named by what is wrong with it") {
  const run_fixture one{answers};
  REQUIRE(one.run_with({"--seed", "1"}).code == 0);
  const auto page = (one.folder / "page.html").string();
  const auto log = one.out + "/events.jsonl";
  const auto damaged = (one.folder / "damaged.jsonl").string();
  auto bytes = read_bytes(log);
  bytes.replace(bytes.rfind("\"status\""), 8, "\"statuz\"");
  write_bytes(damaged, bytes);
  const auto told = run({"view", log, "--with", damaged, "--out", page});
  CHECK(told.code == 1);
  CHECK_THAT(told.err, Contains(damaged + ": What follows in the log"));
  const auto none = (one.folder / "none").string();
  const auto refused = run({"view", log, "--with", none, "--out", page + "2"});
  CHECK(refused.code == 2);
  CHECK_THAT(refused.err, Contains(none));
  CHECK_FALSE(std::filesystem::exists(page + "2"));
}
