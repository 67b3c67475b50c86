// One timer for all sessions: it sleeps until the earliest deadline.

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/timekeeper.hpp>

#include <chrono>
#include <map>
#include <set>
#include <utility>

namespace convene::actors {
namespace {

using protocol::timestamp_ms;

class timekeeper : public timekeeper_actor::base {
public:
  timekeeper(caf::actor_config& config, const time_source& time)
    : timekeeper_actor::base(config), time_(time) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[this](arm_atom, const session_actor& who, timestamp_ms at) {
              disarm(who);
              deadlines_.emplace(who->id(), at);
              due_.emplace(std::pair{at, who->id()}, who);
              sleep();
            },
            [this](disarm_atom, const session_actor& who) { disarm(who); },
            [this](wake_atom, timestamp_ms at) {
              timers_.erase(at);
              wake();
              sleep();
            }};
  }

  void on_exit() override {
    due_.clear();
  }

private:
  void disarm(const session_actor& who) {
    const auto found = deadlines_.find(who->id());
    if (found == deadlines_.end())
      return;
    due_.erase({found->second, who->id()});
    deadlines_.erase(found);
  }

  void wake() {
    const auto now = time_.now();
    while (!due_.empty() && due_.begin()->first.first <= now) {
      send(due_.begin()->second, time_passed{});
      deadlines_.erase(due_.begin()->first.second);
      due_.erase(due_.begin());
    }
  }

  void sleep() {
    if (due_.empty())
      return;
    const auto at = due_.begin()->first.first;
    if (!timers_.empty() && *timers_.begin() <= at)
      return;
    timers_.insert(at);
    const auto left = std::max<timestamp_ms>(at - time_.now(), 1);
    delayed_send(this, std::chrono::milliseconds{left}, wake_atom::value, at);
  }

  const time_source& time_;
  std::map<caf::actor_id, timestamp_ms> deadlines_;
  std::map<std::pair<timestamp_ms, caf::actor_id>, session_actor> due_;
  /// Under way. One that turns out to be early still wakes, so that a later one
  /// need not be set twice.
  std::set<timestamp_ms> timers_;
};

} // namespace

timekeeper_actor spawn_timekeeper(caf::actor_system& system,
                                  const time_source& time) {
  return system.spawn<timekeeper, caf::hidden>(std::cref(time));
}

} // namespace convene::actors
