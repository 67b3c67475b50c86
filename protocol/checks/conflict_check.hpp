#pragma once

#include <convene/protocol/checks/session_facts.hpp>

#include <set>
#include <utility>
#include <vector>

namespace convene::protocol {

/// The rules about conflicts in one session's log, event by event:
/// - conflict_detected_before_resolved: each is detected once, then resolved
/// - conflict_resolved: once, and immediately unless others are asked
/// - conflict_matches: its type exists, the participants that it names are in
///   conflict, and the resolution follows from the scenario's strategy and the
///   votes; the write that follows is the detected one
class conflict_check {
public:
  void feed(const checked_event& e);

  [[nodiscard]] std::int64_t count() const noexcept {
    return count_;
  }

private:
  using vote = std::pair<std::string, std::string>; ///< who, for whom

  struct conflict {
    std::string resource_type;
    std::string resource_id;
    std::string kind;
    std::string who; ///< whose write, claim or answer it is
    std::string token;
    std::optional<std::int64_t> base_version;
    std::set<std::string, std::less<>> sides;
    std::set<std::string, std::less<>> asked;
    std::vector<vote> votes;
    bool resolved = false;
    bool writes = false; ///< its write is to follow
  };

  void detect(const checked_event& e);
  void resolve(const checked_event& e);
  static void check_votes(const checked_event& e, const conflict& about);
  static void check_strategy(const checked_event& e, const conflict& about);
  void write(const checked_event& e);
  void cast(const checked_event& e);
  void check_open(const checked_event& e);

  std::map<std::string, conflict, std::less<>> all_;
  std::set<std::string, std::less<>> waiting_; ///< for their end or their write
  std::set<std::string, std::less<>> asked_;   ///< for others to decide
  std::int64_t count_ = 0;
};

} // namespace convene::protocol
