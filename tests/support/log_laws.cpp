#include <convene/protocol/event_check.hpp>
#include <support/log_laws.hpp>
#include <support/rig.hpp>

#include <set>

namespace convene::test {
namespace {

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
      turns_open_.insert(e.at("turn_number") + e.at("participant_id")
                         + e.at("token_id"));
      if (one_token_ && turns_open_.size() > 1)
        fault("two turns are open");
    } else if (e.type == "MAPTurnCompleted") {
      if (turns_open_.erase(e.at("turn_number") + e.at("participant_id")
                            + e.at("token_id"))
          == 0)
        fault("completes a turn that is not open");
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
          || e.at("handoffs_count") != "0")
        fault("the counts are not those of the log");
      if (e.at("stop_reason/condition") == "policy_fault")
        fault(e.at("stop_reason/observed"));
    }
  }

  void finish() {
    for (const auto& [left, what] :
         {std::pair{!ended_, "the session has no end"},
          {!turns_open_.empty(), "a turn was never completed"},
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
  std::string last_at_;
  std::set<std::string> ids_;
  std::set<std::string> turns_open_;
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
