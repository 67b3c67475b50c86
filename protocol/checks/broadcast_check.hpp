#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <set>
#include <tuple>
#include <vector>

namespace convene::protocol {

/// The rules about broadcasts in one session's log, event by event:
/// - map_broadcast_has_receivers: there is one MAPBroadcastReceived for each
///   receiver
/// - rounds_ordered: rounds are numbered from 1; an interrupted round may be
///   repeated
/// - responses_match: a round shows the responses of the previous one
class broadcast_check {
public:
  void feed(const checked_event& e);

  [[nodiscard]] std::int64_t count() const noexcept {
    return count_;
  }

private:
  using response = std::tuple<std::string, std::string, std::string>;
  using names = std::set<std::string, std::less<>>;

  void suspend();
  void send(const checked_event& e);
  void check_message(const checked_event& e);
  void receive(const checked_event& e);
  void end(const checked_event& e) const;

  std::map<std::string, names, std::less<>> open_; ///< who has not answered
  std::int64_t count_ = 0;
  std::int64_t round_ = 0;
  bool may_repeat_ = false;      ///< the session was suspended
  bool was_cut_ = false;         ///< in the middle of a round
  std::vector<response> before_; ///< what the last whole round brought
  std::vector<response> now_;
};

} // namespace convene::protocol
