// A participant: a behaviour behind a mailbox.

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/participant.hpp>
#include <convene/actors/scratch.hpp>

#include <atomic>
#include <chrono>
#include <utility>

namespace convene::actors {
namespace {

protocol::reply failed(std::string code, std::string message) {
  return {.status = protocol::reply_status::failed,
          .error = {std::move(code), std::move(message)}};
}

class participant : public participant_actor::base {
public:
  participant(caf::actor_config& config, participant_setup setup)
    : participant_actor::base(config), setup_(std::move(setup)) {
    // nop
  }

  behavior_type make_behavior() override {
    return {[this](asked& x) { respond(x); },
            [this](const noticed& x) {
              // Most behaviours are functions of a request: a refusal or an
              // early end changes nothing for the next one.
              if (x.what != "closed" || x.token != working_on_)
                return;
              if (x.reason == "session_ended")
                *gone_ = true;
              let_go();
            },
            [this](answered& x) {
              if (x.token == working_on_)
                live_.reset();
              send(setup_.session, std::move(x));
            },
            [this](acted& x) { send(setup_.session, std::move(x)); }};
  }

  void on_exit() override {
    if (gone_)
      *gone_ = true;
    let_go();
    setup_ = {};
  }

private:
  void respond(const asked& x) {
    const auto& what = x.what;
    if (setup_.runner != nullptr && setup_.answers->blocks())
      return respond_elsewhere(what);
    const scratch<turn_request> kept;
    assemble(*kept, setup_.about, setup_.self, what);
    hand_in(x, setup_.answers->respond(*kept));
  }

  void hand_in(const asked& x, answer&& a) {
    if (a.silent)
      return;
    const auto& token = x.what.token;
    const auto delay_ms = a.delay_ms - x.age_ms;
    if (delay_ms > 0)
      delayed_send(this, std::chrono::milliseconds{delay_ms},
                   answered{setup_.self, token, std::move(a.reply)});
    else
      send(setup_.session, answered{setup_.self, token, std::move(a.reply)});
  }

  /// Tells the behaviour that nobody waits for its answer any more.
  void let_go() {
    if (const auto live = std::exchange(live_, nullptr)) {
      setup_.runner->abandon(job_);
      live->close();
    }
  }

  void respond_elsewhere(const session::request& what) {
    let_go();
    turn_request request;
    assemble(request, setup_.about, setup_.self, what);
    working_on_ = what.token;
    if (!gone_)
      gone_ = std::make_shared<std::atomic<bool>>(false);
    // Weak: nobody keeps a participant by keeping a turn of it.
    live_ = std::make_shared<live_turn>(
      [self = caf::actor_cast<caf::weak_actor_ptr>(participant_actor{this}),
       position = setup_.self, token = what.token](protocol::reply acts) {
        if (const auto here = caf::actor_cast<participant_actor>(self))
          caf::anon_send(here, acted{position, token, std::move(acts)});
      });
    request.live = live_;
    auto job = [self = participant_actor{this}, answers = setup_.answers,
                position = setup_.self, token = what.token, gone = gone_,
                late = setup_.late, request = std::move(request)] {
      auto a = answers->respond(request);
      if (*gone && late)
        late->note(request.session_id, request.participant);
      else if (!a.silent)
        caf::anon_send(self, answered{position, token, std::move(a.reply)});
    };
    job_ = setup_.runner->try_run(std::move(job));
    if (job_ == 0)
      send(setup_.session,
           answered{setup_.self, what.token,
                    failed("blocking_pool_full",
                           "too many behaviours are blocked at once")});
  }

  participant_setup setup_;
  /// Set at the end, for those who still work on an answer.
  std::shared_ptr<std::atomic<bool>> gone_;
  protocol::uuid working_on_;       ///< the request elsewhere
  std::shared_ptr<live_turn> live_; ///< until it is answered or closed
  blocking_runner::job_id job_ = 0; ///< what answers it
};

} // namespace

participant_actor spawn_participant(caf::actor_system& system,
                                    participant_setup setup) {
  return system.spawn<participant, caf::lazy_init>(std::move(setup));
}

} // namespace convene::actors
