// CAF 0.17.6's own work-stealing scheduler, compiled here without the per-job
// logger work that worker::run() and scheduled_actor::resume() do even in a
// quiet build (a dynamic_cast, a lock shared by all workers, hash look-ups).
#pragma once
#include <caf/all.hpp>
#include <caf/logger.hpp>
#include <caf/policy/work_stealing.hpp>
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
struct quiet_stealing : caf::policy::work_stealing {
  using caf::policy::work_stealing::work_stealing;
};
inline void use_quiet_scheduler(caf::actor_system_config& cfg) {
  cfg.module_factories.push_back(
    [](caf::actor_system& sys) -> caf::actor_system::module* {
      return new caf::scheduler::coordinator<quiet_stealing>(sys);
    });
}
