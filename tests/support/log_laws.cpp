#include <convene/protocol/checks/event_check.hpp>
#include <support/log_laws.hpp>
#include <support/rig.hpp>

#include <algorithm>
#include <map>
#include <set>

namespace convene::test {
namespace {

/// The resources that a turn names, as texts; absent: it may write any.
std::optional<texts> names_in(const event& dispatched) {
  const auto* list = dispatched.payload.if_contains("resources");
  if (list == nullptr)
    return std::nullopt;
  texts all;
  for (const auto& each : list->as_array())
    all.push_back(protocol::json::serialize(each));
  return all;
}

bool are_apart(const std::optional<texts>& a, const std::optional<texts>& b) {
  return a && b && std::ranges::none_of(*a, [&](const auto& name) {
           return std::ranges::find(*b, name) != b->end();
         });
}

/// Folds a log, noting what should not be.
class judge {
public:
  explicit judge(bool one_token) : one_token_(one_token) {
    // nop
  }

  void take(const event& e) {
    const auto number = std::to_string(++count_);
    auto fault = [&](const std::string& what) {
      broken.push_back("line " + number + " (" + e.type + "): " + what);
    };
    if (ended_)
      fault("comes after the end");
    if ((count_ == 1) != (e.type == "MAPSessionStarted"))
      fault("the start is the first event and only that");
    if ((count_ == 2) != (e.type == "MAPRolesAssigned"))
      fault("the roles are the second event and only that");
    if (!ids_.emplace(protocol::text_of(e.whole, "event_id")).second)
      fault("an event id comes twice");
    std::string at{protocol::text_of(e.whole, "timestamp")};
    if (at < last_at_)
      fault("time goes back");
    last_at_ = std::move(at);
    if (e.type == "MAPTurnDispatched") {
      if (e.at("turn_number") != std::to_string(++turns_))
        fault("turn numbers do not count up");
      const auto resources = names_in(e);
      const bool takes_rest = !resources && !e.at("handoff_id").empty();
      for (const auto& [turn, others] : turns_open_)
        if (one_token_ && !are_apart(resources, others)
            && !(takes_rest && others)
            && !(resources && rest_taken_by_.contains(turn)))
          fault("two turns are open that may write the same");
      // A handoff writes what no other turn names.
      if (takes_rest)
        rest_taken_by_.insert(e.at("turn_number") + e.at("participant_id")
                              + e.at("token_id"));
      turns_open_.emplace(e.at("turn_number") + e.at("participant_id")
                            + e.at("token_id"),
                          resources);
      if (const auto from = e.at("handoff_id");
          !from.empty()
          && handed_to_.extract(from + e.at("participant_id")).empty())
        fault("a turn comes of a handoff that is not its own");
    } else if (e.type == "MAPTurnCompleted") {
      if (turns_open_.erase(e.at("turn_number") + e.at("participant_id")
                            + e.at("token_id"))
          == 0)
        fault("completes a turn that is not open");
      if (e.at("status") == "handed_off")
        givers_.insert(e.at("token_id") + e.at("participant_id"));
    } else if (e.type == "MAPHandoffInitiated") {
      ++handoffs_;
      handed_to_.insert(e.at("handoff_id") + e.at("to_participant"));
      if (e.payload.contains("turn_number")
          && givers_.erase(e.at("token_id") + e.at("from_participant")) == 0)
        fault("hands off a turn that was not given up, or again");
    } else if (e.type == "MAPBroadcastSent") {
      ++broadcasts_;
      for (const auto& to : e.payload.at("target_participants").as_array())
        receivers_.insert(e.at("broadcast_id")
                          + std::string{to.as_string().c_str()});
    } else if (e.type == "MAPBroadcastReceived") {
      if (receivers_.erase(e.at("broadcast_ref") + e.at("receiver_participant"))
          == 0)
        fault("answers a broadcast that asked nobody");
    } else if (e.type == "MAPConflictDetected") {
      ++conflicts_;
      conflicts_open_.insert(e.at("conflict_id"));
    } else if (e.type == "MAPConflictResolved") {
      if (conflicts_open_.erase(e.at("conflict_id")) == 0)
        fault("resolves a conflict that is not open");
    } else if (e.type == "MAPSessionCompleted") {
      ended_ = true;
      if (e.at("turns_total") != std::to_string(turns_)
          || e.at("broadcasts_count") != std::to_string(broadcasts_)
          || e.at("conflicts_count") != std::to_string(conflicts_)
          || e.at("handoffs_count") != std::to_string(handoffs_))
        fault("the counts are not those of the log");
      if (e.at("stop_reason/condition") == "policy_fault")
        fault(e.at("stop_reason/observed"));
    }
  }

  void finish() {
    for (const auto& [left, what] :
         {std::pair{!ended_, "the session has no end"},
          {!turns_open_.empty(), "a turn was never completed"},
          {!givers_.empty(), "a turn was handed off to nobody"},
          {!receivers_.empty(), "a receiver of a broadcast is missing"},
          {!conflicts_open_.empty(), "a conflict was never resolved"}})
      if (left)
        broken.emplace_back(what);
  }

  std::vector<std::string> broken;

private:
  bool one_token_;
  bool ended_ = false;
  std::size_t count_ = 0;
  std::size_t turns_ = 0;
  std::size_t broadcasts_ = 0;
  std::size_t conflicts_ = 0;
  std::size_t handoffs_ = 0;
  std::set<std::string> rest_taken_by_; ///< turns
  std::string last_at_;
  std::set<std::string> ids_;
  std::map<std::string, std::optional<texts>> turns_open_; ///< may write
  std::set<std::string> givers_;
  std::set<std::string> handed_to_;
  std::set<std::string> receivers_;
  std::set<std::string> conflicts_open_;
};

} // namespace

std::vector<std::string> broken_laws(const std::vector<std::string>& lines,
                                     bool one_token) {
  judge laws{one_token};
  protocol::event_checker checker;
  std::size_t number = 0;
  for (const auto& line : lines) {
    const auto parsed = parse_event(line);
    laws.take(parsed);
    checker.feed(++number, parsed.whole);
  }
  laws.finish();
  auto broken = std::move(laws.broken);
  for (const auto& found : checker.finish())
    broken.push_back("checker: line " + std::to_string(found.line) + ": "
                     + found.rule + ": " + found.message);
  return broken;
}

std::optional<session::divergence> replay(const std::vector<std::string>& lines,
                                          session::policy_finder find) {
  session::replayer again{std::move(find)};
  std::size_t number = 0;
  for (const auto& line : lines)
    if (auto found = again.feed(++number, line))
      return found;
  return again.finish();
}

} // namespace convene::test
