#include <catch2/catch.hpp>
#include <convene/session/orchestration/handoff_queue.hpp>

using namespace convene::session;

TEST_CASE(
  "a turn that waits leaves once, in order, when its receiver is free") {
  handoff_queue queue;
  CHECK(queue.empty());
  queue.add({.participant = 1, .task = "first"});
  queue.add({.participant = 2, .task = "other"});
  queue.add({.participant = 1, .task = "second"});
  const auto is = [](participant_index who) {
    return [who](participant_index i) { return i == who; };
  };
  CHECK(queue.first(is(3)) == nullptr);
  CHECK(queue.take(queue.first(is(1))).task == "first");
  CHECK(queue.take(queue.first(is(1))).task == "second");
  CHECK(queue.first(is(1)) == nullptr);
  CHECK(queue.size() == 1);
  CHECK(queue.take_all().front().task == "other");
  CHECK(queue.empty());
}

TEST_CASE("only so many turns wait") {
  handoff_queue queue;
  for (std::size_t n = 0; n < handoffs_waiting_max; ++n) {
    CHECK_FALSE(queue.is_full());
    queue.add({.participant = 1});
  }
  CHECK(queue.is_full());
  CHECK(queue.all().size() == handoffs_waiting_max);
}
