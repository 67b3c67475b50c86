#pragma once

#include <boost/json/object.hpp>
#include <convene/protocol/base/uuid.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace convene::cli {

namespace json = boost::json;

/// What the events of a session say, one after the other, but for what differs
/// between any two runs: times (timestamps, and members whose name ends in
/// `_ms`), and which ids things got. Two ids are alike if each came up first at
/// the same place. Of MAPSessionStarted only the set-up is compared, apart, and
/// without its seed.
class event_likeness {
public:
  /// The session's events, in their order.
  void add(const json::object& event);

  /// How many events both begin with; unset: all of both are alike.
  [[nodiscard]] static std::optional<std::size_t>
  first_difference(const event_likeness& one, const event_likeness& other);

  /// Whether both were started from the same set-up.
  [[nodiscard]] static bool are_set_up_alike(const event_likeness& one,
                                             const event_likeness& other) {
    return one.set_up_ == other.set_up_;
  }

private:
  using hash = std::array<std::uint8_t, 16>;

  void write(std::string& to, const json::value& value);
  void write(std::string& to, const json::object& object);
  void write(std::string& to, std::string_view text);
  [[nodiscard]] hash hash_of(const json::object& value);

  std::vector<hash> events_;
  hash set_up_{};
  std::map<protocol::uuid, std::size_t> ids_; ///< by when they came up first
};

} // namespace convene::cli
