#include <catch2/catch.hpp>
#include <convene/server/sessions/closed_questions.hpp>
#include <convene/server/sessions/session_catalog.hpp>

using namespace convene;
using server::session_catalog;

namespace {

const std::string known_id = "0f6b7f5e-5d3b-4c57-9a40-3f2a6a1e7c11";

std::string event(const std::string& type, const std::string& payload = "{}") {
  return R"({"event_id":")" + known_id + R"(","event_type":")" + type
         + R"(","event_family":"f","session_id":")" + known_id
         + R"(","payload":)" + payload + "}";
}

constexpr auto never = session_catalog::clock::time_point::max();

} // namespace

TEST_CASE("who waits for an event is called once, after it was told") {
  session_catalog all;
  int calls = 0;
  const auto wait = [&](std::uint64_t after) {
    return all.when_more(
      known_id, after, [&] { ++calls; }, never);
  };
  CHECK(wait(0) != 0); // also for a session that is not there yet
  all.feed(event("x"));
  CHECK(calls == 0);
  all.tell();
  CHECK(calls == 1);
  CHECK(wait(0) == 0); // it is there
  CHECK(wait(1) != 0);
  const auto forgotten = wait(1);
  all.forget(known_id, forgotten);
  all.forget(known_id, forgotten);
  all.forget("another", 1);
  CHECK(all.waiting() == 1);
  all.feed(event("x"));
  all.tell();
  CHECK(calls == 2);
  CHECK(all.waiting() == 0);
}

TEST_CASE("the end of a session, or of all, calls everybody who waits") {
  session_catalog all;
  int calls = 0;
  const auto wait = [&](std::uint64_t after) {
    return all.when_more(
      known_id, after, [&] { ++calls; }, never);
  };
  CHECK(wait(100) != 0);
  all.feed(event("MAPSessionCompleted", R"({"status":"cancelled"})"));
  all.tell();
  CHECK(calls == 1);
  CHECK(all.find(known_id)->status == "cancelled");
  CHECK(wait(100) == 0);
  CHECK(all.when_more(
          "another", 0, [&] { ++calls; }, never)
        != 0);
  all.close();
  CHECK(calls == 2);
  CHECK(all.is_closed());
  CHECK(all.when_more(
          "another", 0, [&] { ++calls; }, never)
        == 0);
}

TEST_CASE("those whose time is over make room for who waits next") {
  session_catalog all;
  for (int i = 0; i < 1000; ++i)
    CHECK(all.when_more(
            known_id, 0, [] {},
            session_catalog::clock::now() - std::chrono::seconds{1})
          != 0);
  CHECK(all.waiting() == 1);
}

TEST_CASE("a draft that is dropped is gone, and pages go on behind it") {
  session_catalog all;
  for (const auto* id : {"a", "b", "c"})
    REQUIRE(all.add_draft({.session_id = id, .status = "draft"}));
  const auto next = all.list({.limit = 1}).next;
  all.drop_draft("a");
  all.drop_draft("b");
  CHECK_FALSE(all.find("b"));
  REQUIRE(all.list({.after = next, .limit = 9}).rows.size() == 1);
  CHECK(all.list({.after = next, .limit = 9}).rows[0].session_id == "c");
  REQUIRE(all.add_draft({.session_id = "b", .status = "draft"}));
  REQUIRE(all.list({.limit = 1}).rows.size() == 1);
  CHECK(all.list({.after = all.list({.limit = 1}).next, .limit = 1})
          .rows[0]
          .session_id
        == "b");
  // What has an event stays.
  REQUIRE(all.add_draft({.session_id = known_id, .status = "draft"}));
  all.feed(event("x"));
  all.drop_draft(known_id);
  CHECK(all.find(known_id));
  all.tell();
}

TEST_CASE("a session that moved to another node is not open here") {
  session_catalog all;
  all.let_go("another"); // that was never here
  auto start = event("MAPSessionStarted");
  start.insert(1, R"("timestamp":"2026-11-27T10:00:00.000Z",)");
  all.feed(start);
  CHECK(all.open() == 1);
  all.let_go(known_id);
  CHECK(all.open() == 0);
  all.take_back(known_id);
  CHECK(all.open() == 1);
  all.feed(event("MAPSessionCompleted", R"({"status":"completed"})"));
  CHECK(all.open() == 0);
  all.let_go(known_id);
  CHECK(all.open() == 0);
}

TEST_CASE("a title is cut between characters") {
  session_catalog all;
  std::string title = "a";
  while (title.size() < 400)
    title += "\xc3\xa9";
  all.feed(event("MAPSessionStarted",
                 R"({"mode":"pair","title":")" + title + R"("})"));
  const auto row = all.find(known_id);
  REQUIRE(row);
  CHECK(row->title.size() == 199);
  CHECK(row->title == title.substr(0, 199));
  CHECK(row->mode == "pair");
}

TEST_CASE("only so many closed questions are remembered, the latest ones") {
  server::closed_questions all;
  for (std::size_t i = 0; i <= server::closed_questions::kept_max; ++i)
    all.add({std::to_string(i), "ana"}, {.session_id = "s", .how = "x"});
  CHECK(all.all().size() == server::closed_questions::kept_max);
  CHECK_FALSE(all.all().contains({"0", "ana"}));
  CHECK(all.all().contains({"1", "ana"}));
}

TEST_CASE(
  "sessions are open from their start to their end, told once or twice") {
  session_catalog all;
  auto started = event("MAPSessionStarted");
  started.insert(started.size() - 1,
                 R"(,"timestamp":"2026-01-01T00:00:00.000Z")");
  all.feed(event("x"));
  CHECK(all.open() == 0);
  for (int twice = 0; twice < 2; ++twice) {
    all.feed(started);
    CHECK(all.open() == 1);
  }
  for (int twice = 0; twice < 2; ++twice) {
    all.feed(event("MAPSessionCompleted", R"({"status":"completed"})"));
    CHECK(all.open() == 0);
  }
}

namespace {

std::string event_of(const std::string& id, const std::string& type,
                     const std::string& payload) {
  return R"({"event_id":")" + known_id + R"(","event_type":")" + type
         + R"(","event_family":"f","session_id":")" + id
         + R"(","timestamp":"2026-11-21T09:00:00.000Z","payload":)" + payload
         + "}";
}

/// Sessions 0 to 9; odd ones have failed turns, the last one has not ended.
void feed_ten(session_catalog& all) {
  for (int i = 0; i < 10; ++i) {
    const auto id = "session-" + std::to_string(i);
    all.feed(event_of(id, "MAPSessionStarted",
                      R"({"title": "Title )" + std::to_string(i)
                        + R"(", "mode": ")" + (i < 5 ? "pair" : "swarm")
                        + R"("})"));
    if (i % 2 == 1)
      all.feed(event_of(id, "MAPTurnCompleted", R"({"status": "failed"})"));
    if (i < 9)
      all.feed(event_of(id, "MAPSessionCompleted",
                        R"({"status": "completed", "stop_reason":
                            {"condition": "rounds", "observed": 1}})"));
  }
}

std::string titles_of(const session_catalog::page& page) {
  std::string made;
  for (const auto& row : page.rows)
    made += row.title.back();
  return made;
}

} // namespace

TEST_CASE("pages of sessions join, from either end") {
  session_catalog all;
  feed_ten(all);
  for (const bool newest : {false, true}) {
    std::string shown;
    std::size_t next = 0;
    int pages = 0;
    do {
      const auto page
        = all.list({.after = next, .limit = 4, .newest_first = newest});
      shown += titles_of(page);
      next = page.next;
      ++pages;
    } while (next != 0 && pages < 10);
    CHECK(shown == (newest ? "9876543210" : "0123456789"));
    CHECK(pages == 3);
  }
  CHECK(all.list({.limit = 10, .newest_first = true}).next == 0);
}

TEST_CASE("a page has the sessions that its query admits") {
  session_catalog all;
  feed_ten(all);
  CHECK(titles_of(all.list({.mode = "pair"})) == "01234");
  CHECK(titles_of(all.list({.status = "active"})) == "9");
  CHECK(titles_of(all.list({.condition = "rounds", .has_failures = true}))
        == "1357");
  CHECK(titles_of(all.list({.newest_first = true, .has_failures = false}))
        == "86420");
  CHECK(titles_of(all.list({.text = "title 7"})) == "7");
  CHECK(titles_of(all.list({.text = "session-3"})) == "3");
  CHECK(titles_of(all.list({.mode = "swarm", .text = "rounds"})).size() == 4);
  // Pages of a query join, too.
  const auto first
    = all.list({.limit = 2, .newest_first = true, .has_failures = true});
  CHECK(titles_of(first) == "97");
  CHECK(titles_of(all.list({.after = first.next,
                            .limit = 9,
                            .newest_first = true,
                            .has_failures = true}))
        == "531");
}

TEST_CASE("the sums are of all sessions, and of those that a query admits") {
  session_catalog all;
  feed_ten(all);
  const auto sums = all.sums({.mode = "pair"});
  CHECK(sums.matching == 5);
  CHECK(sums.statuses.at("completed") == 9);
  CHECK(sums.statuses.at("active") == 1);
  CHECK(sums.completed_with_failures == 4);
  CHECK(sums.modes.at("swarm") == 5);
  CHECK(sums.conditions.at("rounds") == 9);
  CHECK(all.find("session-1")->last_event_at == "2026-11-21T09:00:00.000Z");
}
