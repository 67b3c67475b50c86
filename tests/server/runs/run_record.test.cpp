#include <catch2/catch.hpp>
#include <convene/server/runs/run_record.hpp>

using namespace convene::server;

namespace {

std::vector<event_text> some_events(std::size_t first, std::size_t count) {
  std::vector<event_text> made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back(
      std::make_shared<const std::string>(std::to_string(first + i)));
  return made;
}

std::string shown_from(const run_record& from, std::size_t first) {
  std::string all;
  for (const auto& each : from.read(first, 1'000).events)
    all += *each + ' ';
  return all;
}

} // namespace

TEST_CASE("a record shows what is durable, and no more") {
  run_record record;
  record.add(some_events(0, 3));
  CHECK(shown_from(record, 0).empty());
  record.show(2, false);
  CHECK(shown_from(record, 0) == "0 1 ");
  CHECK(shown_from(record, 1) == "1 ");
  CHECK_FALSE(record.read(0, 10).is_end);
  record.show(3, true);
  CHECK(shown_from(record, 2) == "2 ");
  CHECK(record.read(0, 10).is_end);
  CHECK(record.read(0, 10).is_complete);
  CHECK_FALSE(record.read(0, 2).is_end);
  CHECK(record.read(7, 10).is_end);
}

TEST_CASE("an earlier group that is told of later shows nothing less") {
  run_record record;
  record.add(some_events(0, 2));
  record.show(2, false);
  record.show(1, false);
  CHECK(record.shown() == 2);
}

TEST_CASE("who waits for an event of a run is called once it is durable") {
  run_record record;
  int called = 0;
  const auto call = [&called] { ++called; };
  CHECK(record.when_more(0, call) != 0);
  record.add(some_events(0, 1));
  CHECK(called == 0);
  record.show(1, false);
  CHECK(called == 1);
  CHECK(record.when_more(0, call) == 0); // it is there already
  CHECK(called == 2);
  record.when_more(1, call);
  record.show(1, false); // nothing new
  CHECK(called == 2);
  record.add(some_events(1, 1));
  record.show(2, false);
  CHECK(called == 3);
}

TEST_CASE("who waits for an event behind a run's end is called at the end") {
  run_record record;
  int called = 0;
  record.when_more(5, [&called] { ++called; });
  record.add(some_events(0, 1));
  record.show(1, true);
  CHECK(called == 1);
}

TEST_CASE("who no longer waits for a run is not called") {
  run_record record;
  int called = 0;
  record.forget(record.when_more(0, [&called] { ++called; }));
  record.add(some_events(0, 1));
  record.show(1, true);
  CHECK(called == 0);
}

TEST_CASE("who would no longer be there is forgotten as others come") {
  run_record record;
  const auto gone = std::make_shared<int>(0);
  const auto there = std::make_shared<int>(0);
  const auto past = run_record::clock::now() - std::chrono::seconds{1};
  record.when_more(0, [there] {});
  for (int i = 0; i < 1'000; ++i)
    record.when_more(
      0, [gone] {}, past);
  CHECK(gone.use_count() < 20);
  CHECK(there.use_count() == 2);
}

TEST_CASE("readers of a run whose log failed are sent off") {
  run_record record;
  record.add(some_events(0, 1));
  int called = 0;
  record.when_more(0, [&called] { ++called; });
  record.give_up();
  CHECK(called == 1);
  CHECK(shown_from(record, 0).empty());
  CHECK(record.read(0, 10).is_end);
  CHECK_FALSE(record.read(0, 10).is_complete);
}
