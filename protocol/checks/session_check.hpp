#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/checks/action_check.hpp>
#include <convene/protocol/checks/answer_check.hpp>
#include <convene/protocol/checks/broadcast_check.hpp>
#include <convene/protocol/checks/claim_check.hpp>
#include <convene/protocol/checks/conflict_check.hpp>
#include <convene/protocol/checks/decision_check.hpp>
#include <convene/protocol/checks/ending_check.hpp>
#include <convene/protocol/checks/graph_check.hpp>
#include <convene/protocol/checks/handoff_check.hpp>
#include <convene/protocol/checks/indexed_members.hpp>
#include <convene/protocol/checks/outcome_check.hpp>
#include <convene/protocol/checks/plan_check.hpp>
#include <convene/protocol/checks/presence_check.hpp>
#include <convene/protocol/checks/reply_check.hpp>
#include <convene/protocol/checks/rights_check.hpp>
#include <convene/protocol/checks/start_check.hpp>
#include <convene/protocol/checks/task_check.hpp>
#include <convene/protocol/checks/usage_check.hpp>
#include <convene/protocol/checks/workspace_check.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_set>

namespace convene::protocol {

struct uuid_hash {
  std::size_t operator()(const uuid& id) const noexcept {
    return static_cast<std::size_t>(id.high ^ id.low * 0x9e3779b97f4a7c15ULL);
  }
};
using uuid_set = std::unordered_set<uuid, uuid_hash>;

/// The rules that concern one session, event by event. It takes members as it
/// finds them: that they are there and of the right type is another rule.
class session_check {
public:
  /// `tokens` are those of the whole log.
  explicit session_check(uuid_set& tokens);

  /// Not to be called once the session has ended.
  void feed(std::string_view type, const indexed_members& event,
            const report_finding& report);

  [[nodiscard]] bool has_ended() const noexcept {
    return ended_;
  }
  [[nodiscard]] bool lacks_digests() const noexcept {
    return outcomes_.lacks_digests();
  }

private:
  struct turn {
    std::string participant;
    std::string role;
    std::string token;
    turn_rights rights;
  };

  void check_order(std::string_view type, const report_finding& report);
  void check_time(const indexed_members& event,
                  std::optional<timestamp_ms> time,
                  const report_finding& report);
  void dispatch(const indexed_members& payload, const report_finding& report);
  void check_beside(const turn& next, const report_finding& report) const;
  void complete_turn(const indexed_members& payload,
                     const report_finding& report);
  void end(const json::object& payload, const report_finding& report);
  void check_counts(const json::object& payload,
                    const report_finding& report) const;

  uuid_set& tokens_;
  std::uint64_t events_ = 0;
  bool ended_ = false;
  session_facts facts_;
  std::optional<timestamp_ms> started_at_;
  timestamp_ms now_ = 0;
  std::int64_t next_turn_ = 1;
  std::int64_t turns_ = 0;
  std::int64_t handoffs_ = 0;
  std::map<std::int64_t, turn> turns_open_; // by turn number
  workspace_check resources_;
  claim_check claims_;
  rights_check rights_;
  usage_check usage_;
  handoff_check handoff_rules_;
  start_check start_;
  graph_check graph_;
  plan_check plan_;
  task_check tasks_;
  answer_check answers_;
  presence_check presence_;
  decision_check decisions_;
  reply_check replies_;
  conflict_check conflicts_;
  broadcast_check broadcasts_;
  ending_check ending_;
  action_check actions_;
  outcome_check outcomes_;
};

} // namespace convene::protocol
