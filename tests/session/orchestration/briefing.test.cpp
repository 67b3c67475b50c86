#include <catch2/catch.hpp>
#include <convene/session/orchestration/briefing.hpp>

using namespace convene::session;

namespace {

void close(briefing& of, participant_index who) {
  of.note_closed(who, "completed", "said " + std::to_string(who), "");
}

std::vector<participant_index> told(const decision_view& what) {
  std::vector<participant_index> all;
  for (const auto& each : what.also_closed)
    all.push_back(each.participant);
  all.push_back(what.last_participant);
  return all;
}

using indexes = std::vector<participant_index>;

} // namespace

TEST_CASE("each turn that closed is told to the next decision") {
  briefing news;
  CHECK_FALSE(news.has_news());
  close(news, 1);
  close(news, 2);
  CHECK(news.has_news());
  CHECK(told(news.tell()) == indexes{1, 2});
  CHECK_FALSE(news.has_news());
  news.note_decided();
  close(news, 3);
  CHECK(told(news.tell()) == indexes{3});
}

TEST_CASE("what was told is told again until there is a decision") {
  briefing news;
  close(news, 1);
  close(news, 2);
  static_cast<void>(news.tell());
  close(news, 3);
  CHECK(news.note_failed("nonsense"));
  const auto again = news.tell();
  CHECK(told(again) == indexes{1, 3});
  CHECK(again.refused == "nonsense");
  news.tell_again();
  CHECK(told(news.tell()) == indexes{1, 3});
  news.note_decided();
  CHECK(news.tell().refused.empty());
}

TEST_CASE("of very many turns the latest are told") {
  briefing news;
  const auto most = decision_view::also_closed_max;
  for (participant_index i = 0; i < most + 10; ++i)
    close(news, i);
  const auto view = news.tell();
  CHECK(view.also_closed.size() == most);
  CHECK(view.last_participant == most + 9);
  for (participant_index i = 0; i < 5; ++i)
    close(news, i);
  news.tell_again();
  CHECK(news.tell().also_closed.size() == most);
}

TEST_CASE("so many decisions may fail in a row, and a good one starts anew") {
  briefing news;
  CHECK(news.note_failed("one"));
  CHECK(news.note_failed("two"));
  news.note_decided();
  CHECK(news.note_failed("one"));
  CHECK(news.note_failed("two"));
  CHECK_FALSE(news.note_failed("three"));
}
