// A participant: a behaviour behind a mailbox.

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/participant.hpp>
#include <convene/actors/scratch.hpp>

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
            [](const noticed&) {
              // Behaviours are functions of a request: a refusal or an early
              // end changes nothing for the next one.
            },
            [this](answered& x) { send(setup_.session, std::move(x)); }};
  }

  void on_exit() override {
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

  void respond_elsewhere(const session::request& what) {
    turn_request request;
    assemble(request, setup_.about, setup_.self, what);
    auto job = [self = participant_actor{this}, answers = setup_.answers,
                position = setup_.self, token = what.token,
                request = std::move(request)] {
      auto a = answers->respond(request);
      if (!a.silent)
        caf::anon_send(self, answered{position, token, std::move(a.reply)});
    };
    if (!setup_.runner->try_run(std::move(job)))
      send(setup_.session,
           answered{setup_.self, what.token,
                    failed("blocking_pool_full",
                           "too many behaviours are blocked at once")});
  }

  participant_setup setup_;
};

} // namespace

participant_actor spawn_participant(caf::actor_system& system,
                                    participant_setup setup) {
  return system.spawn<participant, caf::lazy_init>(std::move(setup));
}

} // namespace convene::actors
