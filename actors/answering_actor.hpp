#pragma once

#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/lean_actor.hpp>
#include <convene/actors/participant.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace convene::actors {

/// An actor that runs a behaviour on requests and hands its answers in; which
/// requests it takes is up to the class derived from it.
class answering_actor : public lean_actor<participant_actor::base> {
public:
  answering_actor(caf::actor_config& config, participant_setup setup);

  void on_exit() override;

protected:
  /// Its behaviour; `take` gets the requests.
  behavior_type make_behavior() override {
    return {[this](const session::request& what, std::int64_t age_ms) {
              take(what, age_ms);
            },
            [this](const notice_msg& x) { heed(x); },
            [this](from_turn_msg& x) { relay(std::move(x)); }};
  }
  bool take_at_once(caf::mailbox_element& x) override;

  virtual void take(const session::request& what, std::int64_t age_ms) = 0;

  /// Runs the behaviour, here or elsewhere, and hands in what it says.
  void respond(const session::request& what, std::int64_t age_ms);
  /// Hands in that it failed, without asking the behaviour.
  void refuse(const session::request& what, std::string code,
              std::string message);

private:
  /// A request that is answered elsewhere. A turn and questions about conflicts
  /// can be under way at the same time.
  struct work {
    protocol::uuid token;
    std::shared_ptr<live_turn> live;
    blocking_runner::job_id job = 0; ///< 0: the behaviour answers later
  };

  /// What is answered elsewhere, for those who answer there.
  struct elsewhere {
    /// Set at the end, for those who still work on an answer.
    std::shared_ptr<std::atomic<bool>> gone;
    std::vector<work> under_way;
  };

  void heed(const notice_msg& x);
  void relay(from_turn_msg&& x);
  void await(action_due_msg&& x);
  void pass_on(reply_msg&& x);
  void hand_in(const session::request& what, std::int64_t age_ms, answer&& a);
  void hand_in_as_fated(const session::request& what, std::int64_t age_ms,
                        answer&& a);
  [[nodiscard]] std::shared_ptr<live_turn>
  make_live(const session::request& what);
  void respond_elsewhere(const session::request& what);
  void respond_later(const session::request& what);
  [[nodiscard]] elsewhere& use_elsewhere();
  [[nodiscard]] work* find(const protocol::uuid& token);
  [[nodiscard]] work take_off(work* what);
  void let_go(const work& what);
  void finish(const work& what);

  participant_setup setup_;
  std::unique_ptr<elsewhere> elsewhere_; ///< most answer at once
};

} // namespace convene::actors
