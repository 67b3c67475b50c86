#pragma once

#include <caf/actor_system.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/held_requests.hpp>
#include <convene/actors/lean_actor.hpp>
#include <convene/actors/participant.hpp>
#include <convene/actors/restarts.hpp>
#include <convene/actors/scratch.hpp>
#include <convene/actors/session.hpp>
#include <convene/protocol/base/catch_error.hpp>

#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace convene::actors {

/// The actor of one session: feeds its machine and carries out the effects.
class session_runner : public lean_actor<session_actor::base> {
public:
  session_runner(caf::actor_config& config,
                 std::shared_ptr<session_setup> setup);

  behavior_type make_behavior() override;
  void on_exit() override;

protected:
  bool take_at_once(caf::mailbox_element& x) override;

private:
  using participant_index = session::participant_index;

  // session.cpp: messages, inputs, effects
  [[nodiscard]] participant_index sender_of(const auto& x);
  void take(reply_msg&& x);
  void take(write_msg&& x);
  void take(action_begin_msg&& x);
  void take(action_end_msg&& x);
  void obey(control&& x);
  void take_message(control&& x);
  /// Events beyond this are not worth keeping memory for. What a broadcast to
  /// ten thousand has is less: its rounds are made in the same memory.
  static constexpr std::size_t kept_bytes_max = std::size_t{4} << 20;

  template <class What>
  void feed(What&& what) {
    feed_at(setup_.time->now(), std::forward<What>(what));
  }

  template <class What>
  void feed_at(protocol::timestamp_ms now, What&& what) {
    if (!setup_.machine)
      return;
    // A thousand sessions write into the same memory.
    const scratch<session::effects> kept;
    auto& wanted = *kept;
    wanted.clear();
    if constexpr (std::is_same_v<What, session::answer>)
      setup_.machine->feed(now, std::move(what), wanted);
    else
      setup_.machine->feed({now, std::forward<What>(what)}, wanted);
    if (!setup_.conditions.empty() && !wanted.events.empty())
      rule(now, wanted);
    carry_out(wanted);
    if (wanted.events.size() > kept_bytes_max)
      wanted = {};
  }

  /// Several inputs, whose events are appended as one unit.
  void feed_all(std::vector<session::input> all);
  void rule(protocol::timestamp_ms now, session::effects& wanted);
  void carry_out(session::effects& wanted);
  [[nodiscard]] bool ask(std::vector<session::delivery>& requests);
  [[nodiscard]] bool tell(std::vector<session::notice>& notices);
  void tell(session::notice&& what);
  void deliver(session::delivery&& d, std::int64_t age_ms = 0);
  [[nodiscard]] bool is_durable();
  void go_on_after(const events_durable& x);
  void arm();
  void report(protocol::result<session::report> outcome);

  // session_life.cpp: how it goes on, who dies and who comes back
  void begin(participant_index who);
  void resume_from_log();
  [[nodiscard]] bool overslept() const;
  void leave(std::string reason);
  void halt();
  void let_go();
  void lose(const caf::down_msg& down);
  [[nodiscard]] bool restart(participant_index who, const caf::error& reason);
  void come_back(participant_index who);
  void crash(const std::string& why);
  [[nodiscard]] protocol::error failure(const std::string& why) const;
  [[nodiscard]] bool is_rescued(const protocol::error& what);

  /// Nothing that is thrown may take the actor down unheard.
  template <class Body>
  void guarded(Body body) {
    if (const auto why = catch_error(body))
      crash(*why);
  }

  session_setup setup_;
  std::shared_ptr<const participants_setup> common_;
  std::vector<participant_actor> participants_;
  std::optional<restarts> restarts_; ///< nothing: nobody is started again
  std::optional<protocol::timestamp_ms> armed_;
  std::uint64_t step_ = 0; // counts the times that effects were carried out
  held_requests held_;
  held_notices held_notices_;
  std::unique_ptr<session::report> ended_; // until its end is kept
  protocol::uuid under_way_; // the request whose answer is being taken
};

} // namespace convene::actors
