#pragma once

#include <convene/protocol/json/members.hpp>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

// Every single edit of a log: what somebody may have done to it who can make
// its checksums right again.

namespace convene::tests {

namespace json = boost::json;
using event_log = std::vector<json::value>;

enum class edit_kind : std::uint8_t { drop, repeat, swap, change, remove };

/// One edit: of an event, or of a member in it.
struct edit {
  edit_kind kind = edit_kind::drop;
  std::size_t event = 0; ///< index
  std::string pointer;   ///< of the member; empty: the event
};

/// Values that a member of a name has somewhere in a log, to be put in another
/// one's place: a forger takes what looks right.
class known_values {
public:
  explicit known_values(const event_log& log);

  /// Another value of the same name, or one that is made up.
  [[nodiscard]] json::value other(std::string_view name,
                                  const json::value& than) const;

private:
  void collect(const json::value& from, std::string_view name);

  std::map<std::string, std::set<std::string>, std::less<>> texts_;
};

/// All edits of a log.
[[nodiscard]] std::vector<edit> edits_of(const event_log& log);

/// The log after the edit.
[[nodiscard]] event_log forge(event_log log, const edit& what,
                              const known_values& known);

/// `drop MAPTurnDispatched`, `change MAPTurnCompleted /payload/status`.
[[nodiscard]] std::string describe(const event_log& log, const edit& what);

} // namespace convene::tests
