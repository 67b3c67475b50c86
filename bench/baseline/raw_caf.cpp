#include "raw_caf.hpp"

#include <caf/all.hpp>

#include <chrono>
#include <future>
#include <string>
#include <utility>
#include <vector>

namespace convene::bench {

/// Asks a participant for a turn.
struct raw_request {
  std::uint64_t turn = 0;
  std::string task;
};

struct raw_response {
  std::uint64_t turn = 0;
  std::uint32_t participant = 0;
  std::string content;
};

/// Asks the orchestrator who is next.
struct raw_consult {
  std::uint64_t turn = 0;
  std::string last;
};

struct raw_decision {
  std::uint32_t participant = 0;
  std::string task;
};

template <class Inspector>
auto inspect(Inspector& f, raw_request& x) {
  return f(caf::meta::type_name("raw_request"), x.turn, x.task);
}

template <class Inspector>
auto inspect(Inspector& f, raw_response& x) {
  return f(caf::meta::type_name("raw_response"), x.turn, x.participant,
           x.content);
}

template <class Inspector>
auto inspect(Inspector& f, raw_consult& x) {
  return f(caf::meta::type_name("raw_consult"), x.turn, x.last);
}

template <class Inspector>
auto inspect(Inspector& f, raw_decision& x) {
  return f(caf::meta::type_name("raw_decision"), x.participant, x.task);
}

namespace {

using start_atom = caf::atom_constant<caf::atom("start")>;
using done_atom = caf::atom_constant<caf::atom("done")>;

constexpr auto task = "review the change";
constexpr auto content = "looks good";

class participant : public caf::event_based_actor {
public:
  participant(caf::actor_config& config, caf::actor session,
              std::uint32_t position)
    : event_based_actor(config), session_{std::move(session)}, position_{
                                                                 position} {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](const raw_request& asked) {
      send(session_, raw_response{asked.turn, position_, content});
    }};
  }

  void on_exit() override {
    session_ = nullptr;
  }

private:
  caf::actor session_;
  std::uint32_t position_;
};

class orchestrator : public caf::event_based_actor {
public:
  orchestrator(caf::actor_config& config, caf::actor session,
               std::uint64_t participants)
    : event_based_actor(config), session_{std::move(session)}, participants_{
                                                                 participants} {
    // nop
  }

  caf::behavior make_behavior() override {
    return {[this](const raw_consult& asked) {
      const auto next = asked.turn % participants_;
      send(session_, raw_decision{static_cast<std::uint32_t>(next), task});
    }};
  }

  void on_exit() override {
    session_ = nullptr;
  }

private:
  caf::actor session_;
  std::uint64_t participants_;
};

/// How a session talks.
struct shape {
  std::uint32_t participants = 8;
  std::uint32_t at_once = 1; ///< turns that are outstanding at a time
  bool waits_for_all = false;
  bool consults = false;
};

class session : public caf::event_based_actor {
public:
  session(caf::actor_config& config, shape how, std::uint64_t turns,
          caf::actor audience)
    : event_based_actor(config), how_{how}, turns_{turns}, audience_{std::move(
                                                             audience)} {
    // nop
  }

  caf::behavior make_behavior() override {
    const auto self = caf::actor_cast<caf::actor>(this);
    for (std::uint32_t i = 0; i < how_.participants; ++i)
      participants_.push_back(spawn<participant>(self, i));
    if (how_.consults)
      orchestrator_ = spawn<orchestrator>(self, how_.participants);
    return {[this](start_atom) { ask(); },
            [this](const raw_decision& decided) {
              request(decided.participant, decided.task);
            },
            [this](const raw_response& answered) {
              ++answered_;
              if (answered_ >= turns_ && answered_ == asked_)
                end();
              else if (!how_.waits_for_all)
                ask_next(answered.participant, answered.content);
              else if (answered_ == asked_)
                ask();
            }};
  }

private:
  void ask() {
    if (how_.consults)
      send(orchestrator_, raw_consult{asked_, {}});
    else
      for (std::uint32_t i = 0; i < how_.at_once; ++i)
        request(i, task);
  }

  void ask_next(std::uint32_t last, const std::string& said) {
    if (asked_ >= turns_)
      return;
    if (how_.consults)
      send(orchestrator_, raw_consult{asked_, said});
    else if (how_.at_once > 1)
      request(last, task);
    else
      request((last + 1) % how_.participants, task);
  }

  void request(std::uint32_t participant, std::string what) {
    send(participants_[participant], raw_request{++asked_, std::move(what)});
  }

  void end() {
    for (const auto& one : participants_)
      send_exit(one, caf::exit_reason::user_shutdown);
    if (orchestrator_)
      send_exit(orchestrator_, caf::exit_reason::user_shutdown);
    send(audience_, done_atom::value);
    participants_.clear();
    orchestrator_ = nullptr;
    quit();
  }

  shape how_;
  std::uint64_t turns_;
  std::uint64_t asked_ = 0;
  std::uint64_t answered_ = 0;
  caf::actor audience_;
  caf::actor orchestrator_;
  std::vector<caf::actor> participants_;
};

shape shape_of(workload which) {
  switch (which) {
    case workload::broadcast:
      return {.participants = 64, .at_once = 64, .waits_for_all = true};
    case workload::pair:
      return {.participants = 2};
    case workload::orchestrated:
      return {.consults = true};
    case workload::swarm:
      return {.at_once = 8};
    case workload::round_robin:
    case workload::sessions:
      break;
  }
  return {};
}

struct config : caf::actor_system_config {
  explicit config(std::size_t threads) {
    add_message_type<raw_request>("raw_request");
    add_message_type<raw_response>("raw_response");
    add_message_type<raw_consult>("raw_consult");
    add_message_type<raw_decision>("raw_decision");
    set("scheduler.max-threads", threads);
  }
};

} // namespace

double raw_turns_per_second(workload which, std::uint64_t turns,
                            std::size_t threads) {
  const auto how = shape_of(which);
  const std::uint64_t count = which == workload::sessions ? 1'000 : 1;
  const auto round = how.waits_for_all ? std::uint64_t{how.at_once} : 1;
  const auto each = (turns + count * round - 1) / (count * round) * round;

  config settings{threads};
  caf::actor_system system{settings};
  caf::scoped_actor self{system};
  std::vector<caf::actor> sessions;
  for (std::uint64_t i = 0; i < count; ++i)
    sessions.push_back(
      self->spawn<session>(how, each, caf::actor_cast<caf::actor>(self)));

  const auto begin = std::chrono::steady_clock::now();
  for (const auto& one : sessions)
    self->send(one, start_atom::value);
  for (std::uint64_t i = 0; i < count; ++i)
    self->receive([](done_atom) {});
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now()
                                              - begin;
  return static_cast<double>(each * count) / taken.count();
}

} // namespace convene::bench
