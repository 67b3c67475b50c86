#pragma once

#include <convene/actors/session.hpp>
#include <convene/lab/simulation/faults/faulty_log.hpp>
#include <convene/lab/simulation/faults/faulty_session.hpp>

#include <cstdint>
#include <string_view>

namespace convene::host {

/// What outlives the processes of a seed, besides its log.
struct faulty_world {
  seed_faults faults;
  std::int64_t clock_jump_ms = 0;
  std::int64_t wall_ahead_ms = 0; ///< the wall clock, of virtual time
  bool owes_resume
    = false; ///< a fault suspended the session and will resume it
};

/// The sink of one process, in which the faults that come with events strike.
class faulty_sink final : public actors::event_sink {
public:
  /// All of them outlive it.
  faulty_sink(faulty_world& world, faulty_log& log,
              const log_permission& may_log)
    : world_(world), log_(log), may_log_(may_log) {}

  protocol::result<void> append(std::string_view session_id,
                                std::string_view lines,
                                std::size_t count) override;
  [[nodiscard]] bool is_durable(actors::when_kept&& then) override;

  /// Whose events it takes, and who is told to stop.
  void serve(actors::session_actor who) {
    actor_ = std::move(who);
  }

  /// The process has ended: it takes nothing any more.
  void end() {
    has_ended_ = true;
    actor_ = nullptr;
  }

private:
  [[nodiscard]] bool strikes(fault_kind kind, std::uint32_t at);
  void disturb(std::uint32_t at);
  void storm(std::uint32_t at);
  void suspend(std::uint32_t at);
  protocol::result<void> die(fault_kind how, std::uint32_t at,
                             std::string_view lines);
  void tell(actors::control what, std::int64_t delay_ms);

  faulty_world& world_;
  faulty_log& log_;
  const log_permission& may_log_;
  actors::session_actor actor_;
  bool has_ended_ = false;
};

} // namespace convene::host
