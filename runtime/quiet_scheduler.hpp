// CAF 0.17.6's own work-stealing scheduler, compiled here without the per-job
// logger work that worker::run() and scheduled_actor::resume() do even in a
// quiet build (a dynamic_cast, a lock shared by all workers, hash look-ups).
#pragma once
#include <caf/all.hpp>
#include <caf/detail/thread_safe_actor_clock.hpp>
#include <caf/logger.hpp>
#include <caf/policy/work_stealing.hpp>
#include <convene/runtime/job_queue.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <utility>
#pragma push_macro("CAF_PUSH_AID_FROM_PTR")
#pragma push_macro("CAF_SET_LOGGER_SYS")
#undef CAF_PUSH_AID_FROM_PTR
#undef CAF_SET_LOGGER_SYS
// before every job, because spawning an actor sets the spawning thread's logger
// again
#define CAF_PUSH_AID_FROM_PTR(p) caf::logger::set_current_actor_system(nullptr)
#define CAF_SET_LOGGER_SYS(p) caf::logger::set_current_actor_system(nullptr)
#include <caf/scheduler/coordinator.hpp>
#include <caf/scheduler/worker.hpp>
#pragma pop_macro("CAF_PUSH_AID_FROM_PTR")
#pragma pop_macro("CAF_SET_LOGGER_SYS")

namespace convene::host {

/// CAF's work stealing, in the same order of jobs, with a queue that does not
/// take longer the more there is. The job that a worker enqueued last, which it
/// takes next, has a place of its own: most never get as far as the queue.
/// Others steal it from there, once the queue is empty.
struct quiet_stealing : caf::policy::work_stealing {
  using base = caf::policy::work_stealing;
  using base::base;

  struct worker_data : base::worker_data {
    explicit worker_data(caf::scheduler::abstract_coordinator* of)
      : base::worker_data(of) {}
    worker_data(const worker_data& other) : base::worker_data(other) {}

    job_queue queue; ///< instead of the base's
    std::atomic<caf::resumable*> latest{nullptr};

    caf::resumable* take_latest() noexcept {
      return latest.load(std::memory_order_relaxed) == nullptr
               ? nullptr
               : latest.exchange(nullptr, std::memory_order_acq_rel);
    }
    caf::resumable* take() {
      auto* const job = take_latest();
      return job != nullptr ? job : queue.take_head();
    }
    [[nodiscard]] bool has_work() const noexcept {
      return latest.load(std::memory_order_relaxed) != nullptr
             || !queue.empty();
    }
  };

  template <class Worker>
  void internal_enqueue(Worker* self, caf::resumable* job) {
    auto& own = d(self);
    if (auto* const earlier = own.latest.exchange(job,
                                                  std::memory_order_acq_rel))
      own.queue.prepend(earlier);
  }

  template <class Worker>
  void external_enqueue(Worker* self, caf::resumable* job) {
    auto& own = d(self);
    own.queue.append(job);
    const std::scoped_lock guard{own.waitdata.lock};
    if (own.waitdata.sleeping)
      own.waitdata.cv.notify_one();
  }

  template <class Worker>
  void resume_job_later(Worker* self, caf::resumable* job) {
    d(self).queue.append(job);
  }

  template <class Worker>
  caf::resumable* try_steal(Worker* self) {
    auto* const workers = self->parent();
    if (workers->num_workers() < 2)
      return nullptr;
    auto victim = d(self).uniform(d(self).rengine);
    if (victim == self->id())
      victim = workers->num_workers() - 1;
    auto& other = d(workers->worker_by_id(victim));
    auto* const job = other.queue.take_tail();
    return job != nullptr ? job : other.take_latest();
  }

  /// As CAF's, which polls often, then less often, then sleeps between.
  template <class Worker>
  caf::resumable* dequeue(Worker* self) {
    auto& own = d(self);
    for (std::size_t k = 0; k < 2; ++k) {
      const auto& how = own.strategies[k];
      for (std::size_t i = 0; i < how.attempts; i += how.step_size) {
        if (auto* const job = own.take())
          return job;
        if (i % how.steal_interval == 0)
          if (auto* const job = try_steal(self))
            return job;
        if (how.sleep_duration.count() > 0)
          std::this_thread::sleep_for(how.sleep_duration);
      }
    }
    const auto& relaxed = own.strategies[2];
    auto& waits = own.waitdata;
    for (std::size_t i = 1;; ++i) {
      bool has_work = false;
      {
        std::unique_lock guard{waits.lock};
        waits.sleeping = true;
        // Its own place, too: who holds an actor's execution unit can enqueue
        // from another thread, which wakes nobody but is found in time.
        has_work = waits.cv.wait_for(guard, relaxed.sleep_duration,
                                     [&] { return own.has_work(); });
        waits.sleeping = false;
      }
      if (auto* const job = has_work ? own.take() : nullptr)
        return job;
      if (!has_work && i % relaxed.steal_interval == 0)
        if (auto* const job = try_steal(self))
          return job;
    }
  }

  template <class Worker, class Each>
  void foreach_resumable(Worker* self, Each each) {
    while (auto* const job = d(self).take())
      each(job);
  }
};

/// In front of CAF's clock, which wakes its thread for each actor that ends, to
/// cancel timeouts that it may have. As long as nobody has set one, there are
/// none. Of the type that a coordinator has to return.
class quiet_clock final : public caf::detail::thread_safe_actor_clock {
public:
  explicit quiet_clock(caf::actor_clock& behind) : behind_(behind) {}

  void set_ordinary_timeout(time_point t, caf::abstract_actor* self,
                            caf::atom_value type, std::uint64_t id) override {
    has_timeouts_ = true;
    behind_.set_ordinary_timeout(t, self, type, id);
  }
  void set_multi_timeout(time_point t, caf::abstract_actor* self,
                         caf::atom_value type, std::uint64_t id) override {
    has_timeouts_ = true;
    behind_.set_multi_timeout(t, self, type, id);
  }
  void set_request_timeout(time_point t, caf::abstract_actor* self,
                           caf::message_id id) override {
    has_timeouts_ = true;
    behind_.set_request_timeout(t, self, id);
  }
  void cancel_ordinary_timeout(caf::abstract_actor* self,
                               caf::atom_value type) override {
    if (has_timeouts_)
      behind_.cancel_ordinary_timeout(self, type);
  }
  void cancel_request_timeout(caf::abstract_actor* self,
                              caf::message_id id) override {
    if (has_timeouts_)
      behind_.cancel_request_timeout(self, id);
  }
  void cancel_timeouts(caf::abstract_actor* self) override {
    if (has_timeouts_)
      behind_.cancel_timeouts(self);
  }
  void schedule_message(time_point t, caf::strong_actor_ptr receiver,
                        caf::mailbox_element_ptr content) override {
    behind_.schedule_message(t, std::move(receiver), std::move(content));
  }
  void schedule_message(time_point t, caf::group target,
                        caf::strong_actor_ptr sender,
                        caf::message content) override {
    behind_.schedule_message(t, std::move(target), std::move(sender),
                             std::move(content));
  }
  void cancel_all() override {
    behind_.cancel_all();
  }

private:
  caf::actor_clock& behind_;
  std::atomic<bool> has_timeouts_ = false;
};

class quiet_coordinator final
  : public caf::scheduler::coordinator<quiet_stealing> {
public:
  using base = caf::scheduler::coordinator<quiet_stealing>;

  explicit quiet_coordinator(caf::actor_system& system)
    : base(system), clock_(base::clock()) {}

  quiet_clock& clock() noexcept override {
    return clock_;
  }

  /// Whether a worker runs the caller.
  [[nodiscard]] bool runs_caller() {
    for (std::size_t i = 0; i < num_workers(); ++i)
      if (worker_by_id(i)->get_thread().get_id() == std::this_thread::get_id())
        return true;
    return false;
  }

private:
  quiet_clock clock_;
};

inline void use_quiet_scheduler(caf::actor_system_config& cfg) {
  cfg.module_factories.push_back(
    [](caf::actor_system& sys) -> caf::actor_system::module* {
      return new quiet_coordinator(sys);
    });
}

} // namespace convene::host
