#include <catch2/catch.hpp>
#include <convene/server/runs/alarms.hpp>

#include <future>
#include <optional>
#include <string>
#include <utility>

using convene::server::alarms;
using namespace std::chrono_literals;

namespace {

/// Keeps the thread of alarms from calling others as long as it lives.
class held_back {
public:
  explicit held_back(alarms& which) {
    which.at(alarms::clock::now() - 1h,
             [may_go = go_.get_future().share()] { may_go.wait(); });
  }
  held_back(const held_back&) = delete;
  held_back& operator=(const held_back&) = delete;
  ~held_back() {
    go_.set_value();
  }

private:
  std::promise<void> go_;
};

} // namespace

TEST_CASE("alarms are called in the order of their times") {
  alarms timer;
  std::string order;
  std::promise<void> done;
  std::optional<held_back> until_all_are_set{std::in_place, timer};
  const auto now = alarms::clock::now();
  timer.at(now + 30ms, [&] {
    order += 'c';
    done.set_value();
  });
  timer.at(now + 10ms, [&order] { order += 'a'; });
  timer.at(now + 20ms, [&order] { order += 'b'; });
  until_all_are_set.reset();
  done.get_future().wait();
  CHECK(order == "abc");
}

TEST_CASE(
  "what is due in centuries is due in the future, and long ago is now") {
  using std::chrono::hours;
  using std::chrono::milliseconds;
  constexpr hours century{24 * 36'525};
  const auto before = alarms::clock::now();
  for (const milliseconds time :
       {milliseconds{3 * century}, milliseconds{80 * century},
        milliseconds::max()}) {
    CHECK(alarms::in(time) > before + hours{24});
    const auto past = alarms::in(-time);
    CHECK(past >= before);
    CHECK(past <= alarms::clock::now());
  }
}

TEST_CASE("an alarm that was cancelled is not called") {
  alarms timer;
  bool called = false;
  std::promise<void> done;
  std::optional<held_back> until_it_is_cancelled{std::in_place, timer};
  const auto now = alarms::clock::now();
  const auto first = timer.at(now + 10ms, [&called] { called = true; });
  timer.at(now + 20ms, [&done] { done.set_value(); });
  timer.cancel(first);
  until_it_is_cancelled.reset();
  done.get_future().wait();
  CHECK_FALSE(called);
}

TEST_CASE("an alarm may set others, and the end drops those that are not due") {
  bool called = false;
  {
    alarms timer;
    std::promise<void> done;
    timer.at(alarms::clock::now(), [&] {
      timer.at(alarms::clock::now(), [&done] { done.set_value(); });
    });
    done.get_future().wait();
    timer.at(alarms::clock::now() + 1h, [&called] { called = true; });
  }
  CHECK_FALSE(called);
}
