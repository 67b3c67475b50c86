#include <catch2/catch.hpp>
#include <convene/integrations/event_stream/stream_book.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

using namespace convene::host;
using namespace std::chrono_literals;

namespace {

using time_point = stream_book::time_point;

constexpr spool_limits small{.events_max = 8,
                             .bytes_max = 1'000,
                             .settle_time = 100s};
const time_point start = time_point{} + 1h;

stream_facts run_of(std::string server, std::string stream = "s") {
  return {.server = std::move(server), .stream = std::move(stream)};
}

stream_message message(const std::string& id, std::uint64_t place,
                       std::size_t bytes = 10) {
  return {.session_id = id, .place = place, .body = std::string(bytes, 'x')};
}

/// Sends what the book offers; returns "id:place" of each.
std::vector<std::string> send_all(stream_book& book, time_point now) {
  std::vector<std::string> sent;
  for (;;) {
    const auto ranges = book.next(100, now);
    if (ranges.empty())
      return sent;
    for (const auto& each : ranges)
      for (auto place = each.first; place <= each.last; ++place) {
        book.sent(message(each.session_id, place), now);
        sent.push_back(each.session_id + ':' + std::to_string(place));
      }
    book.give_back(ranges);
  }
}

void answer(stream_book& book, const std::string& id, std::uint64_t first,
            std::uint64_t last, time_point now) {
  for (auto place = first; place <= last; ++place)
    book.take({.session_id = id, .place = place}, now);
}

stream_cursor fresh(std::string id, std::uint64_t length) {
  return {.session_id = std::move(id), .length = length};
}

/// As when it was saved.
stream_cursor saved_row(stream_book& book, const std::string& id) {
  const auto rows = book.changed();
  const auto at = std::ranges::find(rows, id, &stream_cursor::session_id);
  REQUIRE(at != rows.end());
  book.saved(rows);
  return *at;
}

using sent_list = std::vector<std::string>;

} // namespace

TEST_CASE("events are sent in order, once, and no more than fit") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.load(fresh("a", 6), start);
  book.load(fresh("b", 6), start);
  const auto sent = send_all(book, start);
  CHECK(sent
        == sent_list{"a:1", "a:2", "a:3", "a:4", "a:5", "a:6", "b:1", "b:2"});
  CHECK(!book.has_room());
  CHECK(book.next(100, start).empty());
  CHECK(book.counts(start).waits > 0);
  answer(book, "a", 1, 3, start);
  CHECK(send_all(book, start) == sent_list{"b:3", "b:4", "b:5"});
  answer(book, "a", 4, 6, start);
  answer(book, "b", 1, 5, start);
  CHECK(send_all(book, start) == sent_list{"b:6"});
  CHECK(book.is_behind());
  answer(book, "b", 6, 6, start);
  CHECK(!book.is_behind());
  CHECK(book.counts(start).acked == 12);
  CHECK(book.counts(start).resent == 0);
}

TEST_CASE("the bytes of what is not answered are bounded, too") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.load(fresh("a", 5), start);
  const auto ranges = book.next(100, start);
  REQUIRE(ranges == std::vector<stream_range>{{"a", 1, 5}});
  book.sent(message("a", 1, 2'000), start);
  CHECK(!book.has_room());
  book.give_back(ranges);
  CHECK(book.next(100, start).empty());
  answer(book, "a", 1, 1, start);
  CHECK(book.next(100, start) == std::vector<stream_range>{{"a", 2, 5}});
}

TEST_CASE("after a cut, what was not acknowledged is sent again") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.load(fresh("a", 6), start);
  send_all(book, start);
  answer(book, "a", 1, 2, start);
  answer(book, "a", 4, 4, start);
  book.begin(run_of("one"));
  CHECK(send_all(book, start) == sent_list{"a:3", "a:4", "a:5", "a:6"});
  CHECK(book.counts(start).resent == 4);
}

TEST_CASE("after a loss of the server, what had not settled is sent again") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.load(fresh("a", 4), start);
  send_all(book, start);
  answer(book, "a", 1, 4, start);
  book.learn("a", 6, start + 60s);
  send_all(book, start + 60s);
  answer(book, "a", 5, 6, start + 60s);
  book.settle(start + 101s);
  CHECK(saved_row(book, "a").settled == 4);
  book.begin(run_of("two"));
  CHECK(send_all(book, start + 102s) == sent_list{"a:5", "a:6"});
  answer(book, "a", 5, 6, start + 102s);
  book.settle(start + 201s);
  CHECK(saved_row(book, "a").settled == 4);
  book.settle(start + 203s);
  CHECK(saved_row(book, "a").settled == 6);
  CHECK(book.sessions() == 0);
}

TEST_CASE("nothing settles before the last acknowledgement of its part has") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.load(fresh("a", 0), start);
  for (std::uint64_t place = 1; place <= 60; ++place) {
    const auto now = start + place * 1s;
    book.learn("a", place, now);
    send_all(book, now);
    answer(book, "a", place, place, now);
  }
  for (auto later = 1s; later < 200s; later += 1s) {
    book.settle(start + later);
    const auto rows = book.changed();
    if (rows.empty())
      break;
    INFO(later.count());
    CHECK(static_cast<std::int64_t>(rows[0].settled)
          <= std::max<std::int64_t>(0, (later - 100s).count()));
    if (rows[0].settled == 60)
      break;
  }
  book.settle(start + 160s);
  CHECK(saved_row(book, "a").settled == 60);
}

TEST_CASE("the next publisher continues at the cursor") {
  const stream_cursor row{
    .session_id = "a", .acked = 5, .settled = 2, .server = "one", .length = 7};
  stream_book same{small};
  same.begin(run_of("one"));
  same.load(row, start);
  CHECK(send_all(same, start) == sent_list{"a:6", "a:7"});
  stream_book other{small};
  other.begin(run_of("two"));
  other.load(row, start);
  CHECK(send_all(other, start) == sent_list{"a:3", "a:4", "a:5", "a:6", "a:7"});
  CHECK(other.counts(start).resent == 3);
  // What the first one acknowledged settles as if it were new.
  answer(same, "a", 6, 7, start);
  same.begin(run_of("two"));
  CHECK(send_all(same, start).size() == 5);
}

TEST_CASE("what the stream refuses waits and is sent again") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.load(fresh("a", 3), start);
  send_all(book, start);
  answer(book, "a", 1, 1, start);
  for (auto place = 2U; place <= 3; ++place)
    book.take({.session_id = "a", .place = place, .refused = "full"}, start);
  CHECK(book.counts(start).refused >= 1);
  CHECK(book.next(100, start + 499ms).empty());
  CHECK(send_all(book, start + 500ms) == sent_list{"a:2", "a:3"});
  book.take({.session_id = "a", .place = 2, .refused = "full"}, start + 500ms);
  CHECK(book.next(100, start + 1'499ms).empty());
  CHECK(send_all(book, start + 1'500ms) == sent_list{"a:2", "a:3"});
}

TEST_CASE("answers to what was never sent, or twice, change nothing") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.load(fresh("a", 3), start);
  send_all(book, start);
  for (const auto place : {0U, 4U, 1'000U})
    book.take({.session_id = "a", .place = place}, start);
  book.take({.session_id = "b", .place = 1}, start);
  CHECK(book.counts(start).acked == 0);
  answer(book, "a", 2, 2, start);
  answer(book, "a", 2, 2, start);
  CHECK(book.counts(start).acked == 1);
  answer(book, "a", 1, 3, start);
  CHECK(book.counts(start).acked == 3);
  CHECK(!book.is_behind());
}

TEST_CASE("another stream is given everything") {
  stream_book book{small};
  book.begin(run_of("one", "s@1"));
  book.load(fresh("a", 3), start);
  send_all(book, start);
  book.begin(run_of("one", "s@2"));
  CHECK(book.next(10, start).empty());
  CHECK(book.unloaded(10) == sent_list{"a"});
  book.load(fresh("a", 3), start);
  CHECK(send_all(book, start) == sent_list{"a:1", "a:2", "a:3"});
}

TEST_CASE("an ended session is done once its last event has settled") {
  stream_book book{small};
  book.begin(run_of("one"));
  book.learn("a", 2, start);
  CHECK(book.unloaded(10) == sent_list{"a"});
  CHECK(book.next(10, start).empty());
  book.load(fresh("a", 2), start);
  CHECK(book.unloaded(10).empty());
  auto last = message("a", 2);
  last.is_last = true;
  static_cast<void>(book.next(10, start));
  book.sent(message("a", 1), start);
  book.sent(last, start);
  answer(book, "a", 1, 2, start);
  auto row = saved_row(book, "a");
  CHECK(row.has_ended);
  CHECK(row.settled == 0);
  book.settle(start + 100s);
  row = saved_row(book, "a");
  CHECK(row.settled == 2);
  CHECK(row.length == 2);
  CHECK(book.sessions() == 0);
}
