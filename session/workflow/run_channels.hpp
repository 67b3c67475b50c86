#pragma once

#include <convene/protocol/base/error.hpp>
#include <convene/protocol/base/timestamp.hpp>
#include <convene/protocol/workflow/workflow.hpp>

#include <deque>
#include <set>

namespace convene::session {

/// What the channels of a run have: it follows from the writes, in their order.
class run_channels {
public:
  using definitions
    = std::map<std::string, protocol::channel_definition, std::less<>>;

  /// Whether a reducer takes a value: rules `channel_message` and
  /// `channel_vote` for what has no messageId or userId, `channel_merge`,
  /// `channel_counter`.
  [[nodiscard]] static protocol::result<void>
  check_value(protocol::channel_reducer reducer,
              const boost::json::value& value);

  /// Whether a channel takes a value: these, `known_channel` and
  /// `channel_entries_max`.
  [[nodiscard]] static protocol::result<void>
  check(const definitions& all, const run_channels& as, std::string_view name,
        const boost::json::value& value);

  /// Takes a write that was checked.
  void write(const protocol::channel_definition& as, std::string_view name,
             const boost::json::value& value, protocol::timestamp_ms at);

  /// What a reader sees of one. An entry that may grow too old is
  /// `{value, _ts}`.
  [[nodiscard]] boost::json::value
  value_of(const protocol::channel_definition& as, std::string_view name) const;

  bool operator==(const run_channels&) const = default;

private:
  struct entry {
    boost::json::value value;
    protocol::timestamp_ms at = 0;

    bool operator==(const entry&) const = default;
  };
  struct channel {
    std::deque<entry> entries; ///< of a single value: the last
    std::set<std::string, std::less<>> message_ids;

    bool operator==(const channel&) const = default;
  };

  std::map<std::string, channel, std::less<>> all_;
};

} // namespace convene::session
