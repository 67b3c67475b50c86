#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/session/story/session_gist.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

namespace json = boost::json;

/// Participants of a session that have a lane; others are on the session's.
inline constexpr std::size_t view_lanes_max = 10'000;

/// Gathers from one session's events, in their order, what its timeline shows,
/// in columns of small numbers. An event that is not what docs/events.md says
/// is only shown as an event.
class view_session {
public:
  explicit view_session(std::string_view session_id);

  /// `number` is the event's place on the page, over all sessions.
  void add(const json::object& event, std::uint64_t number);

  [[nodiscard]] std::string_view id() const noexcept {
    return id_;
  }

  /// How many bars it has, which one event may add many of.
  [[nodiscard]] std::size_t bars() const noexcept {
    return bars_.size();
  }

  /// What the list of sessions has of it.
  [[nodiscard]] json::object summary() const;

  /// All of it, as JSON that server/page/inspector/file_session.js reads.
  [[nodiscard]] std::string columns() const;

private:
  enum class bar_kind : std::uint8_t {
    turn,
    broadcast,
    decision,
    vote,
    action
  };

  /// Small, since there may be one for every second event.
  struct bar {
    bar_kind kind = bar_kind::turn;
    std::uint8_t status = 0;      ///< as in data.js; 0: open
    std::uint32_t lane = 0;       ///< at most `view_lanes_max`
    std::uint32_t from = 0;       ///< the session's event that begins it
    std::uint32_t to = not_ended; ///< the one that ends it
    static constexpr std::uint32_t not_ended = UINT32_MAX;
  };
  /// A conflict or a handoff: what two events say of two or more lanes.
  struct relation {
    std::string id;
    std::size_t from = 0;
    std::optional<std::size_t> to;
    std::vector<std::size_t> lanes;
    std::size_t winner = 0; ///< 0: none
  };
  using places = std::map<std::string, std::size_t, std::less<>>;

  std::size_t lane(std::string_view participant);
  void open(const std::string& key, bar_kind kind, std::size_t lane,
            std::size_t from);
  void close(const std::string& key, std::string_view status);
  void take_roles(const json::object& payload);
  void take_broadcast(const json::object& payload);
  void take_question(const json::object& payload, std::string_view input);
  void take_conflict(const json::object& payload);
  void take_handoff(const json::object& payload);
  void take_event(const json::object& event, std::string_view type,
                  const json::object& payload);

  std::string id_;
  std::string title_;
  std::string mode_;
  std::string status_;
  session::session_gist gist_;
  std::optional<protocol::timestamp_ms> first_;
  protocol::timestamp_ms last_ = 0;
  std::uint64_t last_number_ = 0;
  std::size_t count_ = 0;
  std::size_t cause_ = 0; ///< the last event that may have led to a question
  std::string numbers_;   ///< columns by event, each a list of numbers
  std::string times_;
  std::string types_;
  std::string lanes_;
  places type_places_;
  std::vector<std::string> type_names_;
  places lane_places_;
  std::vector<json::object> lane_list_;
  std::vector<bar> bars_;
  places open_; ///< bars, by what ends them
  std::vector<relation> conflicts_;
  places conflict_places_;
  std::vector<relation> handoffs_;
  places handoff_places_;
};

} // namespace convene::cli
