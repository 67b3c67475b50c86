#include <catch2/catch.hpp>
#include <convene/runtime/job_queue.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <set>
#include <thread>
#include <vector>

namespace convene::host {
namespace {

struct idle_job final : caf::resumable {
  resume_result resume(caf::execution_unit*, std::size_t) override {
    return done;
  }
  void intrusive_ptr_add_ref_impl() override {}
  void intrusive_ptr_release_impl() override {}
};

} // namespace

TEST_CASE("a queue of jobs has two ends") {
  std::array<idle_job, 4> jobs;
  job_queue queue;
  CHECK(queue.empty());
  CHECK(queue.take_head() == nullptr);
  CHECK(queue.take_tail() == nullptr);
  queue.append(&jobs[1]);
  queue.append(&jobs[2]);
  queue.prepend(&jobs[0]);
  queue.append(&jobs[3]);
  CHECK_FALSE(queue.empty());
  CHECK(queue.take_tail() == &jobs[3]);
  CHECK(queue.take_head() == &jobs[0]);
  CHECK(queue.take_head() == &jobs[1]);
  CHECK(queue.take_tail() == &jobs[2]);
  CHECK(queue.empty());
  CHECK(queue.take_tail() == nullptr);
}

TEST_CASE("each job is taken once, from whichever end by whichever thread") {
  constexpr std::size_t each = 20'000;
  std::vector<idle_job> jobs(2 * each);
  job_queue queue;
  std::vector<caf::resumable*> stolen;
  std::atomic<bool> is_over = false;
  std::thread thief{[&] {
    const auto steal = [&] {
      auto* const job = queue.take_tail();
      if (job != nullptr)
        stolen.push_back(job);
      return job != nullptr;
    };
    while (!is_over)
      steal();
    while (steal()) {
    }
  }};
  std::vector<caf::resumable*> taken;
  for (std::size_t i = 0; i < each; ++i) {
    queue.prepend(&jobs[2 * i]);
    queue.append(&jobs[2 * i + 1]);
    if (i % 3 == 0)
      if (auto* const job = queue.take_head())
        taken.push_back(job);
  }
  is_over = true;
  thief.join();
  CHECK(taken.size() + stolen.size() == jobs.size());
  std::set<caf::resumable*> all{taken.begin(), taken.end()};
  all.insert(stolen.begin(), stolen.end());
  CHECK(all.size() == jobs.size());
}

} // namespace convene::host
