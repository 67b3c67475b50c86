#pragma once

#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/checks/claim_check.hpp>
#include <convene/protocol/checks/handoff_check.hpp>
#include <convene/protocol/checks/usage_check.hpp>
#include <convene/protocol/checks/workspace_check.hpp>
#include <convene/protocol/json/members.hpp>

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
  void feed(std::string_view type, const json::object& event,
            const report_finding& report);

  [[nodiscard]] bool has_ended() const noexcept {
    return ended_;
  }

private:
  struct turn {
    std::string participant;
    std::string role;
    std::string token;
    std::optional<resource_names> resources; ///< absent: any
  };

  void check_order(std::string_view type, const report_finding& report);
  void check_time(const json::object& event, const report_finding& report);
  void check_people(std::string_view type, const json::object& payload,
                    const report_finding& report) const;
  void start(const json::object& payload);
  void assign(const json::object& payload);
  void dispatch(const json::object& payload, const report_finding& report);
  void check_beside(const turn& next, const report_finding& report) const;
  void complete_turn(const json::object& payload, const report_finding& report);
  void broadcast(const json::object& payload, const report_finding& report);
  void receive(const json::object& payload, const report_finding& report);
  void detect(const json::object& payload, const report_finding& report);
  void resolve(const json::object& payload, const report_finding& report);
  void remember_status(std::string_view member, const json::object& payload);
  void move_status(const json::object& payload, const report_finding& report);
  void end(const json::object& payload, const report_finding& report);
  void check_counts(const json::object& payload,
                    const report_finding& report) const;

  uuid_set& tokens_;
  std::uint64_t events_ = 0;
  bool started_ = false;
  bool assigned_ = false;
  bool ended_ = false;
  bool one_at_a_time_ = false; // the mode has one turn token
  std::optional<timestamp_ms> started_at_;
  timestamp_ms now_ = 0;
  std::int64_t next_turn_ = 1;
  std::int64_t turns_ = 0;
  std::int64_t broadcasts_ = 0;
  std::int64_t conflicts_ = 0;
  std::int64_t handoffs_ = 0;
  std::set<std::string, std::less<>> participants_;
  std::map<std::int64_t, turn> turns_open_; // by turn number
  /// By broadcast id, whose answer is outstanding.
  std::map<std::string, std::set<std::string, std::less<>>, std::less<>>
    broadcasts_open_;
  std::map<std::string, bool, std::less<>> conflicts_seen_; // resolved?
  std::map<std::string, std::string, std::less<>> statuses_;
  workspace_check resources_;
  claim_check claims_;
  usage_check usage_;
  handoff_check handoff_rules_;
};

} // namespace convene::protocol
