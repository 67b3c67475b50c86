#include <catch2/catch.hpp>
#include <convene/runtime/log/event_bus/event_bus.hpp>

#include <atomic>
#include <future>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <vector>

using namespace convene;
using host::event_bus;

namespace {

std::string event(int n, const std::string& family = "intent",
                  const std::string& type = "t") {
  return R"({"event_id":")" + std::to_string(n) + R"(","event_type":")" + type
         + R"(","event_family":")" + family + "\"}\n";
}

/// A bus behind a log of which nothing is kept until somebody says so.
struct fixture {
  event_bus bus;
  event_bus::place end = 0;

  subscription subscribe(subscription_options how = {}) {
    auto made = bus.subscribe(std::move(how), [this] { return end; });
    REQUIRE(made);
    return *made;
  }

  void append(const std::string& lines) {
    const auto begin = end;
    end += lines.size();
    if (bus.is_active())
      bus.appended(lines, begin, end);
  }
};

/// All that has come: an event's number, or `missed N`.
std::vector<std::string> taken(const subscription& from) {
  std::vector<std::string> all;
  while (const auto next = from.next_for(std::chrono::milliseconds{0}))
    if (const auto* one = std::get_if<event_delivered>(&*next))
      all.push_back(std::to_string(one->number) + ' '
                    + one->line->substr(13, 1));
    else
      all.push_back("missed "
                    + std::to_string(std::get<events_missed>(*next).count));
  return all;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("an event is delivered once it is kept, and not before") {
  fixture at;
  const auto first = at.subscribe();
  at.append(event(1) + event(2));
  const auto half = at.end;
  at.append(event(3));
  CHECK(taken(first).empty());
  at.bus.kept(half);
  CHECK(taken(first) == texts{"1 1", "2 2"});
  at.bus.kept(at.end);
  CHECK(taken(first) == texts{"3 3"});
}

TEST_CASE("refused lines are not delivered and not counted, however late they "
          "are appended") {
  fixture at;
  const auto first = at.subscribe();
  at.append(event(1));
  const auto begin = at.end;
  at.append(event(2));
  const auto middle = at.end;
  const auto late = event(3);
  at.end += late.size();
  at.bus.refused(begin, at.end);
  at.bus.kept(at.end);
  CHECK(taken(first) == texts{"1 1"});
  at.bus.appended(late, middle, at.end);
  at.append(event(4));
  at.bus.kept(at.end);
  CHECK(taken(first) == texts{"2 4"});
}

TEST_CASE(
  "a filter by types selects the same lines, however they are written") {
  fixture at;
  const auto by_type = at.subscribe({.filter = {.types = {"t", "u"}}});
  const auto both = at.subscribe(
    {.filter = {.types = {"t"}, .families = {"pipeline_stage"}}});
  at.append(event(1, "pipeline_stage") + event(2, "pipeline_stage", "other")
            + event(3));
  at.append(
    R"({"event_id":"4","event_\u0074ype":"t","event_family":"pipeline_stage"})"
    "\n"
    R"({"event_id":"5","payload":{"event_type":"t"}})"
    "\n"
    R"({"event_id":"6","payload":{},"event_type":"u"})"
    "\n"
    R"({"event_id":"7","event_type":"\u0074"})"
    "\n"
    R"({"event_id":"8","note":"\"event_type\":\"t\"","event_type":"x"})"
    "\n");
  at.bus.kept(at.end);
  CHECK(taken(by_type) == texts{"1 1", "3 3", "4 4", "6 6", "7 7"});
  CHECK(taken(both) == texts{"1 1", "4 4"});
}

TEST_CASE("subscribers get the log's order, in whatever order it is told") {
  const auto seed = std::random_device{}();
  INFO("seed " << seed);
  std::mt19937 random{seed};
  event_bus bus;
  const auto one = bus.subscribe({}, [] { return event_bus::place{0}; });
  const auto other = bus.subscribe({}, [] { return event_bus::place{0}; });
  REQUIRE((one && other));
  std::vector<std::pair<event_bus::place, std::string>> pieces;
  event_bus::place end = 0;
  for (int i = 0; i < 9; ++i) {
    pieces.emplace_back(end, event(i));
    end += pieces.back().second.size();
  }
  std::shuffle(pieces.begin(), pieces.end(), random);
  bus.kept(end);
  texts expected;
  for (const auto& [begin, text] : pieces)
    bus.appended(text, begin, begin + text.size());
  for (int i = 0; i < 9; ++i)
    expected.push_back(std::to_string(i + 1) + ' ' + std::to_string(i));
  CHECK(taken(*one) == expected);
  CHECK(taken(*other) == expected);
}

TEST_CASE(
  "who subscribes later gets what is logged later, by the same numbers") {
  fixture at;
  at.append(event(1));
  const auto first = at.subscribe();
  at.append(event(2));
  const auto second = at.subscribe();
  at.append(event(3));
  at.bus.kept(at.end);
  CHECK(taken(first) == texts{"1 2", "2 3"});
  CHECK(taken(second) == texts{"2 3"});
}

TEST_CASE("a filter selects events by family and type, and numbers stay") {
  fixture at;
  const auto plans = at.subscribe({.filter = {.families = {"pipeline_stage"}}});
  const auto typed = at.subscribe({.filter = {.types = {"b"}}});
  at.append(event(1, "intent", "a") + event(2, "pipeline_stage", "b")
            + event(3, "pipeline_stage", "c"));
  at.bus.kept(at.end);
  CHECK(taken(plans) == texts{"2 2", "3 3"});
  CHECK(taken(typed) == texts{"2 2"});
}

TEST_CASE("a bus whose last subscription has gone is idle again") {
  fixture at;
  {
    const auto first = at.subscribe();
    at.append(event(1));
    at.bus.kept(at.end);
    CHECK(at.bus.is_active());
  }
  at.append(event(2));
  CHECK_FALSE(at.bus.is_active());
  const auto second = at.subscribe();
  at.append(event(3));
  at.bus.kept(at.end);
  CHECK(taken(second) == texts{"2 3"});
}

TEST_CASE("who waits for the longest time gets what comes") {
  using std::chrono::milliseconds;
  fixture at;
  const auto one = at.subscribe();
  std::promise<void> about_to_wait;
  auto got = std::async(std::launch::async, [&] {
    about_to_wait.set_value();
    return one.next_for(milliseconds::max());
  });
  about_to_wait.get_future().wait();
  std::this_thread::sleep_for(milliseconds{20}); // so that it waits, mostly
  at.append(event(1));
  at.bus.kept(at.end);
  CHECK(got.get());
  CHECK_FALSE(one.next_for(milliseconds::min()));
}

TEST_CASE("a filter with a family that no event has is refused") {
  fixture at;
  const auto refused = at.bus.subscribe({.filter = {.families = {"pipelines"}}},
                                        [] { return event_bus::place{0}; });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "event_family");
}

TEST_CASE("who falls behind is told how many events are missing, and where") {
  fixture at;
  const auto slow = at.subscribe({.events_max = 2});
  const auto fast = at.subscribe();
  at.append(event(1) + event(2) + event(3) + event(4));
  at.bus.kept(at.end);
  CHECK(taken(slow) == texts{"1 1", "2 2", "missed 2"});
  at.append(event(5));
  at.bus.kept(at.end);
  CHECK(taken(slow) == texts{"5 5"});
  at.append(event(6) + event(7) + event(8));
  at.bus.kept(at.end);
  REQUIRE(slow.next());
  at.append(event(9));
  at.bus.kept(at.end);
  CHECK(taken(slow) == texts{"7 7", "missed 1", "9 9"});
  CHECK(taken(fast).size() == 9);
}

TEST_CASE("what was missed comes before what follows it") {
  fixture at;
  const auto slow = at.subscribe({.events_max = 2});
  at.append(event(1) + event(2) + event(3));
  at.bus.kept(at.end);
  REQUIRE(slow.next());
  REQUIRE(slow.next());
  at.append(event(4));
  at.bus.kept(at.end);
  CHECK(taken(slow) == texts{"missed 1", "4 4"});
}

TEST_CASE("a queue is bounded by its bytes, too") {
  fixture at;
  const auto slow = at.subscribe({.bytes_max = event(1).size() + 1});
  at.append(event(1) + event(2));
  at.bus.kept(at.end);
  CHECK(taken(slow) == texts{"1 1", "missed 1"});
}

TEST_CASE("by its policy, who falls behind is detached after what it has") {
  fixture at;
  const auto slow
    = at.subscribe({.events_max = 1, .behind = when_behind::detach});
  at.append(event(1) + event(2) + event(3));
  at.bus.kept(at.end);
  CHECK_FALSE(slow.ended());
  CHECK(taken(slow) == texts{"1 1"});
  CHECK(slow.ended() == subscription_end::detached);
  CHECK_FALSE(at.bus.is_active());
}

TEST_CASE("what was never acknowledged is not delivered when the log fails") {
  fixture at;
  const auto one = at.subscribe();
  at.append(event(1));
  at.bus.kept(at.end);
  at.append(event(2));
  at.bus.end(subscription_end::log_failed);
  CHECK(taken(one) == texts{"1 1"});
  CHECK(one.ended() == subscription_end::log_failed);
  CHECK(at.subscribe().ended() == subscription_end::log_failed);
}

TEST_CASE("a subscription that is cancelled or forgotten gets nothing more") {
  fixture at;
  const auto one = at.subscribe();
  { const auto forgotten = at.subscribe(); }
  at.append(event(1));
  at.bus.kept(at.end);
  one.cancel();
  CHECK(taken(one).empty());
  CHECK(one.ended() == subscription_end::cancelled);
  const auto again = at.subscribe();
  at.append(event(2));
  at.bus.kept(at.end);
  CHECK(taken(again) == texts{"2 2"});
}

TEST_CASE("subscriptions are bounded, and one that is gone makes room") {
  fixture at;
  std::vector<subscription> all;
  for (std::size_t i = 0; i < host::subscriptions_max; ++i)
    all.push_back(at.subscribe());
  const auto refused = at.bus.subscribe({}, [] { return event_bus::place{0}; });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().rule == "subscriptions_max");
  all.pop_back();
  static_cast<void>(at.subscribe());
}

TEST_CASE("a listener gets everything on a thread of its own, then its end") {
  fixture at;
  std::vector<std::uint64_t> numbers;
  std::thread::id where;
  event_listener listener{at.subscribe(), [&](const delivery& what) {
                            where = std::this_thread::get_id();
                            numbers.push_back(
                              std::get<event_delivered>(what).number);
                          }};
  at.append(event(1) + event(2));
  at.bus.kept(at.end);
  at.bus.end(subscription_end::runtime_closed);
  listener.join();
  CHECK(numbers == std::vector<std::uint64_t>{1, 2});
  CHECK(where != std::this_thread::get_id());
}

TEST_CASE("a listener that throws is not called again") {
  fixture at;
  const auto to = at.subscribe();
  std::atomic<int> calls = 0;
  event_listener listener{to, [&](const delivery&) {
                            ++calls;
                            throw 1;
                          }};
  at.append(event(1) + event(2));
  at.bus.kept(at.end);
  listener.join();
  CHECK(calls == 1);
  CHECK(to.ended() == subscription_end::cancelled);
}

TEST_CASE("many threads append, and all subscribers see one sequence") {
  event_bus bus;
  std::atomic<event_bus::place> end = 0;
  const auto subscribe = [&] {
    auto made = bus.subscribe({}, [&] { return end.load(); });
    REQUIRE(made);
    return *made;
  };
  const auto one = subscribe();
  const auto other = subscribe();
  const auto line = event(7);
  std::vector<std::thread> writers;
  constexpr int threads = 4;
  constexpr int each = 200;
  for (int t = 0; t < threads; ++t)
    writers.emplace_back([&] {
      for (int i = 0; i < each; ++i) {
        const auto mine = end += line.size();
        bus.appended(line, mine - line.size(), mine);
        bus.kept(mine);
      }
    });
  for (auto& writer : writers)
    writer.join();
  const auto first = taken(one);
  CHECK(first.size() == threads * each);
  CHECK(first == taken(other));
}
