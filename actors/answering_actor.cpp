// A behaviour behind a mailbox: it runs in the actor, or on a pool if it
// blocks.

#include <caf/actor_system.hpp>
#include <caf/send.hpp>
#include <convene/actors/answering_actor.hpp>
#include <convene/actors/scratch.hpp>
#include <convene/protocol/base/catch_error.hpp>
#include <convene/session/options/options.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

namespace convene::actors {
namespace {

protocol::reply failed(std::string code, std::string message) {
  return {.status = protocol::reply_status::failed,
          .error = {std::move(code), std::move(message)}};
}

/// From a live turn to its participant. Weak: nobody keeps a participant by
/// keeping a turn of it.
class actor_link final : public turn_link {
public:
  actor_link(const participant_actor& self, session::participant_index position,
             const protocol::uuid& token, const participant_setup& setup)
    : self_(caf::actor_cast<caf::weak_actor_ptr>(self)), position_(position),
      token_(token), outside_(setup.common->outside),
      blobs_(setup.common->blobs) {
    // nop
  }

  blob_store* blobs() override {
    return blobs_.get();
  }
  void write(protocol::reply what) override {
    tell(write_msg{position_, token_, std::move(what)});
  }
  void answer(protocol::reply what) override {
    tell(reply_msg{{position_, token_, std::move(what)}});
  }
  void cancel_session(const std::string& reason) override {
    tell(cancel_session_msg{reason});
  }
  bool begin(protocol::action what, std::uint32_t attempt) override {
    tell(action_begin_msg{position_, token_, std::move(what), attempt});
    return false;
  }
  void end(std::string position, std::uint32_t attempt,
           protocol::action_result result) override {
    tell(action_end_msg{position_, token_, std::move(position), attempt,
                        std::move(result)});
  }
  bool call_later(std::string position, std::uint64_t run,
                  std::int64_t delay_ms) override {
    tell(action_due_msg{token_, std::move(position), delay_ms, run});
    return true;
  }

private:
  template <class Message>
  void tell(Message&& what) const {
    const auto here = caf::actor_cast<participant_actor>(self_);
    if (!here)
      return;
    const auto say = [&] {
      caf::anon_send(here, from_turn_msg{std::forward<Message>(what)});
    };
    if (outside_ != nullptr)
      outside_->enter(say);
    else
      say();
  }

  caf::weak_actor_ptr self_;
  session::participant_index position_;
  protocol::uuid token_;
  outside_door* outside_;
  std::shared_ptr<blob_store> blobs_;
};

} // namespace

answering_actor::answering_actor(caf::actor_config& config,
                                 participant_setup setup)
  : lean_actor(config), setup_(std::move(setup)) {
  // nop
}

bool answering_actor::take_at_once(caf::mailbox_element& x) {
  auto* const asked = values_of<session::request, std::int64_t>(x);
  if (asked == nullptr)
    return false;
  take(std::get<0>(*asked), std::get<1>(*asked));
  return true;
}

void answering_actor::on_exit() {
  if (elsewhere_) {
    if (elsewhere_->gone)
      *elsewhere_->gone = true;
    for (const auto& each : elsewhere_->under_way)
      let_go(each);
    elsewhere_.reset();
  }
  setup_ = {};
}

void answering_actor::heed(const notice_msg& x) {
  // Most behaviours are functions of a request: a refusal or an early end
  // changes nothing for the next one.
  auto* const found = find(x.token);
  if (found == nullptr)
    return;
  // What it begins may answer the request, which is then no longer under way.
  const auto live = found->live;
  if (x.what == "action_started")
    return live->actions().started(x.position);
  if (x.what == "action_refused")
    return live->actions().refused(x.position, x.reason);
  if (x.what != "closed")
    return;
  if (x.reason == "session_ended" && elsewhere_->gone)
    *elsewhere_->gone = true;
  let_go(take_off(found));
}

void answering_actor::relay(from_turn_msg&& x) {
  if (auto* const reply = caf::get_if<reply_msg>(&x.what))
    pass_on(std::move(*reply));
  else if (auto* const due = caf::get_if<action_due_msg>(&x.what))
    await(std::move(*due));
  else if (auto* const write = caf::get_if<write_msg>(&x.what))
    send(setup_.session, std::move(*write));
  else if (auto* const begin = caf::get_if<action_begin_msg>(&x.what))
    send(setup_.session, std::move(*begin));
  else if (auto* const end = caf::get_if<action_end_msg>(&x.what))
    send(setup_.session, std::move(*end));
  else if (auto* const why = caf::get_if<cancel_session_msg>(&x.what))
    send(setup_.session,
         control{control::verb::cancel, std::move(why->reason)});
}

void answering_actor::await(action_due_msg&& x) {
  auto* const found = find(x.token);
  if (found == nullptr)
    return;
  if (const auto delay_ms = std::exchange(x.delay_ms, 0); delay_ms > 0) {
    delayed_send(this, std::chrono::milliseconds{delay_ms},
                 from_turn_msg{std::move(x)});
    return;
  }
  const auto live = found->live;
  live->actions().due(x.position, x.run);
}

void answering_actor::pass_on(reply_msg&& x) {
  if (auto* const found = find(x.what.token); found != nullptr) {
    const auto work = take_off(found);
    work.live->finish();
    finish(work);
  }
  send(setup_.session, std::move(x));
}

void answering_actor::respond(const session::request& what,
                              std::int64_t age_ms) {
  if (setup_.answers->answers_later())
    return respond_later(what);
  if (setup_.common->runner != nullptr && setup_.answers->blocks())
    return respond_elsewhere(what);
  // Requests for decisions apart from the others: they name all participants.
  const scratch<std::array<turn_request, 2>> kept;
  auto& asked = (*kept)[what.kind == session::request_kind::decision ? 1 : 0];
  assemble(asked, setup_.common->about, setup_.self, what);
  auto answer = setup_.answers->respond(asked);
  asked.workspace = {}; // else all that is written over from now on stays
  hand_in(what, age_ms, std::move(answer));
}

void answering_actor::refuse(const session::request& what, std::string code,
                             std::string message) {
  send(setup_.session,
       reply_msg{{setup_.self, what.token,
                  failed(std::move(code), std::move(message))}});
}

void answering_actor::hand_in(const session::request& what, std::int64_t age_ms,
                              answer&& a) {
  if (setup_.common->faults != nullptr)
    return hand_in_as_fated(what, age_ms, std::move(a));
  if (a.silent)
    return;
  const auto& token = what.token;
  const auto delay_ms = a.delay_ms - age_ms;
  if (delay_ms > 0)
    delayed_send(this, std::chrono::milliseconds{delay_ms},
                 from_turn_msg{
                   reply_msg{{setup_.self, token, std::move(a.reply)}}});
  else
    send(setup_.session, reply_msg{{setup_.self, token, std::move(a.reply)}});
}

/// An answer that outlives this actor does not come by it.
void answering_actor::hand_in_as_fated(const session::request& what,
                                       std::int64_t age_ms, answer&& a) {
  const auto fate = setup_.common->faults->of_answer(setup_.self, what);
  const auto hand_in_after = [&](std::int64_t delay_ms, protocol::reply reply) {
    reply_msg said{{setup_.self, what.token, std::move(reply)}};
    if (delay_ms <= 0)
      send(setup_.session, std::move(said));
    else if (fate.dies)
      delayed_send(setup_.session, std::chrono::milliseconds{delay_ms},
                   std::move(said));
    else
      delayed_send(this, std::chrono::milliseconds{delay_ms},
                   from_turn_msg{std::move(said)});
  };
  if (!a.silent && !fate.is_lost) {
    const auto delay_ms = std::max<std::int64_t>(a.delay_ms - age_ms, 0)
                          + fate.delay_ms;
    if (fate.again_after_ms)
      hand_in_after(delay_ms + *fate.again_after_ms, a.reply);
    hand_in_after(delay_ms, std::move(a.reply));
  }
  if (fate.dies)
    quit(caf::exit_reason::unhandled_exception);
}

answering_actor::elsewhere& answering_actor::use_elsewhere() {
  if (!elsewhere_)
    elsewhere_ = std::make_unique<elsewhere>();
  return *elsewhere_;
}

/// The request that is answered elsewhere, or null.
answering_actor::work* answering_actor::find(const protocol::uuid& token) {
  if (!elsewhere_)
    return nullptr;
  auto& all = elsewhere_->under_way;
  const auto found = std::ranges::find(all, token, &work::token);
  return found == all.end() ? nullptr : &*found;
}

/// It is no longer under way.
answering_actor::work answering_actor::take_off(work* what) {
  auto taken = std::move(*what);
  auto& all = elsewhere_->under_way;
  all.erase(all.begin() + (what - all.data()));
  return taken;
}

/// Tells the behaviour that nobody waits for its answer any more.
void answering_actor::let_go(const work& what) {
  if (what.job != 0)
    setup_.common->runner->abandon(what.job);
  what.live->close();
  finish(what);
}

/// Nothing of it is under way outside any more.
void answering_actor::finish(const work& what) {
  if (what.job == 0 && setup_.common->outside != nullptr)
    setup_.common->outside->end_work();
}

std::shared_ptr<live_turn>
answering_actor::make_live(const session::request& what) {
  const auto left_ms = setup_.common->time != nullptr
                         ? what.expires_at - setup_.common->time->now()
                         : session::duration_ms_max;
  return std::make_shared<live_turn>(
    std::make_shared<actor_link>(participant_actor{this}, setup_.self,
                                 what.token, setup_),
    setup_.self, what, left_ms,
    [about = setup_.common->about, self = setup_.self,
     token = what.token](const std::string& position, std::uint32_t attempt) {
      return protocol::trace_context_of(
        about->session_id, about->trace_context,
        {.participant = about->participants[self].participant_id,
         .token = to_string(token),
         .position = position,
         .number = attempt});
    });
}

void answering_actor::respond_later(const session::request& what) {
  turn_request request;
  assemble(request, setup_.common->about, setup_.self, what);
  request.live = make_live(what);
  const auto live = request.live;
  use_elsewhere().under_way.push_back({what.token, live, 0});
  if (setup_.common->outside != nullptr)
    setup_.common->outside->begin_work();
  const auto threw
    = catch_error([&] { setup_.answers->begin(std::move(request)); });
  if (threw)
    live->answer(failed("behaviour_threw", *threw));
}

void answering_actor::respond_elsewhere(const session::request& what) {
  turn_request request;
  assemble(request, setup_.common->about, setup_.self, what);
  auto& mine = use_elsewhere();
  if (!mine.gone)
    mine.gone = std::make_shared<std::atomic<bool>>(false);
  const auto live = make_live(what);
  request.live = live;
  auto job = [self = participant_actor{this}, answers = setup_.answers,
              position = setup_.self, token = what.token, gone = mine.gone,
              late = setup_.common->late, request = std::move(request)] {
    auto a = answers->respond(request);
    if (*gone && late)
      late->note(request.session_id, request.participant);
    else if (!a.silent)
      caf::anon_send(self, from_turn_msg{
                             reply_msg{{position, token, std::move(a.reply)}}});
  };
  if (const auto id = setup_.common->runner->try_run(std::move(job)); id != 0)
    mine.under_way.push_back({what.token, live, id});
  else
    send(setup_.session,
         reply_msg{{setup_.self, what.token,
                    failed("blocking_pool_full",
                           "too many behaviours are blocked at once")}});
}

} // namespace convene::actors
