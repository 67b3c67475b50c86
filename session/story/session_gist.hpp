#pragma once

#include <boost/json/object.hpp>
#include <convene/session/story/turn_strip.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace convene::session {

namespace json = boost::json;

/// What a list of sessions shows of one, from its events in their order. It
/// stays small, however long the session and its texts are.
class session_gist {
public:
  /// Whether events of this type change it.
  [[nodiscard]] static bool concerns(std::string_view event_type);

  void add(std::string_view event_type, const json::object& event);

  /// Requests that failed, were late or declined, and refused writes and
  /// claims.
  [[nodiscard]] std::uint64_t failures() const noexcept {
    return failures_;
  }
  /// The condition that ended the session; empty: none did.
  [[nodiscard]] std::string_view condition() const noexcept {
    return condition_;
  }
  /// Whether an id of those that are listed, or what was observed at the end,
  /// has the text, in small letters.
  [[nodiscard]] bool mentions(std::string_view text) const;

  /// {turns, failed_turns, failures, conflicts, tokens, cost_microusd, strip,
  /// participants: {total, first: [{participant_id, kind}]}, open: [id],
  /// waits_for: [id], stop_reason}.
  [[nodiscard]] json::object to_json() const;

private:
  struct listed {
    std::string id;
    bool is_human = false;
  };

  void take_answer(std::string_view status, bool is_turn);
  void take_usage(const json::object& payload);
  void take_roles(const json::object& payload);
  void take_end(const json::object& payload);
  void open(std::string_view participant);

  std::uint64_t turns_ = 0;
  std::uint64_t failed_turns_ = 0;
  std::uint64_t failures_ = 0;
  std::uint64_t conflicts_ = 0;
  std::int64_t tokens_ = 0;
  std::int64_t cost_microusd_ = 0;
  std::size_t participants_ = 0;
  std::vector<listed> first_; ///< of the participants
  std::set<std::string, std::less<>> people_;
  std::vector<std::string> open_; ///< who is asked, in their order
  turn_strip strip_;
  std::string condition_;
  std::string observed_;
  std::optional<std::int64_t> limit_;
  bool has_end_ = false;
};

/// Whether `text` has `part`, which is in small letters; of letters, those of
/// ASCII are compared without their case.
[[nodiscard]] bool has_in_any_case(std::string_view text,
                                   std::string_view part);

} // namespace convene::session
