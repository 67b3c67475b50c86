#pragma once

#include <convene/protocol/base/words.hpp>
#include <convene/session/machine/machine.hpp>
#include <convene/session/snapshot/snapshot.hpp>
#include <support/events.hpp>
#include <support/specs.hpp>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <stdexcept>
#include <utility>

// A session machine on a bench: tests feed it inputs under a virtual clock and
// look at what comes out.

namespace convene::test {

/// The scenario, with the name of a policy that is made up: a log says where
/// its policy comes from.
inline session::spec naming(session::spec what,
                            const session::routing_policy& policy) {
  if (!protocol::from_word<protocol::mode>(policy.name))
    what.options.policy = std::string{policy.name};
  return what;
}

class rig {
public:
  rig(session::spec what, const session::routing_policy& policy,
      const protocol::event_gate* gate = nullptr)
    : scenario_{naming(std::move(what), policy)}, policy_{&policy}, gate_{gate},
      machine_{activate(scenario_)} {
    // nop
  }

  /// A rig whose session has begun.
  static rig started(session::spec what,
                     const session::routing_policy& policy) {
    rig made{std::move(what), policy};
    made.feed(session::start{});
    return made;
  }

  /// One input, now. Returns the events that it made.
  std::vector<event> feed(decltype(session::input::what) what) {
    session::effects out;
    machine_->feed({now, std::move(what)}, out);
    std::vector<event> made;
    for (auto& line : split_lines(out.events.view())) {
      made.push_back(parse_event(line));
      events.push_back(made.back());
      lines.push_back(std::move(line));
    }
    for (auto& d : out.deliveries) {
      asked.push_back(d);
      if (d.what.kind != session::request_kind::vote
          && d.what.kind != session::request_kind::escalation)
        open.insert_or_assign(d.to, d.what);
    }
    for (auto& n : out.notices)
      notices.push_back(std::move(n));
    if (restores() && !machine_->ended() && !lines.empty() && asked.size() < 60)
      restore();
    return made;
  }

  /// Goes on with another machine, made of what this one saves.
  void restore() {
    std::vector<session::delivery> left;
    for (const auto& d : asked)
      if (machine_->awaits(d.to, d.what.token))
        left.push_back(d);
    const auto saved = session::save(*machine_, left);
    if (!saved)
      throw std::runtime_error{to_string(saved.error())};
    const auto text = protocol::json::serialize(*saved);
    const auto read = protocol::parse_json(text);
    if (!read)
      throw std::runtime_error{to_string(read.error())};
    auto made = session::restore(activate(scenario_), *read);
    if (!made)
      throw std::runtime_error{to_string(made.error())};
    machine_ = std::move(made->machine);
    const auto again = session::save(*machine_, made->outstanding);
    if (!again || protocol::json::serialize(*again) != text)
      throw std::runtime_error{"what was restored is saved in another way"};
  }

  /// Lets time pass and says so.
  std::vector<event> pass(std::int64_t ms) {
    now += ms;
    return feed(session::tick{});
  }

  /// `who` answers what it was last asked.
  std::vector<event> answer(std::string_view who, protocol::reply reply) {
    const auto from = index(who);
    return feed(session::answer{from, open.at(from).token, std::move(reply)});
  }

  std::vector<event> answer(std::string_view who, std::string content = "ok") {
    return answer(who, says(std::move(content)));
  }

  std::vector<event> lose(std::string_view who, std::string reason = "gone") {
    return feed(session::participant_down{index(who), std::move(reason)});
  }

  [[nodiscard]] session::participant_index index(std::string_view who) const {
    const auto found = session::find_participant(machine_->spec(), who);
    if (found == session::no_participant)
      throw std::runtime_error{"no participant is called " + std::string{who}};
    return found;
  }

  /// Who was asked so far, in order, as "b" or, with a duty, "b:driver".
  [[nodiscard]] std::vector<std::string> order() const {
    std::vector<std::string> names;
    for (const auto& d : asked) {
      const auto& who = machine_->spec().collab.participants[d.to];
      names.push_back(d.what.duty.empty()
                        ? who.participant_id
                        : who.participant_id + ":" + d.what.duty);
    }
    return names;
  }

  /// What was asked last.
  [[nodiscard]] const session::request& last() const {
    return asked.back().what;
  }

  [[nodiscard]] std::vector<event> all(std::string_view type) const {
    std::vector<event> found;
    for (const auto& e : events)
      if (e.type == type)
        found.push_back(e);
    return found;
  }

  /// The status of each turn, in the order they closed.
  [[nodiscard]] std::vector<std::string> turns() const {
    std::vector<std::string> found;
    for (const auto& e : all("MAPTurnCompleted"))
      found.push_back(e.at("status"));
    return found;
  }

  /// The types of the MAP events.
  [[nodiscard]] std::vector<std::string> map_types() const {
    std::vector<std::string> found;
    for (const auto& e : events)
      if (e.type.starts_with("MAP"))
        found.push_back(e.type);
    return found;
  }

  /// "completed: rounds", or empty while the session goes on.
  [[nodiscard]] std::string ending() const {
    const auto& how = machine_->result();
    return how ? std::string{to_word(how->status)} + ": " + how->condition
               : std::string{};
  }

  /// The machine itself; the rig cannot be used then.
  [[nodiscard]] std::unique_ptr<session::machine> take_machine() {
    return std::move(machine_);
  }

  [[nodiscard]] session::machine& machine() {
    return *machine_;
  }
  [[nodiscard]] const session::machine& machine() const {
    return *machine_;
  }

  protocol::timestamp_ms now = 1'700'000'000'000;
  std::vector<event> events;
  std::vector<std::string> lines;
  std::vector<session::delivery> asked;
  std::vector<session::notice> notices;
  /// What each participant was asked last.
  std::map<session::participant_index, session::request> open;

private:
  /// Whether all tests are to run with a machine that is restored after each
  /// input.
  static bool restores() {
    static const bool wanted = std::getenv("CONVENE_RESTORE") != nullptr;
    return wanted;
  }

  [[nodiscard]] std::unique_ptr<session::machine>
  activate(session::spec what) const {
    auto made = session::machine::activate(std::move(what), *policy_, {7, 11},
                                           gate_);
    if (!made)
      throw std::runtime_error{to_string(made.error())};
    return *std::move(made);
  }

  session::spec scenario_;
  const session::routing_policy* policy_;
  const protocol::event_gate* gate_;
  std::unique_ptr<session::machine> machine_;
};

} // namespace convene::test
