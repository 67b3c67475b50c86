#include "world.hpp"

#include <caf/typed_event_based_actor.hpp>
#include <catch2/catch.hpp>

using namespace convene;
using namespace convene::actors;
using convene::tests::world;

namespace {

/// Someone to wake, who notes when that happened.
struct sleeper {
  explicit sleeper(world& where) : all(where) {
    actor = where.system.spawn([this](session_actor::pointer) {
      return session_actor::behavior_type{
        [](const reply_msg&) {},
        [](const write_msg&) {},
        [](const action_begin_msg&) {},
        [](const action_end_msg&) {},
        [](const control&) {},
        [](const comeback&) {},
        [this](time_passed) { woken.push_back(all.clock.now() - start); },
        [](const events_durable&) {}};
    });
  }
  ~sleeper() {
    caf::anon_send_exit(actor, caf::exit_reason::kill);
    all.run();
  }

  void arm(std::int64_t after) {
    caf::anon_send(all.timekeeper, arm_atom::value, actor, start + after);
    all.run();
  }

  world& all;
  const protocol::timestamp_ms start = all.clock.now();
  session_actor actor;
  std::vector<std::int64_t> woken;
};

using times = std::vector<std::int64_t>;

std::size_t timers_of(const world& all) {
  return all.scheduler.clock().schedule().size();
}

} // namespace

TEST_CASE("a sleeper is woken once, when it is due") {
  world all;
  sleeper ann{all};
  ann.arm(100);
  all.pass(99);
  CHECK(ann.woken.empty());
  all.pass(200);
  CHECK(ann.woken == times{100});
}

TEST_CASE("a sleeper can ask to be woken earlier, or later") {
  world all;
  sleeper ann{all};
  ann.arm(100);
  SECTION("earlier") {
    ann.arm(40);
    all.pass(300);
    CHECK(ann.woken == times{40});
  }
  SECTION("later") {
    ann.arm(200);
    all.pass(300);
    CHECK(ann.woken == times{200});
  }
}

TEST_CASE("a deadline that has passed already wakes at once") {
  world all;
  all.pass(10);
  sleeper ann{all};
  ann.arm(-5);
  all.pass(1);
  CHECK(ann.woken == times{1});
}

TEST_CASE("who disarms sleeps on") {
  world all;
  sleeper ann{all};
  sleeper bob{all};
  ann.arm(100);
  bob.arm(100);
  caf::anon_send(all.timekeeper, disarm_atom::value, ann.actor);
  all.pass(300);
  CHECK(ann.woken.empty());
  CHECK(bob.woken == times{100});
}

TEST_CASE("everybody is woken at their own time") {
  world all;
  sleeper ann{all};
  sleeper bob{all};
  sleeper cy{all};
  ann.arm(30);
  bob.arm(10);
  cy.arm(20);
  all.pass(5);
  cy.arm(15);
  all.pass(300);
  CHECK(ann.woken == times{30});
  CHECK(bob.woken == times{10});
  CHECK(cy.woken == times{15});
}

TEST_CASE("without anybody to wake there are no timers") {
  world all;
  CHECK(timers_of(all) == 0);
  sleeper ann{all};
  ann.arm(10);
  CHECK(timers_of(all) == 1);
  all.pass(10);
  CHECK(ann.woken == times{10});
  CHECK(timers_of(all) == 0);
}

TEST_CASE("timers do not add up") {
  world all;
  sleeper ann{all};
  sleeper bob{all};
  ann.arm(10'000);
  for (std::int64_t next = 500; next > 0; next -= 50)
    bob.arm(next); // each earlier than the one before
  all.pass(500);
  bob.arm(600);
  all.pass(500);
  CHECK(bob.woken == times{50, 600});
  CHECK(timers_of(all) == 1);
}
