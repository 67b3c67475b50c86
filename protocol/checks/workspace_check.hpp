#pragma once

#include <convene/protocol/checks/indexed_members.hpp>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace convene::protocol {

/// Where a check leaves what it finds: the rule and a sentence.
using report_finding = std::function<void(std::string_view, std::string)>;

/// Type and id of resources.
using resource_names = std::set<std::pair<std::string, std::string>>;

/// `resources` of a turn: all that it may write. Nothing: it may write any.
[[nodiscard]] std::optional<resource_names>
resource_names_in(const json::object& payload);
[[nodiscard]] std::optional<resource_names>
resource_names_in(const indexed_members& payload);

/// What a turn may write.
struct turn_rights {
  std::optional<resource_names> resources; ///< absent: any
  bool is_handoff = false;

  /// A handoff may write what no other turn names.
  [[nodiscard]] bool writes_the_rest() const noexcept {
    return is_handoff && !resources;
  }
};

/// Whether two turns may be open together: both name their resources, and none
/// the same; or one names its own, and the other is a handoff.
[[nodiscard]] bool are_apart(const turn_rights& a, const turn_rights& b);

/// The rules about shared resources in one session's log, event by event:
/// - resource_versions_contiguous: a write makes the version after the last
/// - write_needs_live_token: it comes while its request is open, from whoever
///   was asked, is one of the resources that a turn names, of a handoff none
///   that another open turn names, and the turn is not a navigator's
/// - override_names_losers: what a write on an older version replaces was
///   decided by a conflict before it, which names whoever loses
/// - conflict_matches: a conflict names the version that was current
class workspace_check {
public:
  void feed(std::string_view type, const indexed_members& payload,
            const report_finding& report);

private:
  /// What a resolved conflict allows.
  struct resolution {
    bool in_time = false; ///< the write came while its request was open
    bool resolved = false;
    bool joined = false; ///< both writes stand
    std::string winner;
    std::set<std::string, std::less<>> losers;
    std::set<std::int64_t> overridden;
  };
  using resource_name = std::pair<std::string, std::string>;
  using open_request = std::pair<std::string, std::string>;
  struct rights {
    std::optional<resource_names> resources; ///< absent: any
    bool navigates = false;                  ///< none at all
    std::optional<std::int64_t> turn_number = std::nullopt;
    bool is_handoff = false;
  };

  void start(const json::object& payload);
  void write(const json::object& payload, const report_finding& report);
  void write_in_request(const json::object& payload,
                        const report_finding& report) const;
  void check_overridden(const json::object& payload, const resolution& decided,
                        const report_finding& report) const;
  void detect(const json::object& payload, const report_finding& report);
  void resolve(const json::object& payload);

  /// Writers of a resource's versions, from the first; empty: nobody.
  std::map<resource_name, std::vector<std::string>> writers_;
  /// What open requests, token and participant, may write.
  std::map<open_request, rights> open_;
  std::map<std::string, resolution, std::less<>> conflicts_;
};

} // namespace convene::protocol
