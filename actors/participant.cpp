// A participant: a behaviour behind a mailbox.

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <convene/actors/participant.hpp>
#include <convene/actors/scratch.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <utility>
#include <vector>

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
    return {[this](request_msg& x) { respond(x); },
            [this](const notice_msg& x) {
              // Most behaviours are functions of a request: a refusal or an
              // early end changes nothing for the next one.
              const auto found = find(x.token);
              if (x.what != "closed" || found == under_way_.end())
                return;
              if (x.reason == "session_ended")
                *gone_ = true;
              let_go(*found);
              under_way_.erase(found);
            },
            [this](reply_msg& x) {
              if (const auto found = find(x.token); found != under_way_.end()) {
                found->live->finish();
                under_way_.erase(found);
              }
              send(setup_.session, std::move(x));
            },
            [this](write_msg& x) { send(setup_.session, std::move(x)); }};
  }

  void on_exit() override {
    if (gone_)
      *gone_ = true;
    for (const auto& each : under_way_)
      let_go(each);
    under_way_.clear();
    setup_ = {};
  }

private:
  void respond(const request_msg& x) {
    const auto& what = x.what;
    if (setup_.runner != nullptr && setup_.answers->blocks())
      return respond_elsewhere(what);
    const scratch<turn_request> kept;
    assemble(*kept, setup_.about, setup_.self, what);
    auto answer = setup_.answers->respond(*kept);
    (*kept).workspace = {}; // else all that is written over from now on stays
    hand_in(x, std::move(answer));
  }

  void hand_in(const request_msg& x, answer&& a) {
    if (a.silent)
      return;
    const auto& token = x.what.token;
    const auto delay_ms = a.delay_ms - x.age_ms;
    if (delay_ms > 0)
      delayed_send(this, std::chrono::milliseconds{delay_ms},
                   reply_msg{setup_.self, token, std::move(a.reply)});
    else
      send(setup_.session, reply_msg{setup_.self, token, std::move(a.reply)});
  }

  /// A request that is answered elsewhere. A turn and questions about conflicts
  /// can be under way at the same time.
  struct work {
    protocol::uuid token;
    std::shared_ptr<live_turn> live;
    blocking_runner::job_id job = 0;
  };

  std::vector<work>::iterator find(const protocol::uuid& token) {
    return std::ranges::find(under_way_, token, &work::token);
  }

  /// Tells the behaviour that nobody waits for its answer any more.
  void let_go(const work& what) {
    setup_.runner->abandon(what.job);
    what.live->close();
  }

  void respond_elsewhere(const session::request& what) {
    turn_request request;
    assemble(request, setup_.about, setup_.self, what);
    if (!gone_)
      gone_ = std::make_shared<std::atomic<bool>>(false);
    // Weak: nobody keeps a participant by keeping a turn of it.
    const auto live = std::make_shared<live_turn>(
      [self = caf::actor_cast<caf::weak_actor_ptr>(participant_actor{this}),
       position = setup_.self, token = what.token](protocol::reply acts) {
        if (const auto here = caf::actor_cast<participant_actor>(self))
          caf::anon_send(here, write_msg{position, token, std::move(acts)});
      });
    request.live = live;
    auto job = [self = participant_actor{this}, answers = setup_.answers,
                position = setup_.self, token = what.token, gone = gone_,
                late = setup_.late, request = std::move(request)] {
      auto a = answers->respond(request);
      if (*gone && late)
        late->note(request.session_id, request.participant);
      else if (!a.silent)
        caf::anon_send(self, reply_msg{position, token, std::move(a.reply)});
    };
    if (const auto id = setup_.runner->try_run(std::move(job)); id != 0)
      under_way_.push_back({what.token, live, id});
    else
      send(setup_.session,
           reply_msg{setup_.self, what.token,
                     failed("blocking_pool_full",
                            "too many behaviours are blocked at once")});
  }

  participant_setup setup_;
  /// Set at the end, for those who still work on an answer.
  std::shared_ptr<std::atomic<bool>> gone_;
  std::vector<work> under_way_;
};

} // namespace

participant_actor spawn_participant(caf::actor_system& system,
                                    participant_setup setup) {
  return system.spawn<participant, caf::lazy_init>(std::move(setup));
}

} // namespace convene::actors
