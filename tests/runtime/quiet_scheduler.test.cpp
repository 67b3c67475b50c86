#include <caf/all.hpp>
#include <catch2/catch.hpp>
#include <convene/runtime/engine.hpp>
#include <convene/runtime/quiet_scheduler.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

namespace convene::host {
namespace {

using go = caf::atom_constant<caf::atom("go")>;

struct two_workers : caf::actor_system_config {
  two_workers() {
    set("scheduler.max-threads", 2);
    use_quiet_scheduler(*this);
  }
};

} // namespace

TEST_CASE("what a busy worker has to do next is done by another one") {
  two_workers how;
  caf::actor_system system{how};
  std::promise<void> done;
  const auto helper
    = system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
        return {[&, self](go) {
          done.set_value();
          self->quit();
        }};
      });
  system.spawn([&](caf::event_based_actor* self) {
    self->send(helper, go::value);
    done.get_future().wait(); // the helper is this worker's next job
  });
  system.await_all_actors_done();
}

TEST_CASE("all jobs are done, whoever enqueues them") {
  two_workers how;
  caf::actor_system system{how};
  std::atomic<int> count = 0;
  constexpr int fans = 50, each = 40;
  for (int i = 0; i < fans; ++i)
    system.spawn([&](caf::event_based_actor* self) {
      for (int n = 0; n < each; ++n)
        self->send(self->spawn(
                     [&](caf::event_based_actor* one) -> caf::behavior {
                       return {[&, one](go) {
                         ++count;
                         one->quit();
                       }};
                     }),
                   go::value);
    });
  system.await_all_actors_done();
  CHECK(count == fans * each);
}

TEST_CASE("a job that comes to a sleeping worker's own place is done") {
  two_workers how;
  how.set("scheduler.max-threads", 1); // nobody steals it
  caf::actor_system system{how};
  std::promise<caf::execution_unit*> worker;
  std::promise<void> done;
  const auto waiting
    = system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
        worker.set_value(self->context());
        return {[&, self](go) {
          done.set_value();
          self->quit();
        }};
      });
  auto* const place = worker.get_future().get();
  // Polls for some 30 ms; after that it sleeps, and looks every 10 ms.
  std::this_thread::sleep_for(std::chrono::milliseconds{200});
  waiting->enqueue(nullptr, caf::make_message_id(),
                   caf::make_message(go::value), place);
  const auto outcome = done.get_future().wait_for(std::chrono::minutes{2});
  caf::anon_send_exit(waiting, caf::exit_reason::kill);
  if (outcome != std::future_status::ready) // else the system would not end
    system.spawn([](caf::event_based_actor*) {});
  CHECK(outcome == std::future_status::ready);
}

TEST_CASE("a timeout comes, and none comes to an actor that has ended") {
  using std::chrono::milliseconds;
  two_workers how;
  caf::actor_system system{how};
  std::atomic<int> count = 0;
  system.spawn([&](caf::event_based_actor* self) -> caf::behavior {
    return {caf::after(milliseconds{1}) >> [&, self] {
      ++count;
      self->quit();
    }};
  });
  const auto gone = system.spawn([&](caf::event_based_actor*) -> caf::behavior {
    return {caf::after(std::chrono::seconds{3600}) >> [&] { count += 100; }};
  });
  caf::anon_send_exit(gone, caf::exit_reason::user_shutdown);
  system.await_all_actors_done();
  CHECK(count == 1);
}

TEST_CASE("actors run on one thread for each core unless told otherwise") {
  const auto workers = [](std::size_t wanted) {
    const system_config made{{.threads = wanted}};
    return caf::get_or(made, "scheduler.max-threads", std::size_t{0});
  };
  CHECK(workers(0) == std::max(1U, std::thread::hardware_concurrency()));
  CHECK(workers(3) == 3);
}

} // namespace convene::host
